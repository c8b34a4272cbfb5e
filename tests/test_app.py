"""The service and the clock: down for a day, set back two hours, two hours ahead; nothing closes early, nothing twice,
and the moderator hears of it (MAIL.md, *The clock is the mail server's*)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from pbm.app import Service
from pbm.mail.imap import Arrival, Mailbox
from pbm.mail.smtp import Outcome, Sent, Transport
from pbm.store.models import Action, Mail, Outbox, Turn
from tests.support.world import BASE, HOST, World

HOUR, DAY = 3600, 86_400
GRAB = f"""
game: money_grab
id: g1
players:
  - {{name: ann, address: ann@{HOST}}}
  - {{name: bob, address: bob@{HOST}}}
timing: {{default: {{length: 24h, close: deadline}}}}
reminders: [3h]
"""
PROVEN = {"Authentication-Results": f"mx.{HOST}; dmarc=pass header.from={HOST}"}


@dataclass
class Box:
    """A mailbox whose server's clock is `off` seconds ahead of ours; `asked`: how often that was measured."""

    off: float = 0.0
    asked: int = 0
    arrived: list[Arrival] = field(default_factory=list)

    async def connect(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def settle(self, folder: str, validity: int, uids: Sequence[int]) -> None:
        pass

    async def clock_offset(self) -> float:
        self.asked += 1
        return self.off

    async def fetch_new(self, known: Callable[[str, int, Sequence[int]], list[int]]) -> AsyncIterator[list[Arrival]]:
        if self.arrived:
            batch, self.arrived = self.arrived, []
            yield batch


class Post:
    """A mail server that takes everything."""

    async def send(self, sender: str, recipient: str, raw: bytes) -> Outcome:
        return Sent("ok")

    async def close(self) -> None:
        pass


@dataclass
class Town:
    """A service on a virtual clock, and the time that really passes beside it."""

    world: World
    box: Box = field(default_factory=Box)
    service: Service = field(init=False)
    shift: float = 0.0

    def __post_init__(self) -> None:
        self.service = Service(
            self.world.house, cast(Mailbox, self.box), cast(Transport, Post()), clock=self.world.clock, poll=60.0
        )
        loop: Any = asyncio.get_running_loop()
        real = loop.time
        loop.time = lambda: real() + self.shift

    async def lives(self, seconds: int, step: int = 600) -> None:
        """Time passes, and the service looks into its mailbox all the while."""
        for _ in range(0, seconds, step):
            self.world.clock.pass_time(step)
            self.shift += step
            await self.look()

    async def look(self) -> None:
        await self.service.look()
        while await self.service.send_due():
            pass

    def jump(self, seconds: int) -> None:
        """Our clock alone is set; the mail server's stays right."""
        self.world.clock.pass_time(seconds)
        self.box.off -= seconds

    def true_now(self) -> int:
        return self.world.clock.now() + int(self.box.off)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
    assert made.reports == []


def closes() -> int:
    return Action.select().where(Action.kind == "close").count()


def told() -> list[str]:
    rows = Outbox.select().where((Outbox.reader == "<moderator>") & (Outbox.kind == "trouble")).order_by(Outbox.id)
    return [bytes(row.content).decode() for row in rows]


async def test_a_clock_two_hours_ahead_closes_nothing_early(world: World) -> None:
    world.game(GRAB)
    town = Town(world)
    await town.lives(22 * HOUR)
    assert (closes(), told()) == (0, [])
    deadline = Turn.get().deadline
    town.jump(2 * HOUR)
    await town.lives(HOUR)
    assert world.clock.now() > deadline
    assert closes() == 0
    # The moderator hears of the clock, once, and not that the mailbox can't be read, for it can.
    assert len(told()) == 1
    assert "has jumped by 7200 seconds" in told()[0]
    assert "differs from it by -7200 seconds" in told()[0]
    assert not Turn.get().told_late
    # A mail that is in time by the mail server's clock counts.
    number = world.send("ann", "TAKE 2", at=town.true_now())
    await town.look()
    assert Mail.get_by_id(number).outcome == "accepted"
    await town.lives(HOUR + 20 * 60)
    assert closes() == 1
    assert town.true_now() > deadline


async def test_a_clock_set_back_two_hours_closes_nothing_twice(world: World) -> None:
    world.game(GRAB)
    town = Town(world)
    await town.lives(DAY + HOUR)
    assert (closes(), Turn.select().count()) == (1, 2)
    second = Turn.get(Turn.n == 2)
    reminders = Outbox.select().where(Outbox.kind == "reminder").count()
    town.jump(-2 * HOUR)
    await town.lives(4 * HOUR)
    assert (closes(), Turn.select().count()) == (1, 2)
    assert Outbox.select().where(Outbox.kind == "reminder").count() == reminders
    assert len(told()) == 1
    assert "has jumped by -7200 seconds" in told()[0]
    # A mail is stamped later than our own now; it counts all the same.
    number = world.send("ann", "TAKE 2", to=BASE, headers=PROVEN, at=town.true_now())
    await town.look()
    assert Mail.get_by_id(number).outcome == "accepted"
    assert [order.line for order in world.table("g1").standing()["ann"]] == ["TAKE 2"]
    await town.lives(30 * HOUR)
    assert closes() == 2
    assert Turn.get_by_id(second.id).closed > second.deadline


async def test_a_service_that_was_down_for_a_day_counts_what_came_in_time(world: World) -> None:
    world.game(GRAB)
    deadline = Turn.get().deadline
    town = Town(world)
    await town.look()
    in_time = world.send("ann", "TAKE 2", at=deadline)
    late = world.send("bob", "TAKE 2", at=deadline + 1)
    world.clock.move_to(deadline + DAY)
    fresh = Town(world)
    await fresh.look()
    assert [Mail.get_by_id(n).outcome for n in (in_time, late)] == ["accepted", "refused"]
    assert closes() == 1
    assert world.table("g1").view(None)["coins"] == {"ann": 12, "bob": 10}
    # The next phase has its whole length from now on, and no reminder of the old one goes out.
    second = Turn.get(Turn.n == 2)
    assert second.deadline == world.clock.now() + DAY
    assert not Outbox.select().where(Outbox.kind == "reminder").exists()
    assert told() == []


async def test_a_clock_that_stays_off_is_told_once_and_waited_for(world: World) -> None:
    world.game(GRAB)
    town = Town(world, Box(off=30.0))
    await town.lives(12 * HOUR)
    assert len(told()) == 1
    assert "differs from it by 30 seconds" in told()[0]
    assert "jumped" not in told()[0]
    assert town.box.asked > 5  # measured anew every hour
    deadline = Turn.get().deadline
    world.clock.move_to(deadline + 25)
    await town.look()
    assert closes() == 0
    await town.lives(20, step=10)
    assert closes() == 1


async def test_a_clock_within_two_seconds_is_nobodys_business(world: World) -> None:
    world.game(GRAB)
    town = Town(world, Box(off=2.0))
    await town.lives(3 * HOUR)
    assert told() == []


class Stumbling(Box):
    """Its first look ends in a fault that nobody has foreseen."""

    looks: int = 0

    async def fetch_new(self, known: Callable[[str, int, Sequence[int]], list[int]]) -> AsyncIterator[list[Arrival]]:
        self.looks += 1
        if self.looks == 1:
            raise LookupError("a plug-in is gone")
        async for batch in super().fetch_new(known):
            yield batch


async def test_a_fault_that_nobody_foresaw_does_not_end_the_service(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm.app.BACKOFF", (0.01,))
    box = Stumbling()
    service = Town(world, box).service
    running = asyncio.create_task(service._poller(cast(Any, None)))

    async def wait(scheduler: Any) -> None:
        service.stop()

    monkeypatch.setattr(service, "_wait", wait)
    await asyncio.wait_for(running, 10)
    assert box.looks == 2
    await service.close()
