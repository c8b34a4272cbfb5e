"""UNDO (MAIL.md): the newest close is withdrawn, its phase is open again and paused, and nothing is deleted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.service import desk, seats, undo
from pbm.service.desk import By
from pbm.service.replay import replay
from pbm.service.rounds import NotNow
from pbm.store.db import transaction
from pbm.store.models import Action, Log, Mail, Outbox, Seat, Turn
from tests.support.world import HOST, START, World

HOUR = 3600
GRAB = f"""
game: money_grab
id: g1
players:
  - {{name: ann, address: ann@{HOST}}}
  - {{name: bob, address: bob@{HOST}}}
timing: {{default: {{length: 24h, close: deadline}}}}
"""
TONTINE = "game: tontine\nid: t1\ntiming: {default: {length: 24h, close: deadline}}\nplayers:\n" + "".join(
    f"  - {{name: {n}, address: {n}@{HOST}}}\n" for n in ("ann", "bob", "cid", "dan")
)
ME = By("mod", START)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
    assert made.reports == []


def outcome(number: int) -> str:
    row: Mail = Mail.get_by_id(number)
    return str(row.outcome)


def take_back(world: World, game: str = "g1") -> str:
    with transaction():
        return undo.undo(world.house, world.table(game), By("mod", world.clock.now()), world.clock.now())


def one_round(world: World) -> Turn:
    """A game whose first round has just closed, with ann's order and without bob's; gives the closed turn."""
    world.game(GRAB)
    world.send("ann", "TAKE 2")
    first: Turn = Turn.get_by_id(world.row("g1").turn)
    world.pass_time(24 * HOUR + 10)
    assert Turn.get_by_id(first.id).status == "closed"
    return first


def test_the_phase_is_open_again_with_its_orders_under_a_new_id(world: World) -> None:
    first = one_round(world)
    said = take_back(world)
    table = world.table("g1")
    assert table.turn is not None
    assert table.turn.id not in (first.id, first.id + 1)
    assert (table.turn.n, table.turn.label, table.turn.state) == (3, first.label, first.state)
    assert [o.line for o in table.standing()["ann"]] == ["TAKE 2"]
    assert "Turn 1 is withdrawn" in said
    # Nothing is deleted, and the record says so.
    assert [row.status for row in Turn.select().order_by(Turn.n)] == ["withdrawn", "withdrawn", "open"]
    assert [row.withdrawn for row in Action.select().order_by(Action.id)] == [False, True]
    assert Log.get(Log.what == "undo").data["text"] == "turn 1 withdrawn"
    for name in ("ann", "bob", "archive"):
        mail = world_mail(world, name)
        assert "open again" in mail
        assert "Chance falls as it fell" in mail


def world_mail(world: World, name: str) -> str:
    world.deliver()
    last = world.last(name)
    return f"{last.subject}\n{' '.join(last.text.split())}"


def test_it_is_paused_until_resume_and_then_has_its_full_length_again(world: World) -> None:
    one_round(world)
    take_back(world)
    assert world.row("g1").status == "paused"
    world.pass_time(100 * HOUR)
    assert world.table("g1").turn.status == "open"  # type: ignore[union-attr]
    now = world.clock.now()
    with transaction():
        desk.resume(world.house, world.table("g1"), None, By("mod", now), now)
    turn = world.table("g1").turn
    assert turn is not None
    assert turn.deadline == now + 24 * HOUR
    world.pass_time(24 * HOUR + 10)
    assert Turn.get_by_id(turn.id).status == "closed"


def test_or_until_a_named_time_or_close(world: World) -> None:
    one_round(world)
    take_back(world)
    now = world.clock.now()
    with transaction():
        desk.resume(world.house, world.table("g1"), now + 5 * HOUR, By("mod", now), now)
    turn = world.table("g1").turn
    assert turn is not None
    assert turn.deadline == now + 5 * HOUR
    world.pass_time(5 * HOUR + 10)
    take_back(world)
    again = world.table("g1").turn
    assert again is not None
    now = world.clock.now()
    with transaction():
        desk.close(world.house, world.table("g1"), By("mod", now), now)
    world.pass_time(10)
    assert Turn.get_by_id(again.id).status == "closed"
    assert all(played.faults == () for played in replay(world.table("g1")))


def test_keys_of_before_live_again_and_later_ones_no_longer_do(world: World) -> None:
    world.game(GRAB)
    early = world.last("bob")
    world.pass_time(24 * HOUR + 10)
    late = world.last("bob")
    take_back(world)
    number = world.send("bob", "TAKE 1", answers=early)
    world.settle()
    assert outcome(number) == "accepted"
    assert [o.line for o in world.table("g1").standing()["bob"]] == ["TAKE 1"]
    number = world.send("bob", "TAKE 2", answers=late)
    world.settle()
    assert outcome(number) == "refused"
    assert [o.line for o in world.table("g1").standing()["bob"]] == ["TAKE 1"]


def test_the_same_draws_fall_and_replay_agrees(world: World) -> None:
    one_round(world)
    before = world.table("g1").state
    take_back(world)
    now = world.clock.now()
    with transaction():
        desk.close(world.house, world.table("g1"), By("mod", now), now)
    world.pass_time(10)
    assert world.table("g1").state == before
    played = replay(world.table("g1"))
    assert [p.kind for p in played] == ["start", "close"]
    assert all(p.faults == () for p in played)


def test_a_miss_of_the_withdrawn_close_is_not_counted(world: World) -> None:
    one_round(world)
    assert Seat.get(Seat.name == "bob").misses == 1
    take_back(world)
    assert Seat.get(Seat.name == "bob").misses == 0


def test_queued_mails_of_the_withdrawn_turn_are_cancelled_press_and_receipts_stay(world: World) -> None:
    world.game(GRAB)
    table = world.table("g1")
    world.clock.move_to(table.closes() + 5)
    from pbm.service import intake, timer
    from pbm.service.timer import Fence

    now = world.clock.now()
    timer.tick(world.house, now, Fence(now))
    number = world.send("ann", "SAY: hello", answers=world.last("ann"))
    intake.read_all(world.house, now)
    assert outcome(number) == "accepted"
    queued = {row.kind for row in Outbox.select().where(Outbox.status == "queued")}
    assert {"digest", "round", "summary", "press-0", "receipt"} <= queued
    take_back(world)
    left = {row.kind for row in Outbox.select().where(Outbox.status == "queued")}
    assert left == {"press-0", "receipt", "notice"}
    world.deliver()
    assert [mail.kind for mail in world.box("archive")] == ["digest", "press-0", "notice"]


def test_removals_and_replacements_since(world: World) -> None:
    """Removals since the close are withdrawn and named; REPLACE stays."""
    world.game(TONTINE)
    world.send("ann", "HIT bob")
    world.pass_time(24 * HOUR + 10)
    now = world.clock.now()
    with transaction():
        seats.remove(world.house, world.table("t1"), "cid", ME, now)
        seats.replace(world.house, world.table("t1"), "dan", "new@else.test", ME, now)
    made = undo.plan(world.table("t1"))
    assert made.lost == ("cid is back in the game",)
    take_back(world, "t1")
    table = world.table("t1")
    assert table.view(None)["players"]["cid"]["status"] == "alive"
    assert Seat.get(Seat.name == "dan").address == "new@else.test"
    assert "cid is back in the game" in world_mail(world, "bob")
    assert all(played.faults == () for played in replay(table))


def test_a_removal_before_the_close_stays(world: World) -> None:
    world.game(TONTINE)
    now = world.clock.now()
    with transaction():
        seats.remove(world.house, world.table("t1"), "cid", ME, now)
    world.pass_time(24 * HOUR + 10)
    take_back(world, "t1")
    table = world.table("t1")
    assert table.view(None)["players"]["cid"]["status"] == "removed"
    now = world.clock.now()
    with transaction():
        desk.close(world.house, table, By("mod", now), now)
    world.pass_time(10)
    # It is told again in the story of the phase, once.
    assert [e["type"] for e in Turn.get(Turn.n == 3).events].count("removed") == 1
    assert all(played.faults == () for played in replay(world.table("t1")))


def test_undo_again_withdraws_the_close_before(world: World) -> None:
    first = one_round(world)
    world.pass_time(24 * HOUR + 10)
    take_back(world)
    assert world.table("g1").turn.label != first.label  # type: ignore[union-attr]
    take_back(world)
    turn = world.table("g1").turn
    assert turn is not None
    assert (turn.label, turn.state) == (first.label, first.state)
    with pytest.raises(NotNow, match="no phase"):
        take_back(world)


def test_without_a_close_there_is_nothing_to_undo(world: World) -> None:
    world.game(GRAB)
    with pytest.raises(NotNow, match="no phase of g1 has closed yet"):
        take_back(world)


def test_an_end_whose_mails_have_not_left_can_be_undone(world: World) -> None:
    world.game(GRAB)
    world.pass_time(60)
    now = world.clock.now()
    with transaction():
        seats.remove(world.house, world.table("g1"), "ann", ME, now)
    assert world.row("g1").status == "over"
    take_back(world)
    row = world.row("g1")
    assert (row.status, row.winners, row.ended) == ("paused", None, None)
    assert world.table("g1").view(None)["players"]["ann"]["status"] == "alive"
    world.deliver()
    # The key of all chance was never told.
    assert all(str(row.key) not in mail.text for box in world.boxes.values() for mail in box)


def test_once_the_last_digest_has_left_it_is_refused(world: World) -> None:
    world.game(GRAB)
    now = world.clock.now()
    with transaction():
        desk.end(world.house, world.table("g1"), ME, now)
    world.deliver()
    with pytest.raises(NotNow, match="last digest has left"):
        take_back(world)
    assert world.row("g1").status == "over"


def test_by_mail_undo_in_the_summary_means_the_close_that_it_reports(world: World) -> None:
    first = one_round(world)
    summary = world.last("mod", "summary")
    number = world.send("mod", "UNDO", answers=summary)
    world.settle()
    assert outcome(number) == "accepted"
    asked = world.last("mod", "question")
    assert first.label in asked.text
    world.send("mod", "yes", answers=asked)
    world.settle()
    assert world.row("g1").status == "paused"
    assert world.table("g1").turn.label == first.label  # type: ignore[union-attr]
    # The old summary's key is of a phase that is withdrawn: UNDO there is refused.
    number = world.send("mod", "UNDO", answers=summary)
    world.settle()
    assert outcome(number) == "refused"


def test_undo_confirmed_after_another_close_is_refused(world: World) -> None:
    one_round(world)
    world.send("mod", "UNDO", answers=world.last("mod", "summary"))
    world.settle()
    asked = world.last("mod", "question")
    world.pass_time(24 * HOUR + 10)
    number = world.send("mod", "yes", answers=asked)
    world.settle()
    assert outcome(number) == "refused"
    assert world.row("g1").status == "open"


def test_b8_pledges_since_are_withdrawn_and_named(world: World) -> None:
    """Buy the Bullet: a pledge of the dead after the close goes with it (ruling B8)."""
    file = "game: buy_the_bullet\nid: b1\ntiming: {default: {length: 24h, close: deadline}}\nplayers:\n" + "".join(
        f"  - {{name: {n}, address: {n}@{HOST}}}\n" for n in ("ann", "bob", "cid", "dan", "eve")
    )
    world.game(file)
    for _ in range(30):
        table = world.table("b1")
        phase = table.open_phase
        if any(player["status"] == "dead" for player in table.view(None)["players"].values()):
            break
        for name in phase.must:
            forms = table.forms(name)
            wanted = [f for f in forms if f.verb in ("BID", "SHOOT", "VOTE")]
            if name in phase.must and wanted:
                now = world.clock.now()
                with transaction():
                    line = wanted[0].example() if phase.name != "bid" or name == phase.must[0] else "BID NONE"
                    seats.order(world.house, world.table("b1"), name, [line], By("mod", now), now)
        world.deliver()
        world.pass_time(24 * HOUR + 10)
    table = world.table("b1")
    dead = next(n for n, p in table.view(None)["players"].items() if p["status"] == "dead")
    pledge = next((f for f in table.forms(dead) if f.verb == "PLEDGE"), None)
    assert pledge is not None
    now = world.clock.now()
    with transaction():
        made = seats.order(world.house, table, dead, [pledge.example()], By("mod", now), now)
    assert made.done == [pledge.example()]
    assert world.table("b1").view(None)["pledges"]
    plan = undo.plan(world.table("b1"))
    assert f"{dead}: ({pledge.example()})" in plan.lost
    take_back(world, "b1")
    assert world.table("b1").view(None)["pledges"] == []
    assert all(played.faults == () for played in replay(world.table("b1")))
