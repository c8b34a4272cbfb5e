"""Fetched mails → rows, committed before anything is flagged or moved; what is old enough is thrown away."""

from collections.abc import Sequence

from pbm.mail.imap import Arrival
from pbm.mail.letter import read_letter
from pbm.store.models import Mail
from pbm.store.statements import Statement

_HELD: Statement[Mail] = Statement(
    lambda folder, validity, uid: Mail.select(Mail.id).where(
        (Mail.folder == folder) & (Mail.uidvalidity == validity) & (Mail.uid == uid)
    )
)


def known(folder: str, uidvalidity: int, uids: Sequence[int]) -> list[int]:
    """Which of these UIDs are in the database already."""
    found: list[int] = []
    for n in range(0, len(uids), 500):
        part = uids[n : n + 500]
        rows = Mail.select(Mail.uid).where(
            (Mail.folder == folder) & (Mail.uidvalidity == uidvalidity) & Mail.uid.in_(list(part))
        )
        found += [row.uid for row in rows]
    return found


def store(arrivals: Sequence[Arrival]) -> None:
    """Write fetched mails down; runs in the caller's transaction. A mail that is there already is passed over."""
    for arrival in arrivals:
        if _HELD.tuples(arrival.folder, arrival.uidvalidity, arrival.uid):
            continue
        Mail.create(
            folder=arrival.folder,
            uidvalidity=arrival.uidvalidity,
            uid=arrival.uid,
            hash=read_letter(arrival.raw).content_hash,
            arrived=arrival.internaldate,
            size=arrival.size,
            content=arrival.raw,
        )
