"""The way out: queued mails with fixed bytes go to the mail server, and what became of them is written down.

At least once, recognisably: a retry sends the same bytes with the same Message-ID.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.addresses import address_key
from pbm.mail.smtp import Later, Outcome, Refused, Sent
from pbm.service import mails, post
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.models import Game, Outbox
from pbm.store.statements import Statement

# Seconds until the next try, one after the other; then a mail has failed.
BACKOFF = (15, 60, 300, 900, 1800, 3600, *(7200,) * 34)
BATCH = 50

_DUE: Statement[Outbox] = Statement(
    lambda now, limit: (
        Outbox.select(Outbox.id)
        .where((Outbox.status == "queued") & (Outbox.due <= now))
        .order_by(Outbox.id)
        .limit(limit)
    )
)
_LETTER: Statement[Outbox] = Statement(
    lambda number: Outbox.select(Outbox.id, Outbox.game, Outbox.recipient, Outbox.content).where(Outbox.id == number)
)
_SETTLED: Statement[Outbox] = Statement(
    lambda number: Outbox.select(
        Outbox.id, Outbox.game, Outbox.reader, Outbox.kind, Outbox.recipient, Outbox.tries
    ).where(Outbox.id == number)
)
_NEXT: Statement[Outbox] = Statement(
    lambda: Outbox.select(Outbox.due).where(Outbox.status == "queued").order_by(Outbox.due).limit(1)
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A queued mail as the sender needs it."""

    id: int
    game: str | None
    recipient: str
    raw: bytes


def due(now: int, busy: Sequence[int] = (), limit: int = BATCH) -> list[Letter]:
    """The mails to send now, in the order in which they were queued, without those under way."""
    # The numbers first: sorting whole mails would move all that is queued, each time.
    numbers = [number for (number,) in _DUE.tuples(now, limit + len(busy)) if number not in busy]
    rows = [_LETTER.first(number) for number in numbers[:limit]]
    return [Letter(row.id, row.game, row.recipient, bytes(row.content)) for row in rows if row is not None]


def next_due() -> int | None:
    found = _NEXT.tuples()
    return int(found[0][0]) if found else None


def settle(house: House, results: Sequence[tuple[int, Outcome]], now: int) -> None:
    """Write down what became of these mails; runs in the caller's transaction."""
    for number, outcome in results:
        row = _SETTLED.first(number)
        if row is None:
            continue
        row.tries += 1
        if isinstance(outcome, Sent):
            row.status, row.sent, row.error = "sent", now, ""
        elif isinstance(outcome, Later) and row.tries <= len(BACKOFF):
            row.due = now + BACKOFF[row.tries - 1]
            row.error = f"{outcome.code or ''} {outcome.text}".strip()
        else:
            assert isinstance(outcome, Later | Refused)
            row.status = "failed"
            row.error = f"{outcome.code or ''} {outcome.text}".strip()
        row.save()
        if row.status == "failed":
            _tell(house, row, now)


def _tell(house: House, row: Outbox, now: int) -> None:
    """The moderator hears at once of an address that can't be reached, and once; what fails after that stands in the
    summaries, save the game's last mails, which have none behind them. Of a moderator's own mail only the log does."""
    house.report("mail_refused", mail=row.id, game=row.game, kind=row.kind, error=row.error)
    game = Game.get_or_none(Game.id == row.game) if row.game else None
    if game is None or row.reader == post.MODERATOR:
        return
    table = Table.of(game)
    seat = next((seat for seat in table.seats if seat.name == row.reader), None)
    if seat is not None:
        if address_key(seat.address) != address_key(row.recipient) or (seat.bounced and game.status != "over"):
            return
        seat.bounced = True
        seat.save()
    who = "the list" if row.reader == post.LIST else row.reader
    mails.trouble(house, table, f"A mail to {who} ({row.recipient}) was refused: {row.error}", now, seat=seat)


def retry(number: int, now: int) -> bool:
    """`pbm mail retry`: queue a failed mail again, the same bytes. False where it isn't one."""
    changed = (
        Outbox.update(status="queued", due=now, tries=0)
        .where((Outbox.id == number) & (Outbox.status == "failed"))
        .execute()
    )
    return bool(changed)
