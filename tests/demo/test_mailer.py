"""Mails of demo players: real replies, of which just the typed lines are new."""

import email

import pytest

from pbm.demo.mailer import PROGRAMS, Writer
from pbm.demo.sheet import Sheet
from pbm.mail.letter import read_letter
from pbm.mail.reply import new_text
from tests.support.world import World

START = "game: money_grab\nid: g-1\nplayers:\n" + "".join(
    f"  - {{name: {name}, address: {name}@play.test}}\n" for name in ("alice", "bob")
)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("signature", ["", "-- \nalice\nsent from the kitchen table"])
def test_only_what_was_typed_is_new(world: World, program: str, signature: str) -> None:
    world.game(START)
    ours = world.last("alice").raw
    parent = Sheet.read(ours)
    raw = Writer("alice", "alice@play.test", program, signature).reply(parent, ("TAKE 1", "see you."), 1_796_000_000, 1)
    mail = email.message_from_bytes(raw)
    assert mail["To"] == parent.reply_to
    assert mail["In-Reply-To"] == parent.message_id
    assert str(mail["References"]).split()[-1] == parent.message_id
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))
    new = new_text(read_letter(raw), sent=[ours], names=("alice", "Play by Mail"))
    said = [line for line in new.lines if any(c.isalnum() for c in line.text)]
    assert [(line.text, line.doubtful) for line in said] == [("TAKE 1", False), ("see you.", False)]


def test_all_but_the_bare_answer_quote_the_whole_mail(world: World) -> None:
    world.game(START)
    parent = Sheet.read(world.last("alice").raw)
    for program in PROGRAMS:
        raw = Writer("alice", "alice@play.test", program).reply(parent, ("TAKE 1",), 1_796_000_000, 1)
        body = "".join(
            part.get_payload(decode=True).decode()  # type: ignore[union-attr]
            for part in email.message_from_bytes(raw).walk()
            if not part.is_multipart()
        )
        assert ("limit card of this round" in " ".join(body.split())) is (program != "bare"), program
