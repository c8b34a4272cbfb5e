"""A mail as its reader takes it in: headings, paragraphs, tables, and the orders it offers. Text part only.

Demo players know the game from here alone; nothing of the engine or of the database is within their reach.
"""

import email
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.header import decode_header, make_header
from email.utils import parseaddr

Row = dict[str, str]
"""A table's line: column heading → cell."""
Rows = tuple[Row, ...]

_RULER = re.compile(r"-+|=+")
_HEADING = re.compile(r"== (.+) ==")
_RULERS = re.compile(r"-+(  -+)*")
_OFFER = re.compile(r"\(([A-Z]{2,}(?: [^()]*)?)\)")
_RECORD = re.compile(r"\* (.+?) – (.+)")
_NO_ORDER = frozenset(("UTC", "WAIT", "HELP", "STATUS", "RULES", "CLEAR"))
NOW = "What you can send now"
STANDING, FINAL = "How things stand", "The final standing"


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below one heading: paragraphs, each on one line, and tables, in their order."""

    title: str
    blocks: tuple[str | Rows, ...]

    @property
    def paragraphs(self) -> tuple[str, ...]:
        return tuple(block for block in self.blocks if isinstance(block, str))

    @property
    def tables(self) -> tuple[Rows, ...]:
        return tuple(block for block in self.blocks if not isinstance(block, str))

    @property
    def text(self) -> str:
        return "\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class Sheet:
    """`kind`: X-PBM (round, receipt, reminder, press …). `reply_to`: where an answer goes. `sections`: the first is
    the mail's title. `plain`, `html`: both parts as they are, for quoting."""

    kind: str
    subject: str
    sender: str
    reply_to: str
    message_id: str
    references: str
    date: str
    plain: str
    html: str
    sections: tuple[Section, ...]

    @classmethod
    def read(cls, raw: bytes) -> "Sheet":
        """A mail of the service, or of a player. A mail without a text part is one with an empty text."""
        mail = email.message_from_bytes(raw)
        bodies = {"text/plain": "", "text/html": ""}
        for part in mail.walk():
            if bodies.get(part.get_content_type()) == "":
                payload = part.get_payload(decode=True)
                assert isinstance(payload, bytes)
                text = payload.decode(part.get_content_charset("us-ascii"), "replace")
                bodies[part.get_content_type()] = text.replace("\r\n", "\n")
        sender = parseaddr(str(mail["From"]))[1]
        return cls(
            kind=str(mail.get("X-PBM", "")),
            subject=str(make_header(decode_header(" ".join(str(mail.get("Subject", "")).split())))),
            sender=sender,
            reply_to=parseaddr(str(mail.get("Reply-To", "")))[1] or sender,
            message_id=str(mail.get("Message-ID", "")).strip(),
            references=" ".join(str(mail.get("References", "")).split()),
            date=str(mail.get("Date", "")),
            plain=bodies["text/plain"],
            html=bodies["text/html"],
            sections=tuple(_sections(bodies["text/plain"])),
        )

    @property
    def title(self) -> str:
        return self.sections[0].title if self.sections else ""

    @property
    def text(self) -> str:
        return "\n".join(section.text for section in self.sections)

    @property
    def must(self) -> bool:
        """Whether the game waits for this reader."""
        return "Send your order by:" in self.plain

    @property
    def phase(self) -> str:
        """The name of the phase that a round mail or reminder asks about."""
        return re.sub(r": (your turn|.* left)$", "", self.title)

    @property
    def offers(self) -> tuple[str, ...]:
        """The orders that the mail says may be sent, as they would be typed."""
        now = self.section(NOW)
        places = [now.paragraphs] if now else [section.paragraphs for section in self.sections[:1]]
        found = [line for place in places for paragraph in place for line in _OFFER.findall(paragraph)]
        return tuple(dict.fromkeys(line for line in found if line not in _NO_ORDER))

    def offers_of(self, verb: str) -> tuple[str, ...]:
        return tuple(line for line in self.offers if line == verb or line.startswith(verb + " "))

    def section(self, title: str) -> Section | None:
        return next((section for section in self.sections if section.title == title), None)

    @property
    def standing(self) -> Rows:
        """The first table under *How things stand*: a row a player."""
        section = self.section(STANDING) or self.section(FINAL)
        return section.tables[0] if section is not None and section.tables else ()

    def find(self, pattern: str) -> re.Match[str] | None:
        """A pattern in the text with its lines joined."""
        return re.search(pattern, self.text)

    def number(self, pattern: str, default: int = 0) -> int:
        """The whole number that the first group of the pattern finds."""
        found = self.find(pattern)
        return int(found[1]) if found else default


def _sections(text: str) -> Iterator[Section]:
    title, blocks = "", list[str | Rows]()
    for block in re.split(r"\n{2,}", text.strip("\n")):
        lines = block.split("\n")
        heading = _heading(lines)
        if heading:
            if title or blocks:
                yield Section(title, tuple(blocks))
            title, blocks = heading, []
        elif len(lines) > 1 and _RULERS.fullmatch(lines[1]):
            blocks.append(tuple(_table(lines)))
        elif all(_RECORD.fullmatch(line) for line in _items(lines)):
            blocks.append(tuple(_record(line) for line in _items(lines)))
        elif lines[0].startswith("* "):
            blocks += [item.removeprefix("* ") for item in _items(lines)]
        else:
            blocks.append(" ".join(line.strip() for line in lines))
    yield Section(title, tuple(blocks))


def _heading(lines: Sequence[str]) -> str:
    """`== Heading ==`, or a heading with a rule below it; empty for anything else."""
    if len(lines) > 1 and _RULER.fullmatch(lines[-1]):
        return " ".join(lines[:-1])
    found = _HEADING.fullmatch(lines[0]) if len(lines) == 1 else None
    return found[1] if found else ""


def _items(lines: Sequence[str]) -> list[str]:
    """The items of a list, each on one line again."""
    found: list[str] = []
    for line in lines:
        if line.startswith("  ") and found:
            found[-1] += " " + line.strip()
        else:
            found.append(line.strip())
    return found


def _table(lines: Sequence[str]) -> Iterator[Row]:
    spans = [found.span() for found in _RULER.finditer(lines[1])]
    heads = [lines[0][start:end].strip() for start, end in spans]
    for line in lines[2:]:
        yield {head: line[start:end].strip() for head, (start, end) in zip(heads, spans, strict=True)}


def _record(line: str) -> Row:
    """A row of a table that was too wide for the page: `alice – State: alive; Hand: club`."""
    found = _RECORD.fullmatch(line)
    assert found is not None
    cells = (cell.partition(": ") for cell in found[2].split("; "))
    return {"Player": found[1], **{head: value for head, _, value in cells}}
