"""What is seen of a demo: who writes what, how each phase closes, and the public story. Plain lines in a pipe."""

import html
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pbm.core import registry
from pbm.demo import cast
from pbm.demo.files import ARCHIVE, CONFIG, Checked
from pbm.demo.players import Plan
from pbm.demo.server import EmbeddedServer
from pbm.demo.sheet import FINAL, STANDING, Row, Rows, Section, Sheet

_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
_TAG = re.compile(r"<(style|head)\b.*?</\1>|<[^>]+>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<(br|/p|/div|/tr|/h\d|/li)\b[^>]*>", re.IGNORECASE)
_SMALL = ("The key of all chance", "All chance in this game", "This is the public record", "The winner", "Orders never")
_INDENT = " " * 16


class Show:
    """`watch`: every mail is shown as it passes."""

    def __init__(self, *, watch: bool = False, console: Console | None = None) -> None:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")
        self._console = console or Console(highlight=False, soft_wrap=not sys.stdout.isatty())
        self._watch = watch
        self._colours: dict[str, str] = {}
        self._deadline: int | None = None

    # -- the course of a game --------------------------------------------------------------------------------------

    def opens(self, key: str, names: Sequence[str], server: EmbeddedServer, guest: tuple[str, str] | None) -> None:
        facts = registry.get(key).facts
        self._colours = {name: _COLOURS[n % len(_COLOURS)] for n, name in enumerate(names)}
        self._deadline = None
        self._rule(facts.title, "bold")
        self._say(Text(facts.tagline))
        players = Text(", ").join(self._name(name) for name in names)
        self._say(Text("Players: ").append_text(players))
        self._say(
            Text(
                f"They know only what is in their mail: each reads a mailbox over IMAP (port {server.imap_port} of "
                f"{server.host}) and answers over SMTP (port {server.smtp_port}). Time is a clock that jumps.",
                style="dim",
            )
        )
        if guest is not None:
            self._invite(names[0], server, guest)
        self._console.print()

    def _invite(self, name: str, server: EmbeddedServer, guest: tuple[str, str]) -> None:
        user, password = guest
        self._console.print()
        self._say(Text(f"You play {name}. Set up an account in your mail program:", style="bold"))
        for what, value in (
            ("address, user", user),
            ("password", password),
            ("IMAP", f"{server.host}, port {server.imap_port}, no encryption, plain password"),
            ("SMTP", f"{server.host}, port {server.smtp_port}, no encryption, plain password"),
        ):
            self._say(Text(f"  {what:<15}", style="dim").append(value, style="bold"))
        self._say(
            Text(
                "While the game waits for you, the clock runs as in your room: no deadline comes before its time. "
                "When it doesn't, the clock jumps. Ctrl-C ends the demo."
            )
        )

    def writes(self, name: str, plan: Plan, at: int) -> None:
        """A player sends a mail."""
        orders = plan.orders
        words = [said for said in plan.lines[len(orders) :] if said not in ("", "END")]
        line = self._stamp(at).append_text(self._name(name)).append("  ").append(" / ".join(orders), style="bold")
        for said in words:
            to, _, text = said.partition(": ") if said.startswith(("TELL ", "SAY: ")) else ("", "", said)
            told = {"": "", "SAY": "to all: "}.get(to, f"to {to.removeprefix('TELL ')} alone: ")
            line.append("  " if orders else "").append(told, style="dim").append(f"“{text}”", style="italic")
        if plan.why:
            line.append(f"  ({plan.why})", style="dim")
        self._say(line)

    def arrives(self, name: str, at: int) -> None:
        """A mail of the person who has joined."""
        self._say(self._stamp(at).append_text(self._name(name)).append("  has written", style="bold"))

    def waits(self, name: str, at: int) -> None:
        """The game waits for the person."""
        self._say(self._stamp(at).append("the game waits for ", style="bold").append_text(self._name(name)))

    def passes(self, recipient: str, name: str | None, raw: bytes, at: int) -> None:
        """A mail has been delivered. `name`: of the player who gets it."""
        head = raw[: raw.find(b"\r\n\r\n")]
        told = recipient in (cast.ARCHIVE, cast.MODERATOR) or any(
            b"\r\nX-PBM: " + kind in head for kind in (b"receipt", b"reminder", b"question")
        )
        if not told and not self._watch:
            return
        sheet = Sheet.read(raw)
        if self._watch:
            self._mail(recipient, sheet, at)
        if recipient == cast.ARCHIVE:
            self._public(sheet, at)
        elif recipient == cast.MODERATOR and "Needs you" in sheet.subject:
            self._say(self._stamp(at).append(f"to the moderator: {sheet.subject}", style="dim"))
        elif name is not None:
            self._private(name, sheet, at)

    # -- what is public --------------------------------------------------------------------------------------------

    def _public(self, sheet: Sheet, at: int) -> None:
        if sheet.kind != "digest":
            if not sheet.kind.startswith("press"):  # what is said to all was shown when it was written
                for told in sheet.sections[0].paragraphs if sheet.sections else ():
                    if not told.startswith(_SMALL):
                        self._say(self._stamp(at).append("to all: ", style="dim").append(told))
            return
        what = sheet.title.partition(": ")[2] or sheet.title
        if self._deadline is not None:
            what += " – time is up" if at > self._deadline else " – all have answered"
        self._rule(f"{_when(at)}  {what[:1].upper()}{what[1:]}", "bold")
        for block in _story(sheet):
            if isinstance(block, str):
                self._say(Text(f"  {block}", style="bold green" if block.startswith("The game is over") else ""))
            else:
                self._table(block)
        self._table(sheet.standing, quiet=True)
        self._deadline = _deadline(sheet.section("What comes next"))

    def _table(self, rows: Sequence[Row], *, quiet: bool = False) -> None:
        """Columns; the players in their colours."""
        lines = [list(rows[0]), *(list(row.values()) for row in rows)] if rows else []
        widths = [max(cell_len(line[n]) for line in lines) for n in range(len(lines[0]))] if lines else []
        for number, line in enumerate(lines):
            drawn = Text("  ")
            for n, (cell, width) in enumerate(zip(line, widths, strict=True)):
                style = self._colours.get(cell, "dim" if quiet or not number else "")
                drawn.append(cell, style=style).append(" " * (width - cell_len(cell) + 2) if n < len(line) - 1 else "")
            drawn.rstrip()
            self._say(drawn)

    def _private(self, name: str, sheet: Sheet, at: int) -> None:
        if sheet.kind == "reminder":
            self._say(self._stamp(at).append("a reminder goes to ", style="dim").append_text(self._name(name)))
        elif sheet.kind == "question":
            asked = self._stamp(at).append_text(self._name(name)).append(" is asked: ", style="dim")
            self._say(asked.append(re.sub(r"^\[[^]]*\] ", "", sheet.subject), style="dim"))
        elif sheet.kind == "receipt":
            for paragraph in sheet.sections[0].paragraphs if sheet.sections else ():
                if "not taken:" in paragraph or "” was read as " in paragraph or "Too late" in paragraph:
                    self._say(Text(f"{_INDENT}↳ {paragraph}", style="dim"))

    # -- the end ---------------------------------------------------------------------------------------------------

    def ends(self, winners: Sequence[str], title: str, checked: Checked, facts: Sequence[str]) -> None:
        self._console.print()
        won = Text(" and ").join(self._name(name) for name in winners) if winners else Text("Nobody")
        self._say(won.append(f" {'win' if len(winners) > 1 else 'wins'} {title}.", style="bold"))
        for fact in facts:
            self._say(Text(fact, style="dim"))
        if checked.faults:
            for fault in checked.faults:
                self._say(Text(f"Something is wrong: {fault}", style="bold red"))
        else:
            self._say(
                Text(
                    f"Checked: {checked.actions} stored steps played again give the same game, and the archive is one "
                    f"thread of {checked.posts} mails.",
                    style="dim",
                )
            )

    def left(self, top: Path, games: Sequence[str]) -> None:
        """Where everything lies. `games`: folders below `top`, `.` for itself."""
        if not games:
            return
        self._console.print()
        for game in games:
            self._say(Text("The public record: ").append(str(top / game / ARCHIVE), style="bold"))
        where = "it" if len(games) == 1 else "each"
        self._say(
            Text(
                f"Beside {where} lie all mailboxes (NAME.mbox, moderator.mbox: for mutt -f, Thunderbird, less) and the "
                f"database: pbm --config {top / games[0] / CONFIG} game list",
                style="dim",
            )
        )

    def trouble(self, text: str) -> None:
        """Why the demo can't go on: for stderr."""
        Console(stderr=True, highlight=False, soft_wrap=True).print(Text(text, style="bold red"))

    def note(self, text: str) -> None:
        self._say(Text(text))

    # -- looks -----------------------------------------------------------------------------------------------------

    def _mail(self, recipient: str, sheet: Sheet, at: int) -> None:
        body = sheet.plain or html.unescape(_TAG.sub("", _BREAK.sub("\n", sheet.html)))
        self._console.print()
        for line in (f"From: {sheet.sender}", f"To: {recipient}", f"Subject: {sheet.subject}", f"Date: {_when(at)}"):
            self._say(Text(f"  │ {line}", style="dim bold"))
        for line in ("", *body.strip().splitlines(), ""):
            self._say(Text(f"  │ {line.rstrip()}", style="dim"))

    def _rule(self, title: str, style: str) -> None:
        if self._console.is_terminal:
            self._console.rule(Text(title, style=style), style="dim", align="left")
        else:
            self._say(Text(f"-- {title}"))

    def _stamp(self, at: int) -> Text:
        return Text().append(f"{_when(at)}  ", style="dim")

    def _name(self, name: str) -> Text:
        return Text(name, style=self._colours.get(name, ""))

    def _say(self, text: Text) -> None:
        self._console.print(text)


def _when(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%a %d %b %H:%M}"


def _story(sheet: Sheet) -> list[str | Rows]:
    """What happened, without the standing, the record, the terms and the small print."""
    aside = (STANDING, FINAL, "What comes next", "Who plays", "How this game is set up")
    blocks = [block for section in sheet.sections if section.title not in aside for block in section.blocks]
    return [b for b in blocks if not (b.startswith(_SMALL) if isinstance(b, str) else "What" in b[0])]


def _deadline(section: Section | None) -> int | None:
    """Seconds UTC of the deadline that a digest names."""
    found = re.search(r"(\d+) (\w+) (\d{4}), (\d\d:\d\d(?::\d\d)?) \(UTC\)", section.text) if section else None
    if found is None:
        return None
    clock = found[4] if found[4].count(":") == 2 else f"{found[4]}:00"
    when = datetime.strptime(f"{found[1]} {found[2]} {found[3]} {clock}", "%d %B %Y %H:%M:%S")  # noqa: DTZ007
    return int(when.replace(tzinfo=UTC).timestamp())
