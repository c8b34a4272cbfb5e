"""Sign-up by mail to its end: seats that are given back, the waiting list, "still in?" before the start."""

import pytest

from pbm.service import desk
from pbm.service.rounds import NotNow
from pbm.store.db import transaction
from pbm.store.models import Mail, Question, Seat
from tests.support.world import BASE, Received, World

OPEN = """
game: dont_get_greedy
id: open-1
seats: 2
"""
THREE = """
game: tontine
id: open-1
seats: 4
start: moderator
"""
DAY, HOUR = 86_400, 3600


def words(mail: Received) -> str:
    return " ".join(mail.text.split())


def join(world: World, *names: str) -> None:
    for name in names:
        world.send(name, f"JOIN open-1 AS {name.title()}", to=BASE)
        world.pass_time(5)
        world.send(name, "yes", answers=world.last(name, "question"))
        world.pass_time(5)


def start(world: World) -> str:
    with transaction():
        by = desk.By("command line", world.clock.now())
        said = desk.start(world.house, world.row("open-1"), by, world.clock.now())
    world.settle()
    return said


def seats(world: World) -> list[str]:
    return [seat.name for seat in world.table("open-1").seats]


def test_who_joins_is_welcomed_with_a_key_to_their_seat(world: World) -> None:
    world.game(THREE, start=False)
    join(world, "ann", "ben")
    mail = world.last("ben", "welcome")
    assert mail.reply_to != BASE
    assert "* Ann" in mail.text
    assert "RESIGN" in mail.offers
    world.send("ben", "RULES\nTIMEZONE Asia/Tokyo\nAWAY 2026-12-02 TO 2026-12-03\nSTATUS\nSAY: hello", answers=mail)
    world.pass_time(5)
    answer = words(world.last("ben", "receipt"))
    assert "Asia/Tokyo" in answer
    assert answer.count("hasn't started") == 3


def test_a_seat_that_is_given_back_goes_to_the_waiting_list(world: World) -> None:
    world.game(THREE.replace("seats: 4", "seats: 3"), start=False)
    join(world, "ann", "ben", "cat", "dan", "eve")
    assert seats(world) == ["Ann", "Ben", "Cat"]
    old = world.last("cat", "welcome")
    world.send("cat", "RESIGN", answers=old)
    world.pass_time(5)
    assert seats(world) == ["Ann", "Ben", "Cat"]
    world.send("cat", "yes", answers=world.last("cat", "question"))
    world.pass_time(5)
    assert seats(world) == ["Ann", "Ben", "Dan"]
    assert "A seat has become free" in words(world.last("dan", "welcome"))
    assert not [mail for mail in world.box("eve") if mail.kind == "welcome"]
    # A key of before acts for nobody, whoever signs up now.
    world.send("dan", "RESIGN")
    world.pass_time(5)
    world.send("dan", "yes", answers=world.last("dan", "question"))
    world.pass_time(5)
    join(world, "fay")
    assert seats(world) == ["Ann", "Ben", "Eve"]
    before = len(world.box("fay")), len(world.box("eve"))
    world.send("cat", "TIMEZONE Asia/Tokyo", answers=old)
    world.pass_time(5)
    assert (len(world.box("fay")), len(world.box("eve"))) == before
    assert {seat.timezone for seat in Seat.select()} == {"UTC"}


def test_a_fresh_sign_up_starts_at_once(world: World) -> None:
    world.game(THREE, start=False)
    join(world, "ann", "ben", "cat")
    world.pass_time(2 * DAY)
    assert "has started" in start(world)
    assert world.row("open-1").status == "open"
    assert not Question.select().where(Question.kind == "still").exists()


def test_who_signed_up_long_ago_is_asked_before_the_start(world: World) -> None:
    world.game(THREE, start=False)
    join(world, "ann", "ben", "cat")
    world.pass_time(4 * DAY)
    join(world, "dan")
    said = start(world)
    assert "ann@play.test, ben@play.test, cat@play.test" in said
    assert world.row("open-1").status == "signup"
    for name in ("ann", "ben", "cat"):
        assert "Are you still in" in world.last(name, "question").subject
        assert "NO" in world.last(name, "question").offers
    assert "still in" not in words(world.last("dan"))
    for name in ("ann", "ben"):
        world.send(name, "Sure!", answers=world.last(name, "question"))
        world.pass_time(5)
        assert "Your seat is yours" in words(world.last(name, "receipt"))
    assert world.row("open-1").status == "signup"
    world.send("cat", "NO", answers=world.last("cat", "question"))
    world.pass_time(5)
    assert seats(world) == ["Ann", "Ben", "Dan"]
    assert world.row("open-1").status == "open"
    assert world.last("dan").kind == "round"
    assert world.last("cat").kind == "receipt"


def test_who_does_not_answer_in_48_hours_gives_way_to_the_waiting_list(world: World) -> None:
    world.game(THREE.replace("seats: 4", "seats: 3"), start=False)
    join(world, "ann", "ben", "cat")
    world.pass_time(4 * DAY)
    join(world, "dan")
    start(world)
    for name in ("ann", "ben"):
        world.send(name, "yes", answers=world.last(name, "question"))
    world.pass_time(47 * HOUR)
    assert world.row("open-1").status == "signup"
    world.pass_time(2 * HOUR)
    assert seats(world) == ["Ann", "Ben", "Dan"]
    assert world.row("open-1").status == "open"
    assert "no answer has come" in words(world.last("cat"))
    assert world.last("dan").kind == "round"
    # Too late: nothing happens to the game.
    world.send("cat", "yes!", answers=world.last("cat", "question"))
    world.pass_time(5)
    assert seats(world) == ["Ann", "Ben", "Dan"]


def test_a_game_that_is_full_asks_too_and_goes_on_looking_where_a_seat_is_free(world: World) -> None:
    world.game(OPEN, start=False)
    join(world, "ann")
    world.pass_time(5 * DAY)
    join(world, "ben")
    assert world.row("open-1").status == "signup"
    assert world.last("ben").kind == "welcome"
    world.pass_time(3 * DAY)
    assert seats(world) == ["Ben"]
    join(world, "cat")
    # By now it is ben who signed up long ago.
    assert world.row("open-1").status == "signup"
    world.send("ben", "yes", answers=world.last("ben", "question"))
    world.pass_time(5)
    assert (world.row("open-1").status, seats(world)) == ("open", ["Ben", "Cat"])


def test_too_few_who_are_still_in(world: World) -> None:
    world.game(THREE, start=False)
    join(world, "ann", "ben", "cat")
    world.pass_time(4 * DAY)
    start(world)
    world.pass_time(2 * DAY + 60)
    assert world.row("open-1").status == "signup"
    assert seats(world) == []
    assert "can't start yet" in words(world.last("mod"))
    with pytest.raises(NotNow, match="0 players"):
        start(world)


def test_a_second_word_of_the_moderators_starts_it_at_once(world: World) -> None:
    world.game(THREE, start=False)
    join(world, "ann", "ben", "cat")
    world.pass_time(4 * DAY)
    start(world)
    assert "has started" in start(world)
    assert seats(world) == ["Ann", "Ben", "Cat"]
    world.pass_time(3 * DAY)
    assert seats(world) == ["Ann", "Ben", "Cat"]


def test_in_an_anonymous_game_the_keys_of_the_sign_up_go_with_their_owners(world: World) -> None:
    """G1: the seats are drawn at the start, and with them their numbers."""
    world.game(THREE + "anonymous: true\n", start=False)
    names = ("ann", "ben", "cat", "dan")
    join(world, *names)
    welcomes = {name: world.last(name, "welcome") for name in names}
    assert not any(other.title() in welcomes["dan"].text for other in ("ann", "ben", "cat"))
    start(world)
    assert [seat.person for seat in world.table("open-1").seats] != ["Ann", "Ben", "Cat", "Dan"]
    for name in names:
        before = {other: len(world.box(other)) for other in names}
        world.send(name, "TIMEZONE Asia/Tokyo", answers=welcomes[name])
        world.pass_time(5)
        assert {other: len(world.box(other)) - before[other] for other in names} == {o: int(o == name) for o in names}


def test_an_answer_that_says_no_signs_nobody_up(world: World) -> None:
    """Somebody else may have written the JOIN."""
    world.game(OPEN, start=False)
    world.send("ann", "JOIN open-1 AS Ann", to=BASE)
    world.pass_time(5)
    world.send("ann", "No, I never asked for this.", answers=world.last("ann", "question"))
    world.pass_time(5)
    assert seats(world) == []


def test_an_unreadable_answer_of_somebody_in_no_game_is_dropped(world: World) -> None:
    world.game(OPEN, start=False)
    world.send("ann", "JOIN open-1 AS Ann", to=BASE)
    world.pass_time(5)
    head = f"From: ann@play.test\r\nTo: {world.last('ann', 'question').reply_to}\r\nSubject: Re\r\n"
    parts = "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + "--b\r\n\r\nyes\r\n" * 300
    number = world.arrive(f"{head}MIME-Version: 1.0\r\n{parts}--b--\r\n".encode())
    world.settle()
    assert Mail.get_by_id(number).outcome == "dropped"
