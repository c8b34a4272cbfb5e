"""What every service function needs to know of its surroundings, and nothing that changes: no clock, no network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbm.mail.address import Keys
from pbm.mail.own import Own
from pbm.mail.pages import Pages


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
    drawn_names: Sequence[str] = ()
    report: Callable[..., None] = field(default=_silent)

    @property
    def host(self) -> str:
        """The domain of our Message-IDs."""
        return self.address.rpartition("@")[2]

    @property
    def own(self) -> Own:
        return Own(address=self.address, reply_pattern=self.pattern, message_domain=self.host)
