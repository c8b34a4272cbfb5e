"""What the database knows of a letter: whose token, whose address, which thread. Looked up for `trust.judge`."""

import re

from pbm.addresses import address_key
from pbm.mail.authres import proven
from pbm.mail.letter import Letter, find_token
from pbm.mail.trust import Case, Claim, Holder
from pbm.service.house import House
from pbm.store.models import Game, Mail, Outbox, Seat, Token, Turn

DAY = 86_400
MODERATOR_TOKEN = 72 * 3600
_ID = re.compile(r"\[([a-z0-9][a-z0-9-]{0,39})\]")


def case_of(house: House, letter: Letter, arrived: int) -> Case:
    """The letter with all that the database holds about its sender."""
    token = find_token(letter, house.own)
    sender = letter.sender or ""
    day = (Outbox.queued > arrived - DAY) & (Outbox.recipient == sender)
    return Case(
        letter=letter,
        own=house.address,
        token=token,
        holder=holder_of(token, arrived) if token else None,
        proven=proven(letter, house.authserv_id, house.own_hosts),
        claims=claims_of(sender),
        named=games_named(letter),
        answered=Outbox.select().where(day & Outbox.kind.in_(("receipt", "answer", "question"))).count(),
        stranger_answered=Outbox.select().where(day & (Outbox.kind == "stranger")).count(),
    )


def holder_of(token: str, at: int) -> Holder | None:
    row = Token.get_or_none(Token.token == token)
    if row is None:
        return None
    game = row.game
    if game is None:
        return Holder("", None, row.address or "", None, live=True, question=_question(row.purpose))
    if row.seat is None:
        return Holder(
            game.id,
            None,
            row.address or "",
            row.turn,
            live=_moderator_lives(game, row, at),
            question=_question(row.purpose),
        )
    seat = Seat.get((Seat.game == game.id) & (Seat.n == row.seat))
    return Holder(
        game.id,
        seat.name,
        seat.address,
        row.turn,
        live=_lives(game, row),
        revoked=row.generation != seat.generation,
        question=_question(row.purpose),
    )


def _question(purpose: str) -> int | None:
    return int(purpose.removeprefix("question-")) if purpose.startswith("question-") else None


def _lives(game: Game, row: Token) -> bool:
    """MAIL.md: a token lives as long as what it was made for can still be done. A pledge belongs to its round, and
    Point Thief's orders may be sent ahead to the end of the next round; else it is the phase."""
    if row.turn is None or game.turn is None or game.status == "over":
        return False
    if row.turn == game.turn:
        return True
    made, now = Turn.get_by_id(row.turn), Turn.get_by_id(game.turn)
    if made.status == "withdrawn":
        return False
    if game.rules == "point_thief":
        return bool(now.round <= made.round + 1)
    return False


def same_round(game: Game, turn: int | None) -> bool:
    """Whether the token's phase belongs to the round that is open: then a pledge may still come by it (ruling B8)."""
    if turn is None or game.turn is None:
        return False
    return bool(Turn.get_by_id(turn).round == Turn.get_by_id(game.turn).round and game.status != "over")


def _moderator_lives(game: Game, row: Token, at: int) -> bool:
    return row.turn == game.turn or at - int(row.made) <= MODERATOR_TOKEN


def claims_of(sender: str) -> tuple[Claim, ...]:
    """The seats, and the games moderated, whose address on file this is; open games first, newest first."""
    if not sender:
        return ()
    key = address_key(sender)
    found: list[tuple[bool, int, Claim]] = []
    for seat in Seat.select(Seat, Game).join(Game).where((Seat.address_key == key) & (Seat.waitlist == False)):  # noqa: E712
        game = seat.game
        is_open = game.status != "over"
        found.append((not is_open, -game.created, Claim(game.id, seat.name, is_open)))
    for game in Game.select(Game.id, Game.status, Game.created, Game.moderators).where(
        Game.moderators.cast("TEXT").contains(key)  # not as JSON: it would be looked for in quotation marks
    ):
        if key in {address_key(a) for a in game.moderators}:
            is_open = game.status != "over"
            found.append((not is_open, -game.created, Claim(game.id, None, is_open)))
    return tuple(claim for _, _, claim in sorted(found, key=lambda item: item[:2]))


def games_named(letter: Letter) -> tuple[str, ...]:
    """Games that the thread's headers name (a mail of ours), then those that the subject names by `[id]`."""
    ids = [*letter.in_reply_to, *letter.references][:21]
    found: list[str] = []
    if ids:
        rows = {row.message_id: row.game for row in Outbox.select().where(Outbox.message_id.in_(ids)) if row.game}
        found += [rows[i] for i in ids if i in rows]
    found += _ID.findall(letter.subject.lower())
    return tuple(dict.fromkeys(found))


def sent_in_thread(letter: Letter, game: str | None, reader: str) -> list[bytes]:
    """Our mails that this letter may quote: those that its headers name, else the newest to this reader."""
    ids = [*letter.in_reply_to, *letter.references][:21]
    mine = Outbox.select(Outbox.content).where((Outbox.game == game) & (Outbox.reader == reader))
    named = list(mine.where(Outbox.message_id.in_(ids)).order_by(Outbox.id.desc()).limit(3)) if ids else []
    return [bytes(row.content) for row in named or mine.order_by(Outbox.id.desc()).limit(3)]


def written_before(game: str, seat: str, mail: int) -> list[str]:
    """Lines that this seat wrote in its last mails: a reply may quote them without marks."""
    rows = Mail.select(Mail.lines).where(
        (Mail.game == game) & (Mail.seat == seat) & Mail.lines.is_null(False) & (Mail.id != mail)
    )
    return [line for row in rows.order_by(Mail.id.desc()).limit(10) for line in row.lines]


def twin_of(mail: Mail) -> Mail | None:
    """The same mail (by its hash), that was read before: delivered or moved twice."""
    found: Mail | None = (
        Mail.select()
        .where((Mail.hash == mail.hash) & (Mail.id != mail.id) & (Mail.outcome != "new"))
        .order_by(Mail.id)
        .first()
    )
    return found
