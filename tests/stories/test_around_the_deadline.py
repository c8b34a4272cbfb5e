"""What comes around a deadline: late mails that wait, grace, an early close that is called off."""

from datetime import UTC, datetime

from pbm.service import intake, rounds, timer
from pbm.service.timer import Fence
from pbm.store.db import transaction
from pbm.store.models import Mail
from tests.support.world import World

GRAB = """
game: money_grab
id: grab-1
players:
  - {name: alice, address: alice@play.test}
  - {name: bob, address: bob@play.test}
timing: {default: {length: 24h%s}}
"""
DAY = 86_400


def test_no_phase_closes_before_the_mailbox_was_checked_behind_its_deadline(world: World) -> None:
    """DESIGN.md: the fence at the deadline."""
    world.game(GRAB % "")
    deadline = world.table("grab-1").closes()
    world.clock.move_to(deadline + 100)
    for began in (None, deadline - 50, deadline, deadline + 1):
        assert timer.tick(world.house, world.clock.now(), Fence(began)) == []
    assert timer.tick(world.house, world.clock.now(), Fence(deadline + 2)) == ["grab-1: Bout 1, set 1, round 1 closed"]


def test_a_mailbox_out_of_reach_over_a_deadline_is_told_once(world: World) -> None:
    world.game(GRAB % "")
    deadline = world.table("grab-1").closes()
    for late in (10, 301, 400, 500):
        world.clock.move_to(deadline + late)
        timer.tick(world.house, world.clock.now(), Fence(deadline - 5))
        world.deliver()
    assert [m.subject for m in world.box("mod") if "mailbox" in m.subject] == [
        "[grab-1] Needs you: a deadline waits for the mailbox"
    ]


def test_a_late_mail_waits_until_its_phase_has_closed(world: World) -> None:
    world.game(GRAB % "")
    deadline = world.table("grab-1").closes()
    number = world.send("bob", "TAKE 1", at=deadline + 60)
    world.clock.move_to(deadline + 120)
    # The mailbox was last checked before the deadline: nothing closes, and the mail is neither lost nor read twice.
    for _ in range(3):
        intake.read_all(world.house, world.clock.now())
        timer.tick(world.house, world.clock.now(), Fence(deadline - 10))
    assert Mail.get_by_id(number).outcome == "new"
    assert not [m for m in world.box("bob") if m.kind == "receipt"]
    world.settle()
    assert Mail.get_by_id(number).outcome == "refused"
    assert "bob" not in world.table("grab-1").standing()


def test_more_time_lets_a_waiting_mail_count(world: World) -> None:
    world.game(GRAB % "")
    deadline = world.table("grab-1").closes()
    number = world.send("bob", "TAKE 1", at=deadline + 60)
    world.clock.move_to(deadline + 120)
    intake.read_all(world.house, world.clock.now())
    assert Mail.get_by_id(number).outcome == "new"
    with transaction():
        rounds.extend(world.table("grab-1"), 3600)
    world.settle()
    assert Mail.get_by_id(number).outcome == "accepted"
    assert world.table("grab-1").standing()["bob"][0].line == "TAKE 1"


def test_in_grace_only_those_who_were_missing_may_send(world: World) -> None:
    world.game(GRAB % ", grace: 2h")
    world.send("alice", "TAKE 1")
    world.pass_time(DAY + 60)
    assert world.table("grab-1").turn is not None
    assert world.row("grab-1").turn == 1  # still open: grace
    world.send("alice", "TAKE 2")
    world.send("bob", "TAKE 2")
    world.pass_time(60)
    standing = world.table("grab-1").standing()
    assert standing["alice"][0].line == "TAKE 1"
    assert standing["bob"][0].line == "TAKE 2"
    assert "deadline has passed" in " ".join(world.last("alice", "receipt").text.split())
    # It closes at deadline + grace, whoever was missing: nobody sees from the hour who was late.
    assert world.pass_time(3600) == []
    assert len(world.pass_time(3600)) == 1


def test_press_in_grace_goes_out_at_its_end(world: World) -> None:
    world.game(GRAB % ", grace: 2h")
    world.send("alice", "TAKE 1")
    world.pass_time(DAY + 60)
    world.send("alice", "TELL bob: do hurry")
    world.pass_time(600)
    assert not [m for m in world.box("bob") if m.kind.startswith("press")]
    world.pass_time(2 * 3600)
    assert [m for m in world.box("bob") if m.kind.startswith("press")]


def test_an_early_close_is_off_when_somebody_waits_after_all(world: World) -> None:
    world.game(GRAB % "")
    world.send("alice", "TAKE 1")
    world.send("bob", "TAKE 1")
    now = world.clock.now()
    intake.read_all(world.house, now)
    timer.tick(world.house, now, Fence(now))
    turn = world.table("grab-1").turn
    assert turn is not None
    assert turn.early == now
    # What the fence finds counts: this one had arrived in time.
    world.send("bob", "WAIT", at=now)
    world.clock.move_to(now + 5)
    world.settle()
    assert world.row("grab-1").turn == 1
    world.send("bob", "READY")
    assert world.pass_time(10) == ["grab-1: Bout 1, set 1, round 1 closed"]


def test_min_and_delay_hold_an_early_close_back(world: World) -> None:
    world.game(GRAB % ", min: 6h, delay: 30m")
    start = world.clock.now()
    world.send("alice", "TAKE 1")
    world.send("bob", "TAKE 1")
    assert world.pass_time(6 * 3600 - 60) == []
    world.send("bob", "TAKE 2")
    assert world.pass_time(20 * 60) == []
    assert len(world.pass_time(12 * 60)) == 1
    assert world.clock.now() - start < 7 * 3600


def test_a_phase_that_closes_at_its_deadline_only(world: World) -> None:
    world.game(GRAB % ", close: deadline")
    world.send("alice", "TAKE 1")
    world.send("bob", "TAKE 1")
    assert world.pass_time(DAY - 60) == []
    assert len(world.pass_time(120)) == 1


def test_an_absent_player_holds_up_no_early_close_but_the_others_still_have_their_time(world: World) -> None:
    """INTERFACE.md, `misses: {ignore}`; where everybody is absent phases don't race by."""
    world.game(GRAB % "")
    for _ in range(2):
        world.send("alice", "TAKE 1")
        world.pass_time(DAY + 10)
    opened = world.clock.now()
    world.send("alice", "TAKE 1")
    assert len(world.pass_time(60)) == 1  # bob has missed two phases in a row
    assert world.pass_time(12 * 3600) == []  # nobody has acted since
    assert world.clock.now() - opened < DAY
    world.send("bob", "TAKE 1")
    world.pass_time(60)
    world.send("alice", "TAKE 1")
    assert len(world.pass_time(60)) == 1


def test_an_absence_that_came_in_time_moves_the_deadline_however_late_it_is_read(world: World) -> None:
    world.game(GRAB % "")
    deadline = world.table("grab-1").closes()
    day = datetime.fromtimestamp(deadline, UTC).date()
    world.clock.move_to(deadline + 1)
    world.send("alice", f"AWAY {day} TO {day}", at=deadline)
    world.settle()
    moved = world.table("grab-1").closes()
    assert datetime.fromtimestamp(moved, UTC).date() > day
