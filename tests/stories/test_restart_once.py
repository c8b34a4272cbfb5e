"""`pbm serve --once`: the real service between a mailbox and a transport in memory reads, closes, sends, and ends."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import pytest

from pbm.app import Service
from pbm.mail.imap import Arrival, Known, Mailbox
from pbm.mail.smtp import Outcome, Sent, Transport
from pbm.service import rounds
from pbm.store import db
from pbm.store.models import Mail, Outbox
from tests.support.world import World

GRAB = """
game: money_grab
id: grab-1
players:
  - {name: alice, address: alice@play.test}
  - {name: bob, address: bob@play.test}
timing: {default: {length: 24h}}
"""
DAY = 86_400


class _Letters:
    """A mailbox: what lies in it, and what was settled. `offset`: of the server's clock."""

    def __init__(self, arrivals: Sequence[Arrival], offset: float = 0.0) -> None:
        self.arrivals, self.offset = list(arrivals), offset
        self.settled: list[int] = []

    async def connect(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def fetch_new(self, known: Known) -> AsyncIterator[list[Arrival]]:
        held = known("INBOX", 1, [arrival.uid for arrival in self.arrivals])
        if found := [arrival for arrival in self.arrivals if arrival.uid not in held]:
            yield found

    async def settle(self, folder: str, validity: int, uids: Sequence[int]) -> None:
        # Committed before flagged.
        assert Mail.select().where(Mail.uid.in_(list(uids))).count() == len(uids)
        self.settled += uids

    async def clock_offset(self) -> float:
        return self.offset


class _Post:
    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.begun = 0

    async def send(self, sender: str, recipient: str, raw: bytes) -> Outcome:
        # The later a mail is handed over, the sooner it is through: order is no accident.
        self.begun += 1
        await asyncio.sleep(0.05 / self.begun)
        self.sent.append((recipient, raw))
        return Sent("taken")

    async def close(self) -> None:
        pass


async def _once(world: World, letters: _Letters) -> tuple[_Post, int]:
    """Gives what was sent, and how many seconds it took by the world's clock."""
    post, began = _Post(), world.clock.now()
    service = Service(world.house, cast(Mailbox, letters), cast(Transport, post), clock=world.clock)

    async def patience(seconds: float) -> None:
        world.clock.pass_time(int(seconds))

    await service.once(patience)
    db.connect(world.config.database)
    return post, world.clock.now() - began


def _letter(world: World, name: str, text: str, at: int) -> Arrival:
    """A reply that lies in the mailbox, and that the database doesn't know."""
    number = world.send(name, text)
    row = Mail.get_by_id(number)
    Mail.delete().where(Mail.id == number).execute()
    return Arrival("INBOX", 1, row.uid, at, row.size, bytes(row.content))


async def test_it_reads_closes_sends_and_ends(world: World) -> None:
    world.game(GRAB)
    deadline = world.table("grab-1").closes()
    letters = _Letters([_letter(world, "alice", "TAKE 2", deadline), _letter(world, "bob", "TAKE 1", deadline + 1)])
    world.clock.move_to(deadline + 1)
    post, seconds = await _once(world, letters)
    assert seconds <= 3
    table = world.table("grab-1")
    assert table.turn is not None
    assert table.turn.n == 2
    assert table.view(None)["coins"] == {"alice": 12, "bob": 10}
    assert sorted(letters.settled) == sorted(arrival.uid for arrival in letters.arrivals)
    assert not Outbox.select().where(Outbox.status == "queued").count()
    assert {to.partition("@")[0] for to, _ in post.sent} == {"alice", "bob", "archive", "mod"}


async def test_with_nothing_to_do_it_ends_at_once(world: World) -> None:
    world.game(GRAB)
    post, seconds = await _once(world, _Letters([]))
    assert (post.sent, seconds) == ([], 0)


async def test_a_mail_servers_clock_that_is_behind_is_waited_for(world: World) -> None:
    """MAIL.md: a clock more than 2 s off is reported, and the fence waits that much longer."""
    world.game(GRAB)
    deadline = world.table("grab-1").closes()
    world.clock.move_to(deadline + 1)
    post, seconds = await _once(world, _Letters([], offset=-100.0))
    assert 100 <= seconds <= 104
    assert world.row("grab-1").turn == 2
    assert any("clock" in raw.decode() for to, raw in post.sent if to.startswith("mod@"))


async def test_a_phase_that_can_not_be_closed_does_not_hold_it_up_for_ever(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    world.game(GRAB)
    monkeypatch.setattr(rounds, "close", broken)
    world.clock.move_to(world.table("grab-1").closes() + 1)
    _, seconds = await _once(world, _Letters([]))
    assert seconds < 70
    assert world.row("grab-1").turn == 1
    assert {event for event, _ in world.reports} == {"visit_failed"}
    world.reports.clear()


async def test_one_readers_mails_leave_in_the_order_in_which_they_were_queued(world: World) -> None:
    world.game(GRAB, start=False)
    world.boxes.clear()
    Outbox.update(status="queued").execute()
    with db.transaction():
        rounds.start(world.house, world.row("grab-1"), world.clock.now())
    queued = [(row.recipient, bytes(row.content)) for row in Outbox.select().order_by(Outbox.id)]
    post, _ = await _once(world, _Letters([]))
    assert len(post.sent) == len(queued)
    for reader in {to for to, _ in queued}:
        assert [raw for to, raw in post.sent if to == reader] == [raw for to, raw in queued if to == reader]
