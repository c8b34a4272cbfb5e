"""A Buy the Bullet table set up at will, and played by order lines: for rule tests that need not play up to a point."""

from typing import Any

from pbm.core import play
from pbm.core.draw import Draw
from pbm.core.engine import Event, Json, Order, Result, Step
from pbm.core.orders import Read, read_line
from pbm.games.buy_the_bullet import GAME

DRAW = Draw(bytes(32))


class Room:
    """`hands`: {player: cards, such as "DHS"}; in seat order. The other arguments name who is no living player with
    no strikes. `refused` and `events` are those of the last call."""

    def __init__(
        self,
        hands: dict[str, str],
        *,
        dead: tuple[str, ...] = (),
        gone: tuple[str, ...] = (),
        strikes: dict[str, int] | None = None,
        **more: Any,
    ) -> None:
        self.state = GAME.start(tuple(hands), GAME.facts.options(), DRAW).state
        for seat, cards in hands.items():
            status = "dead" if seat in dead else "removed" if seat in gone else "alive"
            player = {"hand": list(cards), "status": status, "strikes": (strikes or {}).get(seat, 0)}
            self.state["players"][seat] = player
        self.state |= more
        self.result: Result | None = None
        self.refused: list[str] = []
        self.events: list[Event] = []

    def send(self, seat: str, *lines: str) -> tuple[Order, ...]:
        """One mail: what takes effect at once does; gives what stands."""
        view = GAME.view(self.state, seat)
        orders: list[Order] = []
        for line in lines:
            read = read_line(line, GAME.grammar(view), near=False)
            assert isinstance(read, Read), line
            orders += read.orders
        checked = play.check(GAME, view, seat, orders)
        self.refused += [f"{seat}: {orders[refusal.n or 0].line}" for refusal in checked.refusals]
        for _, order in checked.at_once:
            self._take(GAME.act(self.state, seat, order, DRAW))
        return checked.standing

    def close(self, **lines: str | list[str]) -> "Room":
        """A close with these mails; several lines of one player as a list."""
        self.refused, self.events = [], []
        mails = {seat: [sent] if isinstance(sent, str) else sent for seat, sent in lines.items()}
        standing = {seat: orders for seat, mail in mails.items() if (orders := self.send(seat, *mail))}
        self._take(GAME.close(self.state, standing, DRAW))
        return self

    def remove(self, seat: str) -> "Room":
        self.refused, self.events = [], []
        self._take(GAME.remove(self.state, seat, {}, DRAW))
        return self

    def _take(self, step: Step) -> None:
        self.state, self.result = step.state, step.result
        self.events += step.events

    def types(self) -> list[str]:
        return [event.type for event in self.events]

    def told(self, kind: str) -> Json:
        """The data of the only event of this type."""
        (event,) = (event for event in self.events if event.type == kind)
        assert event.to == "public"
        return event.data

    def of(self, kind: str) -> list[str]:
        """The players that events of this type name, in their order."""
        return [event.data["player"] for event in self.events if event.type == kind]

    def bids(self) -> dict[str, str | None]:
        shown: dict[str, str | None] = self.told("bids")["bids"]
        return shown

    def hands(self) -> dict[str, str]:
        return {seat: "".join(player["hand"]) for seat, player in self.state["players"].items()}

    def status(self, seat: str) -> str:
        status: str = self.state["players"][seat]["status"]
        return status

    def strikes(self, seat: str) -> int:
        strikes: int = self.state["players"][seat]["strikes"]
        return strikes

    def open(self) -> tuple[str, int, list[str]]:
        """The phase that is open, its round, and who is waited for when nothing is in."""
        phase = GAME.phase(self.state)
        assert phase is not None
        return phase.name, phase.round, list(play.waiting(GAME, self.state, {}))
