"""Reminders and summaries (MAIL.md, *What is sent*): who still has to act hears of it once each time, and nobody else;
the moderator reads what happened and what needs a person; nobody gets two mails from one close."""

from collections import Counter

import pytest

from pbm.service import desk, seats
from pbm.store.db import transaction
from pbm.store.models import Outbox, Seat
from tests.support.world import Received, World

HOUR, DAY = 3600, 86_400
TONTINE = """
game: tontine
id: t1
timing: {default: {length: 72h%s}}
players:
""" + "".join(f"  - {{name: {name}, address: {name}@play.test}}\n" for name in ("ann", "bob", "cid"))


def words(mail: Received) -> str:
    return " ".join(mail.text.split())


def reminders(world: World) -> dict[str, list[int]]:
    """Of each player: how many hours before the deadline (as it is now) they were reminded."""
    turn = world.table("t1").turn
    assert turn is not None
    found = {n: [m for m in world.box(n) if m.kind == "reminder"] for n in ("ann", "bob", "cid")}
    return {name: [round((turn.deadline - mail.at) / HOUR) for mail in mails] for name, mails in found.items()}


def me(world: World) -> desk.By:
    return desk.By("mod", world.clock.now())


def test_only_who_still_has_to_act_is_reminded_and_each_time_once(world: World) -> None:
    world.game(TONTINE % "")
    world.send("ann", "PASS")
    world.pass_time(48 * HOUR + 60)
    assert reminders(world) == {"ann": [], "bob": [24], "cid": [24]}
    world.send("bob", "HIT cid")
    world.pass_time(23 * HOUR)
    assert reminders(world) == {"ann": [], "bob": [24], "cid": [24, 3]}
    reminder = world.last("cid", "reminder")
    assert "PASS" in reminder.offers
    world.send("cid", "PASS", answers=reminder)
    world.pass_time(60)
    assert world.table("t1").turn.n == 2  # type: ignore[union-attr]


def test_who_takes_orders_back_has_to_act_again(world: World) -> None:
    world.game(TONTINE % "")
    world.send("ann", "PASS")
    world.pass_time(49 * HOUR)
    world.send("ann", "CLEAR")
    world.pass_time(21 * HOUR)
    assert reminders(world) == {"ann": [3], "bob": [24, 3], "cid": [24, 3]}


def test_more_time_moves_what_is_still_to_come_and_repeats_nothing(world: World) -> None:
    world.game(TONTINE % "")
    world.pass_time(49 * HOUR)
    with transaction():
        desk.extend(world.house, world.table("t1"), DAY, me(world), world.clock.now())
    world.pass_time(46 * HOUR)
    # 24 h before the deadline of then, which is 48 h before the one of now; and the last.
    assert reminders(world) == {name: [48, 3] for name in ("ann", "bob", "cid")}


def test_a_paused_game_reminds_nobody(world: World) -> None:
    world.game(TONTINE % "")
    world.pass_time(40 * HOUR)
    with transaction():
        desk.pause(world.house, world.table("t1"), me(world), world.clock.now())
    world.pass_time(10 * DAY)
    assert reminders(world) == {"ann": [], "bob": [], "cid": []}
    with transaction():
        desk.resume(world.house, world.table("t1"), None, me(world), world.clock.now())
    world.pass_time(9 * HOUR)
    assert reminders(world) == {"ann": [24], "bob": [24], "cid": [24]}


def test_who_has_left_is_not_reminded(world: World) -> None:
    world.game(TONTINE % "")
    with transaction():
        seats.remove(world.house, world.table("t1"), "bob", me(world), world.clock.now())
    world.pass_time(70 * HOUR)
    assert reminders(world) == {"ann": [24, 3], "bob": [], "cid": [24, 3]}


def test_before_the_deadline_the_moderator_reads_who_is_missing(world: World) -> None:
    world.game(TONTINE % "")
    world.send("ann", "PASS\nWAIT")
    world.send("cid", "AWAY 2026-12-02 TO 2026-12-02")
    world.pass_time(5)
    Seat.update(bounced=True).where(Seat.name == "bob").execute()
    world.pass_time(71 * HOUR)
    summary = world.last("mod", "summary")
    assert "2 missing" in summary.subject
    text = words(summary)
    assert "Still missing: bob and cid" in text
    assert "All in from ann" in text
    assert "Asked for the phase to run its full time: ann" in text
    assert "bob (bob@play.test)" in text.partition("bounced")[2]
    reminded = text.partition("== Reminded ==")[2].partition("==")[0]
    assert "bob: Wednesday 2 December 2026, 00:53:20" in reminded
    assert "ann" not in reminded


def test_at_the_deadline_the_moderator_reads_all_of_it(world: World) -> None:
    world.game(TONTINE % "")
    deadline = world.table("t1").closes()
    world.send("ann", "HIT bob")
    world.send("bob", "BRIBE ann")
    world.pass_time(60)
    with transaction():
        seats.order(world.house, world.table("t1"), "bob", ["HIT cid"], me(world), world.clock.now())
    world.clock.move_to(deadline + 60)
    world.send("cid", "PASS", answers=world.last("cid", "round"), at=deadline + 30)
    world.pass_time(60)
    text = words(world.last("mod", "summary"))
    assert "ann (HIT bob)" in text
    assert "bob (HIT cid)" in text
    assert "Missed: cid" in text
    assert "bob: (HIT cid), by mod" in text.partition("Entered by the moderator")[2]
    assert "bob:" in text.partition("Refused mails")[2]
    assert "round to ann, bob, cid" in text
    assert "cid, Thursday 3 December 2026, 00:53:50" in text.partition("Mails after the deadline")[2]


@pytest.mark.parametrize("close", ["", ", close: deadline"])
def test_nobody_gets_two_mails_from_one_close(world: World, close: str) -> None:
    world.game(TONTINE % close)
    for _ in range(4):
        for name in ("ann", "bob", "cid"):
            if world.table("t1").game.status != "over":
                world.send(name, "PROTECT bob\nHIT ann" if name == "ann" else "PASS")
        world.pass_time(73 * HOUR)
    of_a_close = Outbox.kind.in_(("digest", "round", "result", "summary"))
    counts = Counter((row.queued, row.recipient) for row in Outbox.select().where(of_a_close))
    assert len(counts) > 15
    assert set(counts.values()) == {1}


def test_public_mails_are_queued_first_then_the_players_in_seat_order_then_the_moderators(world: World) -> None:
    world.game(TONTINE % "")
    for name in ("cid", "ann", "bob"):
        world.send(name, "PASS")
    world.pass_time(60)
    turn = world.table("t1").turn
    assert turn is not None
    rows = Outbox.select().where(Outbox.queued == turn.opened).order_by(Outbox.id)
    told = [row.reader for row in rows if row.kind != "receipt"]
    assert told == ["<list>", "ann", "bob", "cid", "<moderator>"]
