"""What our own mails look like from outside: addresses with a token, Message-IDs, the header `X-PBM`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pbm.mail.headers import Fields, first

_TOKEN = "([A-Za-z2-7]{26})"  # noqa: S105 - the shape of a token, none itself
_ANY = re.compile(rf"[^@]*\+{_TOKEN}@[^@]+")


@dataclass(frozen=True, slots=True)
class Own:
    """The service's addresses: the one mailbox, the shape of its reply addresses, the host in its Message-IDs.

    `message_domain` None stands for the host of `address`.
    """

    address: str
    reply_pattern: str
    message_domain: str | None = None

    @property
    def domain(self) -> str:
        return (self.message_domain or self.address.rpartition("@")[2]).lower()


def token_in(addresses: Iterable[str], own: Own | None) -> str | None:
    """The token (lower case) in the first address that is a reply address of ours; without `own`: of any service."""
    shape = _ANY
    if own is not None:
        before, _, behind = own.reply_pattern.partition("{token}")
        shape = re.compile(f"{re.escape(before)}{_TOKEN}{re.escape(behind)}", re.IGNORECASE)
    for address in addresses:
        if found := shape.fullmatch(address.strip()):
            return found[1].lower()
    return None


def looks_own(fields: Fields, senders: tuple[str, ...], message_id: str | None, own: Own | None) -> bool:
    """Whether a mail is one of ours that came back (by a list, a forward, an alias).

    Anybody can copy a header: the answer only ever keeps a mail from being read.
    """
    marked = first(fields, "x-pbm") is not None
    named = (message_id or "").lower()
    if own is not None:
        return named.endswith(f".pbm@{own.domain}>") or (marked and own.address.lower() in map(str.lower, senders))
    if any(named.endswith(f".pbm@{sender.rpartition('@')[2]}>") for sender in senders):
        return True
    return marked and (first(fields, "auto-submitted") or "").lower().startswith("auto-")
