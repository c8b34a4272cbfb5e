"""Seven weeks of Buy the Bullet with ten players, run by a moderator who does everything by mail (issue: must show 4).

Absences, a mistaken close and its undo, a replacement, two dead mailboxes, a silent player, a mail server that is away
over a deadline; at the end the replay agrees, and no mail is missing.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pbm.core.engine import Form
from pbm.service.replay import replay
from pbm.store.models import Action, Log, Mail, Outbox, Question, Seat, Turn
from tests.support.world import BASE, HOST, Received, World

DAY, HOUR = 86_400, 3600
NAMES = ("ann", "bob", "cid", "dan", "eve", "fay", "gil", "hal", "ivy", "joe")
GAME = """
game: buy_the_bullet
id: long-1
title: The long game
timing:
  bid: {length: 72h, close: deadline, at: "18:00", days: mon-fri, timezone: Europe/Berlin}
  default: {length: 48h, at: "18:00", timezone: Europe/Berlin}
reminders: [24h, 3h]
misses: {ask: 2, ignore: 3}
players:
""" + "".join(f"  - {{name: {name}, address: {name}@{HOST}}}\n" for name in NAMES)
PROVEN = {"Authentication-Results": f"mx.{HOST}; dmarc=pass header.from={HOST}"}


def words(mail: Received) -> str:
    return " ".join(mail.text.split())


@dataclass
class Long:
    """The game and its people. `away`: who doesn't write; `answered`: the mails that have been answered."""

    world: World
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    away: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)

    # -- players ---------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Everybody who is there, must act, and has a mail to answer, answers it with a line that the game allows."""
        table = self.world.table("long-1")
        must = table.open_phase.must if table.turn is not None and table.game.status != "over" else ()
        for seat in table.seats:
            if seat.name not in must or seat.name in self.away:
                continue
            box = [mail for mail in self.world.box(seat.address) if mail.kind in ("round", "reminder")]
            if box and box[-1].message_id not in self.answered:
                self.answered.add(box[-1].message_id)
                line = self.line(seat.name, table.forms(seat.name), leads=must.index(seat.name) == 0)
                self.world.send(seat.name, line, answers=box[-1], sender=seat.address)
        self.world.settle()

    def line(self, name: str, forms: Sequence[Form], *, leads: bool) -> str:
        """The first of the living bids a card, the others seldom do; whoever has the bullet shoots anybody."""
        form = forms[0]
        values = {slot.name: self.chance.choice(slot.values()) for slot in form.slots}
        if form.verb == "BID":
            values["card"] = form.slots[0].values()[0] if leads or self.chance.random() < 0.1 else "none"
        return form.line(values)

    def days(self, count: float) -> None:
        for _ in range(round(count * 3)):
            self.play()
            self.world.pass_time(8 * HOUR)

    # -- the moderator ---------------------------------------------------------------------------------------------

    def command(self, text: str) -> Received:
        """The moderator answers the newest mail that a reply can go to, and reads what comes back."""
        desk = [mail for mail in self.world.box("mod") if mail.reply_to != BASE]
        before = len(self.world.box("mod"))
        if desk:
            number = self.world.send("mod", text, answers=desk[-1])
        else:
            number = self.world.send("mod", text, to=BASE, subject="[long-1] a word", headers=PROVEN)
        self.world.pass_time(2)
        assert Mail.get_by_id(number).outcome in ("accepted", "refused"), Mail.get_by_id(number).reason
        answers = [m for m in self.world.box("mod")[before:] if m.kind in ("receipt", "question")]
        assert answers
        return answers[-1]

    def confirmed(self, text: str) -> Received:
        asked = self.command(text)
        assert asked.kind == "question", words(asked)
        self.world.send("mod", "Yes, do it.", answers=asked)
        self.world.pass_time(2)
        return self.world.last("mod", "receipt")

    def told(self, text: str) -> list[Received]:
        return [mail for mail in self.world.box("mod") if text in words(mail) or text in mail.subject]

    def turn(self) -> Turn:
        found: Turn = Turn.get_by_id(self.world.row("long-1").turn)
        return found


def bounce_of(mail: Received, address: str) -> bytes:
    """The report of a mail server that took the mail first (RFC 3464)."""
    original = mail.raw.partition(b"\r\n\r\n")[0].decode("ascii")
    return (
        f"From: Mail Delivery System <MAILER-DAEMON@{HOST}>\r\nTo: {BASE}\r\nSubject: Undelivered Mail\r\n"
        f"Message-ID: <bounce-{address}>\r\nDate: Mon, 07 Dec 2026 12:00:00 +0000\r\nAuto-Submitted: auto-replied\r\n"
        "MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"
        "--b\r\nContent-Type: text/plain\r\n\r\nYour message could not be delivered.\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.else.test\r\n\r\n"
        f"Final-Recipient: rfc822; {address}\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
        f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\n{original}\r\n--b--\r\n"
    ).encode("ascii")


def test_a_moderator_runs_ten_players_through_seven_weeks_by_mail(world: World) -> None:
    game = Long(world)
    world.game(GAME)

    # Week 1: a word to all, and more time than the file says.
    game.days(1)
    assert "goes to the list" in words(game.command("ANNOUNCE: Welcome, all of you.\nHave fun!\nEND"))
    assert "Have fun!" in words(world.last("joe", "notice"))
    before = game.turn().deadline
    game.command("EXTEND 24h")
    assert game.turn().deadline == before + DAY
    game.days(6)

    # Week 2: joe is on leave, which moves a deadline; the moderator closes by mistake, and takes it back.
    bidding(game)
    before = game.turn().deadline
    leave = over_the_deadline(game, 4)
    world.send("joe", f"AWAY {leave[0]} TO {leave[1]}")
    world.pass_time(5)
    assert game.turn().deadline > before
    assert "on leave" in world.last("archive").subject
    game.away |= set(NAMES)
    turn = game.turn()
    early = dict(world.table("long-1").standing())
    game.command("CLOSE")
    world.pass_time(10)
    assert Turn.get_by_id(turn.id).status == "closed"
    assert "is open again" in words(game.confirmed("UNDO"))
    again = game.turn()
    assert (again.label, world.row("long-1").status) == (turn.label, "paused")
    assert world.table("long-1").standing() == early
    assert "is open again" in world.last("archive").subject
    game.days(1)
    assert game.turn().id == again.id
    game.command("RESUME")
    game.away.clear()
    game.days(6)

    # Week 3: gil's mailbox is gone. The moderator hears of it at once and once, and finds somebody else.
    world.refuse = lambda address: "5.1.1 no such user" if address == f"gil@{HOST}" else None
    game.days(7)
    if not game.told("gil@play.test"):
        game.command("ANNOUNCE: Is everybody there?")
        world.pass_time(60)
    assert len([mail for mail in game.told("gil@play.test") if mail.kind == "trouble"]) == 1
    assert "is played from new-gil@else.test now" in words(game.confirmed("REPLACE gil WITH new-gil@else.test"))
    assert world.box("new-gil@else.test")
    assert f"gil@{HOST}" not in {Seat.get_by_id(s.id).address for s in world.table("long-1").seats}
    failures = {row.recipient for row in Outbox.select().where(Outbox.status == "failed")}
    assert failures == {f"gil@{HOST}"}
    assert {event for event, _ in world.reports} == {"mail_refused"}
    world.reports.clear()
    world.refuse = lambda address: None

    # Week 4: hal's mail comes back later. A hold, a look before it counts, an order by telephone, the approval.
    number = world.arrive(bounce_of(world.last("hal"), f"hal@{HOST}"))
    world.pass_time(5)
    assert Mail.get_by_id(number).outcome == "accepted"
    assert game.told("hal@play.test")
    game.confirmed("REPLACE hal WITH hal@elsewhere.test")
    game.days(1)
    bidding(game)
    game.command("HOLD")
    game.away |= set(NAMES)
    world.pass_time(max(0, game.turn().deadline - world.clock.now()) + 60)
    assert world.row("long-1").status == "held"
    held = game.turn()
    assert game.told("a close waits for you")
    assert "closed now" in words(game.command("PREVIEW"))
    waiting = world.table("long-1").waiting()
    if waiting:
        assert "Entered for" in words(game.command(f"ORDER {waiting[0]}: BID NONE"))
    assert "has closed" in words(game.command("APPROVE"))
    assert Turn.get_by_id(held.id).status == "closed"
    game.away.clear()
    game.days(3)

    # Week 5: everything stands still over a holiday.
    if world.row("long-1").status == "open":
        game.command("PAUSE")
        rest = game.turn().id
        game.days(7)
        assert game.turn().id == rest
        game.command("RESUME 48h")
    game.days(2)

    # Week 6: somebody falls silent; the moderator is asked, and removes them.
    silent = next(name for name in living(game) if name != "joe")
    game.away.add(silent)
    while not game.told(f"{silent} has missed 2 phases in a row"):
        game.days(1)
    assert f"{silent} is out" in words(game.confirmed(f"REMOVE {silent}"))

    # Week 7: the mail server is away over a deadline; what is out of date by then is not sent late.
    bidding(game)
    game.away |= set(NAMES)
    turn = game.turn()
    world.pass_time(turn.deadline - world.clock.now() - 25 * HOUR)
    world.away = True
    world.pass_time(26 * HOUR)
    assert Turn.get_by_id(turn.id).status == "closed"
    world.away = False
    game.away.clear()
    world.pass_time(3 * HOUR)
    off = list(Outbox.select().where(Outbox.status == "cancelled"))
    assert {(row.kind, row.error) for row in off} == {("reminder", "its phase has closed")}

    # To the end.
    for _ in range(120):
        if world.row("long-1").status == "over":
            break
        game.days(1)
    row = world.row("long-1")
    assert row.status == "over"
    assert len(row.winners) == 1
    assert row.started is not None
    assert world.clock.now() - row.started >= 49 * DAY
    nothing_is_missing(world)


def living(game: Long) -> list[str]:
    players = game.world.table("long-1").view(None)["players"]
    return [name for name, player in players.items() if player["status"] == "alive"]


def bidding(game: Long) -> None:
    """Let time pass until cards are bid, with at least a day to go."""
    for _ in range(60):
        turn = game.turn()
        if turn.phase == "bid" and turn.deadline - game.world.clock.now() > 30 * HOUR:
            return
        game.days(1 / 3)
    raise AssertionError("no bidding for 15 days")


def over_the_deadline(game: Long, length: int) -> tuple[str, str]:
    """The first and the last day of an absence over the open deadline."""
    first = datetime.fromtimestamp(game.turn().deadline, UTC).date()
    return first.isoformat(), (first + timedelta(days=length - 1)).isoformat()


def nothing_is_missing(world: World) -> None:
    """Every mail that was queued has reached its reader once, or was called off for a reason, or failed and was told;
    every mail that came has been read; the replay agrees; the log holds each command."""
    world.pass_time(DAY)
    rows = list(Outbox.select())
    assert {row.status for row in rows} <= {"sent", "cancelled", "failed"}
    delivered = Counter(mail.message_id for box in world.boxes.values() for mail in box)
    for row in rows:
        if row.status == "sent":
            assert delivered[row.message_id] == 1, row.message_id
        else:
            assert delivered[row.message_id] == 0
            assert row.error, f"{row.kind} to {row.reader} is {row.status} for no reason"
    told = " ".join(" ".join(mail.text.split()) for mail in world.box("mod"))
    for row in rows:
        if row.status == "failed":
            assert f"{row.reader}: {row.error}" in told or f"{row.reader} ({row.recipient}) was refused" in told
    assert set(delivered) == {row.message_id for row in rows if row.status == "sent"}
    assert not list(Mail.select().where(Mail.outcome.in_(("new", "shunted"))))
    played = replay(world.table("long-1"))
    assert len(played) == Action.select().where(Action.withdrawn == False).count()  # noqa: E712
    assert all(step.faults == () for step in played)
    logged = Counter(row.what for row in Log.select())
    for what in ("announce", "extend", "close", "undo", "resume", "replace", "hold", "approve", "pause", "preview"):
        assert logged[what], what
    assert Question.select().where(Question.answered.is_null()).count() == 0
