"""What a player's mail may quote of ours: read in short, with no word lost."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pbm.core import registry
from pbm.mail.body import rich_lines
from pbm.mail.evidence import words_of
from pbm.mail.letter import Letter, read_letter
from pbm.mail.quotable import bodies_of
from pbm.service.sender import sent_in_thread
from pbm.store.models import Outbox
from tests.support.world import World

NAMES = ("alice", "bob", "carol", "dave", "Zoë")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def game(world: World, rules: str) -> None:
    least, most = registry.get(rules).facts.seats
    names = NAMES[: max(least, min(most or len(NAMES), len(NAMES)))]
    players = "\n".join(f"  - {{name: {name}, address: p{n}@play.test}}" for n, name in enumerate(names))
    world.game(f"game: {rules}\nid: g-1\nplayers:\n{players}\n")


def words(lines: Iterable[str]) -> list[str]:
    return [word for line in lines for word in words_of(line)]


@pytest.mark.parametrize("rules", ["money_grab", "dont_get_greedy", "tontine", "point_thief", "buy_the_bullet"])
def test_the_words_of_our_mails_are_all_there(world: World, rules: str) -> None:
    """As they are in both bodies, read as a stranger's mail would be; the HTML is left out where it adds nothing."""
    game(world, rules)
    world.send("p0", "HELP\nSTATUS\nRULES\nORDERS\nTAKE 1\nBID 3\nand a word of chat")
    world.send("p1", "SAY: who wants to <b>ally</b> *now*?\nTELL alice: 1 < 2 & so on")
    world.pass_time(4 * 86_400)
    kinds, spared = set(), 0
    for row in Outbox.select():
        letter = read_letter(bytes(row.content))
        text, *page = bodies_of(bytes(row.content))
        assert text.splitlines() == (letter.text or "").splitlines()
        rich = words(line.text for line in rich_lines(letter))
        assert words(page[0].splitlines() if page else text.splitlines()) == rich, row.kind
        kinds.add(row.kind)
        spared += not page
    assert {"round", "receipt", "digest", "summary"} <= kinds
    assert spared > Outbox.select().count() / 2


def test_mails_that_the_headers_name_else_the_newest_to_this_reader(world: World) -> None:
    game(world, "money_grab")
    for n in range(3):
        world.send("p0", f"TAKE {n % 2}")
        world.settle()
    mine = list(Outbox.select().where(Outbox.reader == "alice").order_by(Outbox.id))
    bodies = [bodies_of(bytes(row.content)) for row in mine]
    others = Outbox.get(Outbox.reader == "bob")
    named = Letter(in_reply_to=(mine[1].message_id,), references=(mine[0].message_id, others.message_id))
    assert sent_in_thread(named, "g-1", "alice") == [*bodies[1], *bodies[0]]
    assert sent_in_thread(Letter(in_reply_to=(others.message_id,)), "g-1", "alice") == [
        body for mail in bodies[:0:-1] for body in mail
    ]
    assert sent_in_thread(Letter(), "g-1", "nobody") == []


def test_a_mail_that_is_none_of_ours() -> None:
    assert bodies_of(b"Subject: x\r\n\r\nplain\r\n") == []
