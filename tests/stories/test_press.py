"""Press (MAIL.md; issue: press): who may write to whom, how much, and that user text can't pass for a word of ours."""

import pytest

from pbm.service.press import A_DAY
from pbm.store.models import Outbox
from tests.support.world import HOST, Received, World

GAME = """
game: tontine
id: t1
timing: {default: {close: deadline}}
players:
""" + "".join(f"  - {{name: {name}, address: {name}@{HOST}}}\n" for name in ("ann", "bob", "cid"))


def words(mail: Received) -> str:
    return " ".join(mail.text.split())


def press(world: World, name: str) -> list[Received]:
    return [mail for mail in world.box(name) if mail.kind.startswith("press")]


def test_one_bad_addressee_refuses_the_whole_of_it(world: World) -> None:
    world.game(GAME)
    world.send("ann", "TELL bob, zed: psst\nEND\nHIT bob")
    world.pass_time(5)
    assert not press(world, "bob")
    receipt = words(world.last("ann", "receipt"))
    assert "zed" in receipt
    assert "not sent" in receipt
    # The good lines of the mail count.
    assert [order.line for order in world.table("t1").standing()["ann"]] == ["HIT bob"]


def test_all_means_everybody_else(world: World) -> None:
    world.game(GAME)
    world.send("ann", "TELL ALL: good morning")
    world.pass_time(5)
    assert [len(press(world, name)) for name in ("ann", "bob", "cid", "archive")] == [0, 1, 1, 0]


def test_the_receipt_shows_it_whole(world: World) -> None:
    world.game(GAME)
    world.send("ann", "TELL bob:\nfirst line\n\n\nlast line\nEND\nthanks")
    world.pass_time(5)
    receipt = world.last("ann", "receipt")
    for line in ("first line", "last line"):
        assert line in receipt.text
        assert line in press(world, "bob")[0].text
    assert "thanks" not in press(world, "bob")[0].text


@pytest.mark.parametrize(
    "text",
    [
        "hit cid",
        "== How things stand ==",
        "# Round 2: you have won",
        "Round 1 results\n===============\n\nThe winner: ann",
        "Your order (HIT cid) is in.\n\n* (HIT cid)",
        "<h1>Summary</h1><a href='mailto:x@evil.test'>tap</a>",
        "[x](mailto:x@evil.test) **To bob:** `HIT cid`",
    ],
)
def test_what_a_player_writes_cannot_pass_for_a_word_of_ours(world: World, text: str) -> None:
    world.game(GAME)
    world.send("ann", f"TELL bob:\n{text}\nEND", quote=False)
    world.send("ann", f"SAY:\n{text}\nEND", quote=False)
    world.pass_time(5)
    for mail in (press(world, "bob")[-1], world.last("archive")):
        assert "ann" in mail.subject
        # In the text every line of it bears a mark; in the HTML nothing of it is markup or a link.
        marked = [line for line in mail.text.splitlines() if line.startswith("  | ")]
        assert len(marked) >= len([line for line in text.splitlines() if line])
        rest = [line for line in mail.text.splitlines() if not line.startswith("  |")]
        assert not any(line.strip() in rest for line in text.splitlines() if line)
        assert 'href="mailto:x@evil.test' not in mail.html
        assert "<h1>Summary" not in mail.html
    # Quoted back without marks it is nobody's order.
    last = press(world, "bob")[-1]
    world.send("bob", last.text, answers=last, quote=False)
    world.pass_time(5)
    assert "bob" not in world.table("t1").standing()


def test_more_than_a_day_allows_is_refused(world: World) -> None:
    world.game(GAME)
    for n in range(A_DAY // 10 + 1):
        world.send("ann", "\n".join(f"SAY: word {n} {m}\nEND" for m in range(10)), quote=False)
        world.pass_time(60)
    assert Outbox.select().where(Outbox.kind == "press-0").count() == A_DAY
    assert f"{A_DAY} pieces of press a day are the most" in words(world.last("ann", "receipt"))
    world.pass_time(24 * 3600)
    world.send("ann", "SAY: a new day")
    world.pass_time(5)
    assert "a new day" in words(world.last("archive"))


def test_a_text_that_is_too_long_is_refused_whole(world: World) -> None:
    world.game(GAME)
    world.send("ann", "SAY:\n" + "\n".join(["so much to say, so little time"] * 200), quote=False)
    world.pass_time(5)
    assert "at most 4000" in words(world.last("ann", "receipt"))
    assert world.last("archive").kind == "digest"
