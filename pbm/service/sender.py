"""What the database knows of a letter: whose token, whose address, which thread. Looked up for `trust.judge`."""

import re

from pbm.addresses import address_key
from pbm.mail.authres import proven
from pbm.mail.letter import Letter, find_token
from pbm.mail.quotable import bodies_of
from pbm.mail.trust import Case, Claim, Holder
from pbm.service.house import House
from pbm.store.models import Game, Mail, Outbox, Seat, Token, Turn
from pbm.store.statements import Statement

DAY = 86_400
MODERATOR_TOKEN = 72 * 3600
_TOKEN: Statement[Token] = Statement(lambda token: Token.select().where(Token.token == token))
_SEAT: Statement[Seat] = Statement(lambda game, n: Seat.select().where((Seat.game == game) & (Seat.n == n)))
# The answers that an address got since an instant.
_SENT_TO: Statement[Outbox] = Statement(
    lambda address, since: Outbox.select(Outbox.kind).where(
        (Outbox.recipient == address)
        & (Outbox.queued > since)
        & Outbox.kind.in_(("receipt", "answer", "question", "stranger"))
    )
)
_TWIN: Statement[Mail] = Statement(
    lambda content_hash, number: (
        Mail.select(Mail.id, Mail.arrived, Mail.outcome, Mail.game, Mail.seat)
        .where((Mail.hash == content_hash) & (Mail.id != number) & (Mail.outcome != "new"))
        .order_by(Mail.id)
    )
)
_NEWEST: Statement[Outbox] = Statement(
    lambda game, reader: (
        Outbox.select(Outbox.content)
        .where((Outbox.game == game) & (Outbox.reader == reader))
        .order_by(Outbox.id.desc())
        .limit(3)
    )
)
_NAMED: Statement[Outbox] = Statement(
    lambda message_id: Outbox.select(Outbox.id, Outbox.game, Outbox.reader, Outbox.kind, Outbox.content).where(
        Outbox.message_id == message_id
    )
)
_WRITTEN: Statement[Mail] = Statement(
    lambda game, seat, number: (
        Mail.select(Mail.lines)
        .where((Mail.game == game) & (Mail.seat == seat) & Mail.lines.is_null(False) & (Mail.id != number))
        .order_by(Mail.id.desc())
        .limit(10)
    )
)
_ID = re.compile(r"\[([a-z0-9][a-z0-9-]{0,39})\]")


def case_of(house: House, letter: Letter, arrived: int) -> Case:
    """The letter with all that the database holds about its sender."""
    token = find_token(letter, house.own)
    holder = holder_of(token, arrived) if token else None
    sender = letter.sender or ""
    kinds = [kind for (kind,) in _SENT_TO.tuples(sender, arrived - DAY)]
    return Case(
        letter=letter,
        own=house.address,
        token=token,
        holder=holder,
        proven=proven(letter, house.authserv_id, house.own_hosts),
        # A token that somebody holds decides alone: the rest costs more to look up than all else.
        claims=claims_of(sender) if holder is None else (),
        named=games_named(letter) if holder is None else (),
        answered=len(kinds) - kinds.count("stranger"),
        stranger_answered=kinds.count("stranger"),
    )


def holder_of(token: str, at: int) -> Holder | None:
    row = _TOKEN.first(token)
    if row is None:
        return None
    if row.game_id is None:
        return Holder("", None, row.address or "", None, live=True, question=_question(row.purpose))
    game = Game.get_by_id(row.game_id)
    if row.seat is None:
        return Holder(
            game.id,
            None,
            row.address or "",
            row.turn,
            live=_moderator_lives(game, row, at),
            question=_question(row.purpose),
        )
    seat = _SEAT.first(game.id, row.seat)
    if seat is None:
        return None
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
    found = [row.game for message_id in ids for row in _NAMED.all(message_id) if row.game]
    found += _ID.findall(letter.subject.lower())
    return tuple(dict.fromkeys(found))


def sent_in_thread(letter: Letter, game: str, reader: str) -> list[str]:
    """The bodies of our mails that this letter may quote: of those that its headers name, else of the newest to this
    reader."""
    ids = [*letter.in_reply_to, *letter.references][:21]
    found = [row for message_id in dict.fromkeys(ids) for row in _NAMED.all(message_id)]
    named = sorted((row for row in found if (row.game, row.reader) == (game, reader)), key=lambda row: -row.id)
    return [body for row in named[:3] or _NEWEST.all(game, reader) for body in bodies_of(bytes(row.content))]


def written_before(game: str, seat: str, mail: int) -> list[str]:
    """Lines that this seat wrote in its last mails: a reply may quote them without marks."""
    return [line for row in _WRITTEN.all(game, seat, mail) for line in row.lines]


def answers_receipt(letter: Letter) -> bool:
    """Whether the mail answers a receipt of ours, behind which its writer's own mail lies."""
    return any(row.kind == "receipt" for message_id in letter.in_reply_to[:5] for row in _NAMED.all(message_id))


def twin_of(mail: Mail) -> Mail | None:
    """The same mail (by its hash), delivered or moved twice, that makes reading this one needless: it arrived earlier,
    or has had its effect. One that was refused as late leaves the word to a copy that came in time."""
    twins = _TWIN.all(mail.hash, mail.id)
    return next((t for t in twins if t.arrived <= mail.arrived or t.outcome == "accepted"), None)
