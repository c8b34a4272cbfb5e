"""What every service function needs to know of its surroundings, and nothing that changes: no clock, no network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pbm.mail.address import Keys
from pbm.mail.guard import Guard
from pbm.mail.own import Own
from pbm.mail.pages import Pages

if TYPE_CHECKING:
    from pbm.service.table import Table

GUARDS = 64


def _silent(event: str, **facts: Any) -> None:
    """The report of a house that nobody listens to."""


@dataclass(frozen=True)
class House:
    """`address`, `name`: our From. `pattern`: of reply addresses. `entropy`: 32 random bytes for a game's key (G4).

    `moderators`, `archive`: for games that name none. `report`: where unusual things are logged.
    """

    address: str
    name: str
    pattern: str
    keys: Keys
    pages: Pages
    entropy: Callable[[], bytes]
    moderators: tuple[str, ...] = ()
    archive: str | None = None
    authserv_id: str | None = None
    own_hosts: Sequence[str] = ()
    report: Callable[..., None] = field(default=_silent)
    _guards: dict[str, Guard] = field(default_factory=dict, repr=False)

    @property
    def host(self) -> str:
        """The domain of our Message-IDs."""
        return self.address.rpartition("@")[2]

    def guard(self, table: "Table | None") -> Guard:
        """What keeps a mail of this game from being read as an order. One serves a game for as long as it has its
        names; the newest are kept, since making one costs more than using it."""
        key = f"{table.id} {table.game.started}" if table is not None and table.turn is not None else ""
        if key not in self._guards:
            if len(self._guards) >= GUARDS:
                self._guards.pop(next(iter(self._guards)))
            self._guards[key] = Guard(table.grammar if key and table is not None else ())
        return self._guards[key]

    @property
    def own(self) -> Own:
        return Own(address=self.address, reply_pattern=self.pattern, message_domain=self.host)
