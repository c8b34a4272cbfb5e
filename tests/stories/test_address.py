"""ADDRESS (MAIL.md): confirmed from both addresses, or by the moderator where the old one bounces; nobody takes a seat
over without its owner's word."""

import pytest

from pbm.service import desk, seats
from pbm.store.db import transaction
from pbm.store.models import Seat
from tests.support.world import HOST, Received, World

GAME = """
game: tontine
id: t1
timing: {default: {close: deadline}}
players:
""" + "".join(f"  - {{name: {name}, address: {name}@{HOST}}}\n" for name in ("ann", "bob", "cid"))
NEW = "ann@new.test"


def words(mail: Received) -> str:
    return " ".join(mail.text.split())


def address(name: str = "ann") -> str:
    return str(Seat.get(Seat.name == name).address)


def ask(world: World, *, sender: str | None = None) -> None:
    world.send("ann", f"ADDRESS {NEW}", answers=world.last("ann", "round"), sender=sender)
    world.pass_time(5)


def answer(world: World, box: str, text: str = "yes") -> None:
    name = box.partition("@")[0]
    world.send(name, text, answers=world.last(box, "question"), sender=box if "@" in box else None)
    world.pass_time(5)


@pytest.mark.parametrize("order", [("ann", NEW), (NEW, "ann")])
def test_both_have_to_say_yes_in_any_order(world: World, order: tuple[str, str]) -> None:
    world.game(GAME)
    ask(world)
    answer(world, order[0])
    assert address() == f"ann@{HOST}"
    answer(world, order[1])
    assert address() == NEW


@pytest.mark.parametrize("order", [("ann", NEW), (NEW, "ann")])
def test_one_no_is_enough(world: World, order: tuple[str, str]) -> None:
    world.game(GAME)
    ask(world)
    answer(world, order[0], "NO")
    answer(world, order[1])
    assert address() == f"ann@{HOST}"


def test_to_ask_twice_is_no_word_of_the_owners(world: World) -> None:
    """Somebody has a forwarded mail, and with it a key."""
    world.game(GAME)
    ask(world, sender=NEW)
    ask(world, sender=NEW)
    answer(world, NEW)
    assert address() == f"ann@{HOST}"


def test_where_the_old_one_bounces_the_moderator_is_asked_in_its_place(world: World) -> None:
    world.game(GAME)
    Seat.update(bounced=True).where(Seat.name == "ann").execute()
    before = len(world.box("ann"))
    ask(world, sender=NEW)
    assert not [mail for mail in world.box("ann")[before:] if mail.kind == "question"]
    question = world.last("mod", "question")
    assert f"ann is played from {NEW}, as ann asks" in words(question)
    answer(world, "mod")
    assert address() == f"ann@{HOST}"
    answer(world, NEW)
    assert address() == NEW
    assert world.last(NEW).kind in ("round", "receipt")
    assert not Seat.get(Seat.name == "ann").bounced


def test_the_moderators_no_is_one(world: World) -> None:
    world.game(GAME)
    Seat.update(bounced=True).where(Seat.name == "ann").execute()
    ask(world, sender=NEW)
    answer(world, NEW)
    answer(world, "mod", "NO")
    assert address() == f"ann@{HOST}"


def test_the_moderators_yes_may_be_the_last(world: World) -> None:
    world.game(GAME)
    Seat.update(bounced=True).where(Seat.name == "ann").execute()
    ask(world, sender=NEW)
    answer(world, NEW)
    assert address() == f"ann@{HOST}"
    answer(world, "mod")
    assert address() == NEW
    assert "mails of ann go to" in words(world.last("mod", "receipt"))


def test_press_that_is_still_queued_is_not_lost(world: World) -> None:
    """MAIL.md, What is sent: press is never cancelled; who has only moved reads the old mailbox, too."""
    world.game(GAME)
    ask(world)
    answer(world, NEW)
    world.away = True
    world.send("bob", "TELL ann: the plan of the night")
    world.settle()
    world.away = False
    answer(world, "ann")
    assert address() == NEW
    world.pass_time(600)
    assert [mail for mail in world.box("ann") if "the plan of the night" in mail.text]


def test_nothing_that_is_still_queued_goes_to_who_was_replaced(world: World) -> None:
    world.game(GAME)
    world.away = True
    world.send("bob", "TELL ann: the plan of the night")
    world.settle()
    world.away = False
    with transaction():
        by = desk.By("command line", world.clock.now())
        seats.replace(world.house, world.table("t1"), "ann", NEW, by, world.clock.now())
    world.pass_time(600)
    assert not [mail for mail in world.box("ann") if "the plan of the night" in mail.text]
