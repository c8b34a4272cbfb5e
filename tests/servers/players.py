"""People on a mail host who do nothing but answer mails: read over IMAP, written over plain SMTP."""

import contextlib
import email
import email.policy
import imaplib
import itertools
import smtplib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from tests.servers.mailhost import MailHost


@dataclass(frozen=True)
class Received:
    """One mail as its reader sees it. `at`: INTERNALDATE, seconds UTC; `game`: of its subject; `kind`: X-PBM."""

    raw: bytes
    at: int
    subject: str
    text: str
    html: str
    reply_to: str
    message_id: str
    references: tuple[str, ...]
    answers: str
    game: str
    kind: str

    @classmethod
    def of(cls, raw: bytes, at: int) -> "Received":
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        text, html = (
            str(part.get_content()) if (part := mail.get_body((kind,))) is not None else ""
            for kind in ("plain", "html")
        )
        subject = str(mail["Subject"] or "")
        return cls(
            raw=raw,
            at=at,
            subject=subject,
            text=text,
            html=html,
            reply_to=str(mail["Reply-To"] or ""),
            message_id=str(mail["Message-ID"] or ""),
            references=tuple(str(mail["References"] or "").split()),
            answers=str(mail["In-Reply-To"] or ""),
            game=subject[1:].partition("]")[0] if subject.startswith("[") else "",
            kind=str(mail["X-PBM"] or ""),
        )

    @property
    def body(self) -> bytes:
        """The mail from its first header that we wrote on: what the servers put above it is left out."""
        return self.raw[self.raw.index(b"\r\nFrom: ") :]


class Mailbox:
    """An account's inbox over IMAP: what is new since the last look, oldest first."""

    def __init__(self, host: MailHost, address: str) -> None:
        self.host, self.address = host, address
        self.mails: list[Received] = []
        self._seen = 0
        self._client: imaplib.IMAP4 | None = None

    def look(self) -> list[Received]:
        """New mails, added to `mails`. None while the server is away."""
        try:
            return self._look()
        except (OSError, imaplib.IMAP4.error):
            self.close()
            return []

    def empty(self) -> None:
        """Remove what is there."""
        client = self._opened()
        client.noop()
        if numbers := (client.uid("search", "ALL")[1][0] or b"").split():
            client.uid("store", b",".join(numbers).decode(), "+FLAGS.SILENT", r"(\Deleted)")
            client.expunge()

    def close(self) -> None:
        if self._client is not None:
            with contextlib.suppress(OSError, imaplib.IMAP4.error):
                self._client.logout()
        self._client = None

    def _opened(self) -> imaplib.IMAP4:
        if self._client is None:
            self._client = imaplib.IMAP4(self.host.host, self.host.imap_port, timeout=10)
            self._client.login(self.address, self.host.password)
            self._client.select("INBOX")
        return self._client

    def _look(self) -> list[Received]:
        client = self._opened()
        client.noop()
        numbers = client.uid("search", f"UID {self._seen + 1}:*")[1][0] or b""
        found: list[Received] = []
        for uid in sorted(int(number) for number in numbers.split() if int(number) > self._seen):
            parts = client.uid("fetch", str(uid), "(INTERNALDATE BODY.PEEK[])")[1]
            head, raw = next(part for part in parts if isinstance(part, tuple))
            stamp = imaplib.Internaldate2tuple(head)
            assert stamp is not None
            found.append(Received.of(bytes(raw), int(time.mktime(stamp))))
            self._seen = uid
        self.mails += found
        return found


_numbers = itertools.count(1)


def answer(host: MailHost, sender: str, parent: Received, lines: str) -> None:
    """A reply by plain SMTP as a mail program writes it, the whole mail quoted below."""
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["From"] = sender
    mail["To"] = parent.reply_to
    mail["Subject"] = f"Re: {parent.subject}"
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(f"n{next(_numbers)}", sender.rpartition("@")[2])
    mail["In-Reply-To"] = parent.message_id
    mail["References"] = " ".join([*parent.references, parent.message_id])
    quoted = "\n".join(f"> {line}".rstrip() for line in parent.text.splitlines())
    mail.set_content(f"{lines}\n\nOn Monday, Play by Mail <pbm@{host.domain}> wrote:\n{quoted}\n")
    deliver(host, sender, parent.reply_to, mail.as_bytes())


def deliver(host: MailHost, sender: str, recipient: str, raw: bytes) -> None:
    with smtplib.SMTP(host.host, host.smtp_port, timeout=20) as client:
        client.sendmail(sender, [recipient], raw)


Mind = Callable[[Received], str | None]
"""A round mail → the lines to send, or None for no answer."""


@dataclass
class Company:
    """Everybody of a game at once, in a thread of their own: each round mail is answered as its reader's mind says.

    `minds`: by address. `boxes`: of everybody, those who only read too. `sent`: (address, subject answered, lines).
    """

    host: MailHost
    minds: Mapping[str, Mind]
    readers: Sequence[str] = ()
    games: Sequence[str] = ()
    boxes: dict[str, Mailbox] = field(init=False)
    sent: list[tuple[str, str, str]] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.boxes = {address: Mailbox(self.host, address) for address in dict.fromkeys([*self.minds, *self.readers])}
        self._stop = threading.Event()
        self._answered: set[tuple[str, str]] = set()
        self._thread = threading.Thread(target=self._live, name="players")

    def __enter__(self) -> "Company":
        for box in self.boxes.values():
            box.empty()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for box in self.boxes.values():
            box.look()
            box.close()

    def box(self, address: str, game: str | None = None, kind: str | None = None) -> list[Received]:
        """What somebody has received, the same mail once, oldest first."""
        wanted = [
            mail
            for mail in list(self.boxes[address].mails)
            if (game is None or mail.game == game) and (kind is None or mail.kind == kind)
        ]
        return list({mail.message_id: mail for mail in wanted}.values())

    def _live(self) -> None:
        try:
            while not self._stop.is_set():
                for address, box in self.boxes.items():
                    for mail in box.look():
                        self._read(address, mail)
                self._stop.wait(0.15)
        except BaseException as fault:
            self.faults.append(fault)
            raise

    def _read(self, address: str, mail: Received) -> None:
        mind = self.minds.get(address)
        if mind is None or mail.kind != "round" or (self.games and mail.game not in self.games):
            return
        # A mail that comes twice (at least once, recognisably) is answered once, as a person would.
        if (address, mail.message_id) in self._answered:
            return
        self._answered.add((address, mail.message_id))
        lines = mind(mail)
        if lines is not None:
            answer(self.host, address, mail, lines)
            self.sent.append((address, mail.subject, lines))
