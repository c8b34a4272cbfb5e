"""The players' comfort: service words from any seat, press, absences, anonymous games, sign-up by mail (MAIL.md)."""

from datetime import UTC, datetime

from pbm.store.models import Seat
from tests.support.world import BASE, HOST, World

GAME = """
game: tontine
id: ton-1
players:
  - {name: alice, address: alice@play.test}
  - {name: bob, address: bob@play.test}
  - {name: carol, address: carol@play.test}
timing: {default: {close: deadline, length: 72h}}
"""
DAY = 86_400


def standing(world: World, name: str) -> list[str]:
    return [order.line for order in world.table("ton-1").standing().get(name, ())]


def words(text: str) -> str:
    return " ".join(text.split())


def test_help_rules_and_orders_come_with_the_receipt(world: World) -> None:
    world.game(GAME)
    world.send("alice", "HIT bob\nHELP\nRULES\nORDERS")
    world.pass_time(5)
    text = words(world.last("alice", "receipt").text)
    assert "(HIT bob)" in text
    assert "T12" in text  # the rule page
    assert "TIMEZONE" in text  # the help


def test_status_is_a_copy_without_keys(world: World) -> None:
    world.game(GAME)
    world.send("alice", "STATUS")
    world.pass_time(5)
    copy = world.last("alice", "status")
    assert copy.reply_to == BASE
    assert "pbm+" not in copy.raw.decode()
    assert "1 token" in words(copy.text)


def test_clear_takes_orders_back(world: World) -> None:
    world.game(GAME)
    world.send("alice", "HIT bob")
    world.pass_time(5)
    world.send("alice", "CLEAR")
    world.pass_time(5)
    assert standing(world, "alice") == []
    world.send("alice", "CLEAR\nPROTECT alice")
    world.pass_time(5)
    assert standing(world, "alice") == ["PROTECT alice"]


def test_service_words_leave_orders_alone(world: World) -> None:
    """G2: service words neither replace nor are replaced."""
    world.game(GAME)
    world.send("alice", "HIT bob")
    world.pass_time(5)
    world.send("alice", "HELP\nTIMEZONE Asia/Tokyo\nSAY: hello")
    world.pass_time(5)
    assert standing(world, "alice") == ["HIT bob"]


def test_timezone_shows_deadlines_in_the_readers_zone(world: World) -> None:
    world.game(GAME)
    world.send("alice", "TIMEZONE Asia/Tokyo")
    world.pass_time(5)
    assert "(Asia/Tokyo)" in world.last("alice", "receipt").text


def test_tell_reaches_those_addressed_and_nobody_else(world: World) -> None:
    world.game(GAME)
    world.send("alice", "TELL bob:\nHIT carol with me?\nHIT carol\n\n(really)")
    world.pass_time(5)
    press = world.last("bob", "press-0")
    assert "with me" in press.text
    assert not [m for m in world.box("carol") if m.kind.startswith("press")]
    assert not [m for m in world.box("archive") if m.kind.startswith("press")]
    # A whole order in capitals ends the text, and is played.
    assert standing(world, "alice") == ["HIT carol"]
    # Quoted back by bob without a mark, nothing of it becomes his move.
    world.send("bob", "\n".join(press.text.splitlines()), answers=press, quote=False)
    world.pass_time(5)
    assert standing(world, "bob") == []


def test_say_goes_to_the_list_signed(world: World) -> None:
    world.game(GAME)
    world.send("alice", "SAY: I did not do it.")
    world.pass_time(5)
    post = world.box("archive")[-1]
    assert "alice says" in post.subject
    assert "I did not do it." in post.text


def test_press_can_be_public_only_or_none(world: World) -> None:
    world.game(GAME.replace("timing", "press: public\ntiming"))
    world.send("alice", "TELL bob: psst")
    world.pass_time(5)
    assert not [m for m in world.box("bob") if m.kind.startswith("press")]
    assert "no private press" in words(world.last("alice", "receipt").text)


def test_the_moderator_reads_along_only_where_the_game_says_so(world: World) -> None:
    world.game(GAME.replace("timing", "press_copy: true\ntiming"))
    assert "reads along" in words(world.last("alice").text)
    world.send("alice", "TELL bob: psst")
    world.pass_time(5)
    assert [m.kind for m in world.box("mod")] == ["press-0"]


def test_the_dead_of_buy_the_bullet_write_in_public_only(world: World) -> None:
    world.game(GAME.replace("tontine", "buy_the_bullet").replace("close: deadline", "close: all-in, min: 0m"))
    for name, card in (("alice", "diamond"), ("bob", "heart"), ("carol", "heart")):
        world.send(name, f"BID {card}")
    world.pass_time(60)
    world.send("alice", "SHOOT bob")
    world.pass_time(60)
    world.send("bob", "TELL carol: avenge me")
    world.send("alice", "TELL bob: sorry")
    world.pass_time(60)
    assert not [m for m in [*world.box("carol"), *world.box("bob")] if m.kind.startswith("press")]
    world.send("bob", "SAY: avenge me")
    world.pass_time(60)
    assert "bob says" in world.box("archive")[-1].subject


def test_away_moves_the_deadline_to_its_end_within_the_budget(world: World) -> None:
    world.game(GAME)
    assert datetime.fromtimestamp(world.clock.now(), UTC).date().isoformat() == "2026-11-30"
    world.send("alice", "AWAY 2026-12-02 TO 2026-12-04")
    world.pass_time(5)
    turn = world.table("ton-1").turn
    assert turn is not None
    assert datetime.fromtimestamp(turn.deadline, UTC).isoformat() == "2026-12-05T00:00:00+00:00"
    assert "alice" in world.box("archive")[-1].subject
    world.send("alice", "AWAY 2026-12-10 TO 2026-12-20")
    world.pass_time(5)
    assert "4 of 7 days" in words(world.last("alice", "receipt").text)
    world.send("alice", "AWAY NONE")
    world.pass_time(5)
    assert turn.deadline == world.table("ton-1").turn.deadline  # type: ignore[union-attr]


def test_mails_needed_keeps_what_need_not_be_read_away(world: World) -> None:
    world.game(GAME)
    world.send("carol", "MAILS needed")
    world.pass_time(5)
    world.send("alice", "RESIGN")
    world.pass_time(5)
    world.send("alice", "yes", answers=world.last("alice", "question"))
    before = len(world.box("carol"))
    world.pass_time(5)
    assert len(world.box("carol")) == before
    assert [m.kind for m in world.box("bob")][-1] == "notice"


def test_resign_is_confirmed_and_then_a_removal(world: World) -> None:
    """G5"""
    world.game(GAME)
    world.send("alice", "RESIGN")
    world.pass_time(5)
    assert world.table("ton-1").view(None)["players"]["alice"]["status"] == "alive"
    world.send("alice", "yes", answers=world.last("alice", "question"))
    world.pass_time(5)
    assert world.table("ton-1").view(None)["players"]["alice"]["status"] == "removed"
    assert "alice" in world.box("archive")[-1].subject


def test_address_is_confirmed_from_both(world: World) -> None:
    world.game(GAME)
    old = world.last("alice", "round")
    world.send("alice", "ADDRESS alice@new.example")
    world.pass_time(5)
    world.send("alice", "yes", answers=world.last("alice", "question"))
    world.pass_time(5)
    assert Seat.get(Seat.name == "alice").address == "alice@play.test"
    world.send("alice", "yes", answers=world.last("alice@new.example", "question"), sender="alice@new.example")
    world.pass_time(5)
    assert Seat.get(Seat.name == "alice").address == "alice@new.example"
    fresh = world.last("alice@new.example", "round")
    # All earlier keys of the seat have ended; the new ones work.
    world.send("alice", "HIT bob", answers=old)
    world.pass_time(5)
    assert standing(world, "alice") == []
    world.send("alice", "HIT bob", answers=fresh, sender="alice@new.example")
    world.pass_time(5)
    assert standing(world, "alice") == ["HIT bob"]


def test_an_anonymous_game_tells_nobody_who_is_who_before_its_end(world: World) -> None:
    """G1: drawn names in every mail, press and digest; the end reveals who was behind them."""
    game = GAME.replace("timing", "anonymous: true\ntiming").replace("ton-1", "anon-1")
    world.game(game.replace("alice@play.test}", "alice@play.test, timezone: Asia/Tokyo}"))
    table = world.table("anon-1")
    people = {seat.person: seat.name for seat in table.seats}
    assert set(people) == {"alice", "bob", "carol"}
    assert not set(people) & set(people.values())
    world.send("alice", f"TELL {people['bob']}: hello\nEND\nSAY: hello all\nEND\nAWAY 2026-12-02 TO 2026-12-02")
    world.pass_time(5)
    for box in ("bob", "carol", "archive"):
        for mail in world.box(box):
            shown = mail.raw.decode().replace(f"{box}@{HOST}", "")
            assert "alice" not in shown.lower()
            assert "Tokyo" not in shown
    for name in ("bob", "carol"):
        world.send(name, "RESIGN")
        world.pass_time(5)
        world.send(name, "yes", answers=world.last(name, "question"))
        world.pass_time(5)
    assert world.row("anon-1").status == "over"
    last = world.last("archive", "digest").text
    assert all(person in last for person in people)


OPEN = """
game: money_grab
id: open-1
seats: 2
"""


def test_a_game_is_joined_by_mail_and_starts_when_full(world: World) -> None:
    world.game(OPEN, start=False)
    assert "JOIN open-1" in words(world.last("archive").text)
    for name in ("ann", "ben"):
        world.send(name, f"JOIN open-1 AS {name.title()}", to=BASE)
        world.pass_time(5)
        assert world.row("open-1").status == "signup"
        world.send(name, "yes please", answers=world.last(name, "question"))
        world.pass_time(5)
    assert world.row("open-1").status == "open"
    assert [seat.name for seat in world.table("open-1").seats] == ["Ann", "Ben"]
    world.send("ann", "TAKE 1")
    world.pass_time(5)
    assert world.last("ann", "receipt")


def test_join_by_the_subject_and_its_refusals(world: World) -> None:
    world.game(OPEN, start=False)
    world.send("ann", "", to=BASE, subject="JOIN open-1 AS Ann")
    world.pass_time(5)
    world.send("ann", "yes", answers=world.last("ann", "question"))
    world.pass_time(5)
    for name, line in (
        ("ben", "JOIN open-1 AS ann"),
        ("cat", "JOIN open-1 AS Help Me"),
    ):
        world.send(name, line, to=BASE)
        world.pass_time(5)
        assert not [m for m in world.box(name) if m.kind == "question"]
        assert len(world.box(name)) == 1
    # Of a game that isn't there only a proven sender hears.
    world.send("dan", "JOIN nothing AS Dan", to=BASE)
    world.pass_time(5)
    assert world.box("dan") == []
    proof = {"Authentication-Results": f"mx.{HOST}; dmarc=pass header.from={HOST}"}
    world.send("dan", "JOIN nothing AS Dan", to=BASE, headers=proof)
    world.pass_time(5)
    assert "no game of that name" in words(world.last("dan").text)
    assert [seat.name for seat in world.table("open-1").seats] == ["Ann"]


def test_who_plays_in_one_game_may_join_another(world: World) -> None:
    world.game(GAME)
    world.game(OPEN, start=False)
    world.send("alice", "JOIN open-1 AS Alice", to=BASE)
    world.pass_time(5)
    world.send("alice", "yes", answers=world.last("alice", "question"))
    world.pass_time(5)
    assert [seat.name for seat in world.table("open-1").seats] == ["Alice"]


def test_who_comes_too_late_waits(world: World) -> None:
    world.game(OPEN.replace("seats: 2", "seats: 2\nstart: moderator"), start=False)
    for name in ("ann", "ben", "cat"):
        world.send(name, f"JOIN open-1 AS {name.title()}", to=BASE)
        world.pass_time(5)
        world.send(name, "yes", answers=world.last(name, "question"))
        world.pass_time(5)
    assert world.row("open-1").status == "signup"
    assert [seat.name for seat in world.table("open-1").seats] == ["Ann", "Ben"]
    assert "waiting list" in words(world.last("cat").text)


def test_somebody_with_two_games_says_which(world: World) -> None:
    world.game(GAME)
    world.game(GAME.replace("ton-1", "ton-2"))
    proof = {"Authentication-Results": f"mx.{HOST}; dmarc=pass header.from={HOST}"}
    world.send("alice", "HIT bob", to=BASE, headers=proof)
    world.pass_time(5)
    assert "ton-2" in world.last("alice", "which").text
    world.send("alice", "HIT bob", to=BASE, headers=proof, subject="[ton-2] my move")
    world.pass_time(5)
    assert [o.line for o in world.table("ton-2").standing()["alice"]] == ["HIT bob"]
    assert standing(world, "alice") == []
