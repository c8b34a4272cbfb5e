"""The deadline in a player's calendar (MAIL.md, *What is sent*): one UID a phase, SEQUENCE when it moves, and
CANCELLED when the phase closes early."""

import email
import email.policy
from email.message import EmailMessage

from icalendar import Calendar

from pbm.service import desk, timer, undo
from pbm.service.timer import Fence
from pbm.store.db import transaction
from pbm.store.models import Mail
from tests.support.world import Received, World

GRAB = """
game: money_grab
id: grab-1
players:
  - {name: alice, address: alice@play.test}
  - {name: bob, address: bob@play.test}
timing: {default: {length: 24h%s}}
"""
DAY, HOUR = 86_400, 3600
FIRST, SECOND = "grab-1-1.pbm@play.test", "grab-1-2.pbm@play.test"


def entries(mail: Received) -> list[tuple[str, int, str]]:
    """(UID, SEQUENCE, STATUS) of each deadline in the mail's calendar file."""
    parsed = email.message_from_bytes(mail.raw, policy=email.policy.default)
    assert isinstance(parsed, EmailMessage)
    found = []
    for part in parsed.walk():
        if part.get_content_type() == "text/calendar":
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            file = Calendar.from_ical(payload)
            assert str(file["METHOD"]) == "PUBLISH"
            found += [(str(e["UID"]), int(str(e["SEQUENCE"])), str(e["STATUS"])) for e in file.walk("VEVENT")]
    return found


def test_a_phase_that_closes_early_leaves_the_calendar_with_the_mail_behind_it(world: World) -> None:
    world.game(GRAB % "")
    assert entries(world.last("alice", "round")) == [(FIRST, 0, "CONFIRMED")]
    for name in ("alice", "bob"):
        world.send(name, "TAKE 1")
    world.pass_time(60)
    for name in ("alice", "bob"):
        assert entries(world.last(name, "round")) == [(SECOND, 0, "CONFIRMED"), (FIRST, 1, "CANCELLED")]
    assert entries(world.last("archive")) == []


def test_a_phase_that_closes_at_its_deadline_stays_in_it(world: World) -> None:
    world.game(GRAB % "")
    world.pass_time(DAY + 10)
    assert entries(world.last("alice", "round")) == [(SECOND, 0, "CONFIRMED")]


def test_a_deadline_that_moves_is_told_and_then_cancelled_by_the_next_number(world: World) -> None:
    world.game(GRAB % "")
    now = world.clock.now()
    with transaction():
        desk.extend(world.house, world.table("grab-1"), DAY, desk.By("mod", now), now)
    world.settle()
    assert entries(world.last("alice", "notice")) == [(FIRST, 1, "CONFIRMED")]
    for name in ("alice", "bob"):
        world.send(name, "TAKE 1")
    world.pass_time(60)
    assert entries(world.last("bob", "round")) == [(SECOND, 0, "CONFIRMED"), (FIRST, 2, "CANCELLED")]


def test_the_games_end_cancels_what_was_open(world: World) -> None:
    world.game(GRAB % "")
    now = world.clock.now()
    with transaction():
        desk.end(world.house, world.table("grab-1"), desk.By("mod", now), now)
    world.settle()
    assert entries(world.last("alice", "result")) == [(FIRST, 1, "CANCELLED")]


def test_an_undo_cancels_the_phase_that_it_takes_back(world: World) -> None:
    world.game(GRAB % "")
    world.pass_time(DAY + 10)
    now = world.clock.now()
    with transaction():
        undo.undo(world.house, world.table("grab-1"), desk.By("mod", now), now)
    world.settle()
    assert entries(world.last("alice", "notice")) == [(SECOND, 1, "CANCELLED")]
    with transaction():
        desk.resume(world.house, world.table("grab-1"), None, desk.By("mod", now), now)
    world.settle()
    assert entries(world.last("alice", "notice")) == [("grab-1-3.pbm@play.test", 1, "CONFIRMED")]


def test_an_early_close_that_waits_for_the_moderator_is_cancelled_when_it_is_approved(world: World) -> None:
    """And what comes within the grace that the early close had left behind waits, as orders stay closed."""
    world.game(GRAB % ", grace: 4h")
    now = world.clock.now()
    with transaction():
        desk.hold(world.house, world.table("grab-1"), desk.By("mod", now), now)
    world.send("alice", "TAKE 1")
    world.send("bob", "TAKE 1")
    world.pass_time(60)
    assert world.row("grab-1").status == "held"
    number = world.send("bob", "TAKE 2", answers=world.last("bob", "round"))
    world.pass_time(60)
    assert Mail.get_by_id(number).outcome == "new"
    now = world.clock.now()
    with transaction():
        timer.approve_close(world.house, world.table("grab-1"), now)
    timer.tick(world.house, now, Fence(now))
    world.settle()
    assert entries(world.last("bob", "round")) == [(SECOND, 0, "CONFIRMED"), (FIRST, 1, "CANCELLED")]
    assert Mail.get_by_id(number).outcome == "refused"


def test_point_thief_cancels_a_players_turn_with_the_reveal(world: World) -> None:
    """Its turns are mailed to the player whose turn it is alone."""
    names = ("ann", "bob", "cid")
    players = "".join(f"  - {{name: {name}, address: {name}@play.test}}\n" for name in names)
    world.game(f"game: point_thief\nid: thief-1\nplayers:\n{players}")
    order = []
    for _ in names:
        (name,) = world.table("thief-1").open_phase.must
        order.append(name)
        assert entries(world.last(name, "round"))[-1] == (f"thief-1-{len(order)}.pbm@play.test", 0, "CONFIRMED")
        world.send(name, "PICK beggar\nCLAIM beggar", answers=world.last(name, "round"))
        world.pass_time(10)
    for n, name in enumerate(order, 1):
        mail = [m for m in world.box(name) if m.kind in ("round", "result")][-1]
        assert (f"thief-1-{n}.pbm@play.test", 1, "CANCELLED") in entries(mail)
        assert [e[2] for e in entries(mail)].count("CANCELLED") == 1
