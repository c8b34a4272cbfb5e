"""What stands, as plain values for `pbm game list`, `game show`, `mail list` and `mail show` (INTERFACE.md)."""

from collections.abc import Iterable, Sequence
from typing import Any

from peewee import JOIN

from pbm import record
from pbm.core.engine import Json
from pbm.mail.explain import explain
from pbm.service.table import Table
from pbm.store.models import Absence, Game, Mail, Outbox, Seat, Turn
from pbm.timewords import iso

IN, OUT = "in", "out"


def games() -> list[Json]:
    """All games, the newest first: [{`id`, `game`, `status`, `phase`, `round`, `deadline`}]. Of one that isn't under
    way the last three are None; while it is paused it has no deadline."""
    columns = (Game.id, Game.rules, Game.status, Turn.phase, Turn.round, Turn.deadline)
    query = Game.select(*columns).join(Turn, JOIN.LEFT_OUTER, on=(Game.turn == Turn.id))
    rows: Iterable[Any] = query.order_by(Game.created.desc(), Game.id).tuples()
    return [
        {"id": number, "game": rules, "status": status, **_when(status, phase, count, deadline)}
        for number, rules, status, phase, count, deadline in rows
    ]


def _when(status: str, phase: str | None, count: int | None, deadline: int | None) -> Json:
    if status in ("signup", "over") or deadline is None:
        return {"phase": None, "round": None, "deadline": None}
    return {"phase": phase, "round": count, "deadline": iso(deadline) if status != "paused" else None}


def game(table: Table, *, moderator: bool) -> Json:
    """One game. Whom it waits for is told only where that is public, unless to the moderator, who also sees who the
    players are and what was set for them."""
    row, turn = table.game, table.turn
    phase = table.phase if turn is not None and row.status not in ("signup", "over") else None
    told = phase is not None and (moderator or phase.open_waiting)
    found: Json = {
        "id": table.id,
        "game": row.rules,
        "title": row.title,
        "status": row.status,
        **_when(
            row.status, phase.name if phase else None, phase.round if phase else None, turn.deadline if turn else None
        ),
        "label": turn.label if turn is not None and phase is not None else None,
        "opened": iso(turn.opened) if turn is not None and phase is not None else None,
        "waiting_for": list(table.waiting()) if told else None,
        "players": [_player(table, seat, moderator) for seat in _everybody(table)],
        "public": table.view(None) if turn is not None else {},
        "winners": list(row.winners or ()),
    }
    if moderator:
        found["moderators"], found["archive"] = list(row.moderators), row.archive
        found["hold"], found["rest"] = row.hold, row.rest
    return found


def _everybody(table: Table) -> Sequence[Seat]:
    """The seats; before the start also those who wait for one."""
    if table.turn is not None:
        return table.seats
    return list(Seat.select().where(Seat.game == table.id).order_by(Seat.n))


def status_of(table: Table, seat: Seat) -> str:
    """`alive`, `dead` … as the rules have it; before the start `signed up` or `waiting`."""
    if table.turn is None:
        return "waiting" if seat.waitlist else "signed up"
    players = table.view(None).get("players")
    shown = players.get(seat.name) if isinstance(players, dict) else None
    return str(shown.get("status", "alive")) if isinstance(shown, dict) else "alive"


def _player(table: Table, seat: Seat, moderator: bool) -> Json:
    found: Json = {"name": seat.name, "status": status_of(table, seat)}
    if moderator:
        found |= {"person": seat.person, "address": seat.address, "timezone": seat.timezone, "misses": seat.misses}
        found |= {"bounced": seat.bounced, "mails": seat.mails}
        found["away"] = [[row.first, row.last] for row in Absence.select().where(Absence.seat == seat.id)]
    return found


def orders(table: Table) -> Json:
    """What is in for the open phase: {name: [line]}, for the moderator's eyes. Empty where none is open."""
    if table.turn is None or table.turn.status != "open":
        return {}
    standing = table.standing()
    return {name: [order.line for order in standing.get(name, ())] for name in table.names}


def finished() -> list[record.Record]:
    """The games that have been played to their end, in the order in which they ended (ruling G8)."""
    rows = Game.select().where((Game.status == "over") & Game.started.is_null(False)).order_by(Game.ended, Game.id)
    return [record.of_game(row, Table.of(row).seats) for row in rows]


# -- mails ---------------------------------------------------------------------------------------------------------


def mails(
    *, game_id: str | None = None, outcome: str | None = None, direction: str | None = None, limit: int | None = None
) -> list[Json]:
    """Mails, the newest first: [{`id`, `direction`, `outcome`, `game`, `seat`, `at`, `reason`}]. An id is `in-12` or
    `out-12`."""
    found: list[tuple[int, int, Json]] = []
    if direction != OUT:
        query = Mail.select(Mail.id, Mail.outcome, Mail.game, Mail.seat, Mail.arrived, Mail.reason)
        query = query.where(Mail.game == game_id) if game_id else query
        query = query.where(Mail.outcome == outcome) if outcome else query
        for row in query.order_by(Mail.arrived.desc(), Mail.id.desc()).limit(limit):
            shown = _listed(IN, row.id, row.outcome, row.game, row.seat, row.arrived, row.reason)
            found.append((row.arrived, row.id, shown))
    if direction != IN:
        ours = Outbox.select(Outbox.id, Outbox.status, Outbox.game, Outbox.reader, Outbox.queued, Outbox.sent)
        ours = ours.select_extend(Outbox.error, Outbox.kind)
        ours = ours.where(Outbox.game == game_id) if game_id else ours
        ours = ours.where(Outbox.status == outcome) if outcome else ours
        for out in ours.order_by(Outbox.id.desc()).limit(limit):
            at = out.sent or out.queued
            shown = _listed(OUT, out.id, out.status, out.game, _seat(out), at, out.error)
            found.append((at, out.id, {**shown, "kind": out.kind, "reader": out.reader.strip("<>")}))
    found.sort(key=lambda item: item[:2], reverse=True)
    return [shown for _, _, shown in found[:limit]]


def _seat(out: Outbox) -> str | None:
    """Whose seat it goes to; the list and the moderator have none."""
    return None if out.reader.startswith("<") else str(out.reader)


def _listed(
    direction: str, number: int, outcome: str, game_id: str | None, seat: str | None, at: int, reason: str
) -> Json:
    return {
        "id": f"{direction}-{number}",
        "direction": direction,
        "outcome": outcome,
        "game": game_id,
        "seat": seat,
        "at": iso(at),
        "reason": reason,
    }


def mail_in(row: Mail) -> Json:
    """An incoming mail, with what is read from it; no token of it is shown."""
    read = explain(bytes(row.content), f"in-{row.id}")
    listed = _listed(IN, row.id, row.outcome, row.game, row.seat, row.arrived, row.reason)
    return {
        **listed,
        "from": row.sender or read["from"],
        "subject": _header(bytes(row.content), "Subject"),
        "kind": read["kind"],
        "text": read["text"],
        "lines": read["lines"],
        "folder": row.folder,
        "uid": row.uid,
        "size": row.size,
        "read": iso(row.at) if row.at is not None else None,
    }


def mail_out(row: Outbox) -> Json:
    """An outgoing mail, with its text; its Reply-To, a key to a seat, is not shown."""
    at = row.sent or row.queued
    return {
        **_listed(OUT, row.id, row.status, row.game, _seat(row), at, row.error),
        "reader": row.reader.strip("<>"),
        "kind": row.kind,
        "to": row.recipient,
        "subject": row.subject,
        "message_id": row.message_id,
        "tries": row.tries,
        "due": iso(row.due),
        "text": _text(bytes(row.content)),
    }


def _header(raw: bytes, name: str) -> str:
    from email import message_from_bytes
    from email.header import decode_header, make_header

    # A mail from outside: its head alone, of bounded length, and whatever can't be decoded as it stands.
    head = raw[: 128 * 1024].partition(b"\r\n\r\n")[0]
    value = str(message_from_bytes(head).get(name, ""))
    try:
        return " ".join(str(make_header(decode_header(value))).split())
    except (LookupError, ValueError):
        return " ".join(value.split())


def _text(raw: bytes) -> str:
    """The text part of a mail of our own."""
    from email import message_from_bytes

    for part in message_from_bytes(raw).walk():
        if part.get_content_type() == "text/plain":
            payload: Any = part.get_payload(decode=True)
            return str(payload.decode(part.get_content_charset("us-ascii"))).replace("\r\n", "\n")
    return ""
