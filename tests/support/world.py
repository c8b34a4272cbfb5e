"""A whole service in memory: a virtual clock, a post office, people who answer mails. Weeks of games in seconds.

The same functions run here as in the real service; only IMAP, SMTP and the system's clock are left out.
"""

import email
import email.policy
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pbm.clock import VirtualClock
from pbm.config import Config
from pbm.core import registry
from pbm.core.words import reserved
from pbm.gamefile import load_game_file
from pbm.mail.address import Keys
from pbm.mail.imap import Arrival
from pbm.mail.pages import Pages
from pbm.mail.smtp import Later, Outcome, Refused, Sent
from pbm.mail.templates import Templates
from pbm.service import inbox, intake, opening, outbox, rounds, timer
from pbm.service import mails as queue
from pbm.service.house import House
from pbm.service.table import Table
from pbm.service.timer import Fence
from pbm.store import db
from pbm.store.models import Game, Mail, Outbox, database

START = 1_796_000_000  # Monday 30 November 2026, 00:53:20 UTC
HOST = "play.test"
BASE = f"pbm@{HOST}"


@dataclass
class Received:
    """One mail as its reader sees it."""

    to: str
    subject: str
    text: str
    html: str
    reply_to: str
    message_id: str
    at: int
    raw: bytes
    references: str = ""
    kind: str = ""

    @property
    def offers(self) -> list[str]:
        """What its one-tap links would send."""
        return [unquote(body) for body in re.findall(r'href="mailto:[^"]*;body=([^"]*)"', self.html)]

    @classmethod
    def of(cls, to: str, raw: bytes, at: int) -> "Received":
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        text = mail.get_body(("plain",))
        html = mail.get_body(("html",))
        assert text is not None
        assert html is not None
        return cls(
            to=to,
            subject=str(mail["Subject"]),
            text=text.get_content(),
            html=html.get_content(),
            reply_to=str(mail["Reply-To"]),
            message_id=str(mail["Message-ID"]),
            at=at,
            raw=raw,
            references=str(mail.get("References", "")),
            kind=str(mail["X-PBM"]),
        )


@dataclass
class World:
    """`boxes`: what each address has received, oldest first. `refuse`: what the mail server says to an address for
    good, None where it takes it; `away`: whether the mail server answers nothing but "later"."""

    folder: Path
    clock: VirtualClock = field(default_factory=lambda: VirtualClock(START))
    boxes: dict[str, list[Received]] = field(default_factory=dict)
    uid: int = 0
    written: dict[str, int] = field(default_factory=dict)
    reports: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    refuse: Callable[[str], str | None] = field(default=lambda address: None)
    away: bool = False
    house: House = field(init=False)
    config: Config = field(init=False)

    def __post_init__(self) -> None:
        self.config = Config.model_validate(
            {
                "mail": {"address": BASE, "imap": {"password": "x"}, "authserv_id": f"mx.{HOST}"},
                "archive": f"archive@{HOST}",
                "moderator": [f"mod@{HOST}"],
                "database": f"sqlite:///{self.folder}/pbm.db",
            },
            context={"base": self.folder},
        )
        db.connect(self.config.database)
        db.init()
        self.house = House(
            address=BASE,
            name="Play by Mail",
            pattern=f"pbm+{{token}}@{HOST}",
            keys=Keys(bytes(range(32))),
            pages=Pages(Templates()),
            entropy=lambda: bytes(range(32)),
            moderators=self.config.moderator,
            archive=self.config.archive,
            authserv_id=f"mx.{HOST}",
            own_hosts=(f"mx.{HOST}",),
            report=lambda event, **facts: self.reports.append((event, facts)),
        )

    def close(self) -> None:
        database.close()

    # -- games -------------------------------------------------------------------------------------------------

    def game(self, file: str, *, start: bool = True) -> Table:
        """Open a game from the text of a game file, and start it."""
        parsed = load_game_file(
            file, reserved=reserved(()), facts=lambda key: registry.get(key).facts, config=self.config
        )
        with db.transaction():
            row = opening.open_game(parsed, self.config, self.clock.now())
            if start:
                rounds.start(self.house, row, self.clock.now())
            else:
                queue.invited(self.house, row, self.clock.now())
        self.deliver()
        return Table.of(parsed.id)

    def table(self, game: str) -> Table:
        return Table.of(game)

    def row(self, game: str) -> Game:
        found: Game = Game.get_by_id(game)
        return found

    # -- mail --------------------------------------------------------------------------------------------------

    def box(self, name: str) -> list[Received]:
        return self.boxes.get(name if "@" in name else f"{name}@{HOST}", [])

    def last(self, name: str, kind: str | None = None) -> Received:
        return [m for m in self.box(name) if kind is None or m.kind == kind][-1]

    def send(
        self,
        name: str,
        text: str,
        *,
        to: str | None = None,
        answers: Received | None = None,
        quote: bool = True,
        at: int | None = None,
        sender: str | None = None,
        headers: dict[str, str] | None = None,
        subject: str | None = None,
    ) -> int:
        """A person writes: by default a reply to the newest mail that has a key, quoted as a mail program would.
        Gives the number of the stored mail."""
        parent = answers
        if to is None and parent is None:
            parent = next(m for m in reversed(self.box(name)) if m.reply_to != BASE)
        mail = EmailMessage(policy=email.policy.SMTP)
        mail["From"] = f"{name.title()} <{sender or name + '@' + HOST}>"
        mail["To"] = to or (parent.reply_to if parent else BASE)
        mail["Subject"] = subject if subject is not None else (f"Re: {parent.subject}" if parent else "hello")
        self.written[name] = self.written.get(name, 0) + 1
        mail["Message-ID"] = f"<m{self.written[name]}@{name}.example>"
        mail["Date"] = "Mon, 30 Nov 2026 12:00:00 +0000"
        if parent is not None:
            mail["In-Reply-To"] = parent.message_id
            mail["References"] = f"{parent.references} {parent.message_id}".strip()
        for key, value in (headers or {}).items():
            mail[key] = value
        body = text + "\n"
        if parent is not None and quote:
            quoted = "\n".join(f"> {line}".rstrip() for line in parent.text.splitlines())
            body += f"\nOn Mon, 30 Nov 2026 at 10:00, Play by Mail <{BASE}> wrote:\n{quoted}\n"
        mail.set_content(body)
        return self.arrive(mail.as_bytes(), at=at)

    def arrive(self, raw: bytes, *, at: int | None = None, uid: int | None = None) -> int:
        """A mail reaches the mailbox, and is fetched and committed."""
        self.uid += 1
        when = at if at is not None else self.clock.now()
        arrival = Arrival("INBOX", 1, uid if uid is not None else self.uid, when, len(raw), raw)
        with db.transaction():
            inbox.store([arrival])
        return int(Mail.select().order_by(Mail.id.desc()).get().id)

    def deliver(self) -> int:
        """Everything queued and due goes out."""
        sent = 0
        now = self.clock.now()
        while rows := list(
            Outbox.select().where((Outbox.status == "queued") & (Outbox.due <= now)).order_by(Outbox.id)
        ):
            for row in rows:
                fault = self.refuse(row.recipient)
                outcome: Outcome = Refused(550, fault) if fault else Sent("ok")
                if self.away:
                    outcome = Later(421, "come back later")
                if isinstance(outcome, Sent):
                    self.boxes.setdefault(row.recipient, []).append(Received.of(row.recipient, bytes(row.content), now))
                with db.transaction():
                    outbox.settle(self.house, [(row.id, outcome)], now)
                sent += 1
        return sent

    # -- time --------------------------------------------------------------------------------------------------

    def settle(self) -> list[str]:
        """Read what has come, do what is due now, send; the mailbox is checked at this very second."""
        done: list[str] = []
        now = self.clock.now()
        for _ in range(20):
            read = intake.read_all(self.house, now)
            words = timer.tick(self.house, now, Fence(now))
            done += words
            self.deliver()
            if not read and not words:
                break
        return done

    def pass_time(self, seconds: int) -> list[str]:
        """Let time pass, second by second where something is due, with the mailbox checked all the while."""
        done = self.settle()
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            wake = timer.next_wake()
            due = outbox.next_due()
            steps = [s for s in (wake, due) if s is not None and s > self.clock.now()]
            target = min([end, *steps])
            if wake is not None and wake <= self.clock.now():
                target = min(end, self.clock.now() + 1)
            self.clock.move_to(target)
            done += self.settle()
        return done
