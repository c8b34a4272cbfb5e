"""Newly written lines → what they ask for: orders, service words, press; what is refused and what is only chat.

MAIL.md, *What is read from a mail*: one order a line; the good lines of a mail count, bad ones are told.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pbm.core.engine import Form, Order
from pbm.core.names import fold, match
from pbm.core.orders import Read, Unread, first_word, is_aside, plain, read_line
from pbm.mail.commands import BadCommand, Command, Role, read_command

MAX_PRESS = 4000


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A whole order line. `asked`: a misspelt name in an order that can't be taken back is asked back."""

    line: str
    orders: tuple[Order, ...]
    notes: tuple[str, ...] = ()
    asked: bool = False


@dataclass(frozen=True, slots=True)
class CommandLine:
    line: str
    command: Command


@dataclass(frozen=True, slots=True)
class Press:
    """TELL (`to`: names; empty: ALL), SAY or ANNOUNCE with its text."""

    word: str
    to: tuple[str, ...]
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    line: str
    reason: str


@dataclass(slots=True)
class Reading:
    """All that a mail's new lines say. `doubtful`: order lines of which it isn't sure that they are new."""

    orders: list[OrderLine] = field(default_factory=list)
    commands: list[CommandLine] = field(default_factory=list)
    press: list[Press] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    chat: int = 0


@dataclass(frozen=True, slots=True)
class Grammar:
    """What may be written: the game's forms (in any phase), the names, and an example of an order of this game.

    `press_to`: whom TELL may name."""

    forms: Sequence[Form]
    names: Sequence[str]
    role: Role
    examples: Callable[[str], str | None]
    press_to: Sequence[str] = ()


def read_lines(text: Sequence[tuple[str, bool]], grammar: Grammar) -> Reading:
    """`text`: the new lines in order, blank ones too, each with whether it is doubtful that it is new."""
    out = Reading()
    lines = list(text)
    n = 0
    while n < len(lines):
        line, doubtful = lines[n]
        n += 1
        if not line.strip():
            continue
        press = _press_head(line, grammar)
        if press is not None:
            body = [press[1]] if press[1] else []
            while n < len(lines) and not _ends_press(lines[n][0], grammar):
                body.append(lines[n][0])
                n += 1
            if n < len(lines) and plain(lines[n][0]) == "END":
                n += 1
            _press(out, line, press[0], press[2], "\n".join(body).strip(), grammar)
            continue
        _line(out, line, doubtful, grammar)
    return out


def is_whole(line: str, grammar: Grammar) -> bool:
    """Whether the line is a whole order or service word: what may not be cut off with a signature."""
    if isinstance(read_line(line, grammar.forms, near=True), Read):
        return True
    return isinstance(read_command(line, grammar.role, grammar.names), Command)


def _line(out: Reading, line: str, doubtful: bool, grammar: Grammar) -> None:
    text = plain(line)
    if is_aside(text):
        inner = text[1:-1] if text.startswith("(") and text.endswith(")") else ""
        if inner and is_whole(inner, grammar):
            out.refused.append(Refused(line.strip(), f"in parentheses it isn't taken; write it without them: {inner}"))
        else:
            out.chat += 1
        return
    if text.endswith("?") and is_whole(text.rstrip("? "), grammar):
        out.refused.append(Refused(line.strip(), "with a question mark it isn't taken; write it without one"))
        return
    command = read_command(line, grammar.role, grammar.names, grammar.examples("") or "")
    read = (
        None
        if isinstance(command, Command) or grammar.role == "moderator"
        else read_line(line, grammar.forms, near=True)
    )
    if isinstance(command, Command):
        if doubtful:
            out.doubtful.append(text)
        else:
            out.commands.append(CommandLine(text, command))
    elif isinstance(read, Read):
        if doubtful:
            out.doubtful.append(text)
        else:
            out.orders.append(OrderLine(text, read.orders, read.notes, bool(read.notes) and read.form.final))
    elif doubtful:
        out.chat += 1
    elif isinstance(read, Unread):
        out.refused.append(Refused(line.strip(), _with_example(read, grammar)))
    elif isinstance(command, BadCommand):
        out.refused.append(Refused(line.strip(), command.reason))
    else:
        out.chat += 1


def _with_example(read: Unread, grammar: Grammar) -> str:
    example = grammar.examples(read.verb or "")
    if not example or read.reason.startswith("did you mean"):
        return read.reason
    return f"{read.reason}; right would be ({example})"


_PRESS = re.compile(r"^(?:[-*•]\s*)?(TELL|SAY|ANNOUNCE)\b\s*(.*)$", re.IGNORECASE | re.DOTALL)


def _press_head(line: str, grammar: Grammar) -> tuple[str, str, str] | None:
    """(word, text on the same line, addressees) if the line begins press: in capitals, or with a colon."""
    found = _PRESS.match(line.strip().strip("*_`").strip()[:2000])
    if found is None or is_aside(plain(line)[:1] + "" if plain(line)[:1] == "(" else ""):
        return None
    word, rest = found.group(1), found.group(2)
    upper = word.upper()
    if (upper == "ANNOUNCE") != (grammar.role == "moderator"):
        return None
    if upper != "TELL":
        if not rest.startswith(":") and word != upper:
            return None
        return upper, rest.removeprefix(":").strip(), ""
    to, colon, text = rest.partition(":")
    if colon:
        if word != upper and not _all_known(to, grammar):
            return None
        return upper, text.strip(), to.strip()
    if word != upper:
        return None
    words = rest.split(" ")
    for n in range(min(len(words), 8), 0, -1):
        if _all_known(" ".join(words[:n]), grammar):
            return upper, " ".join(words[n:]).strip(), " ".join(words[:n])
    return (upper, "", rest.strip()) if rest.strip() and len(words) <= 3 else None


def addressees(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\s*(?:,|;|&|\band\b)\s*", text) if part.strip()]


def _all_known(text: str, grammar: Grammar) -> bool:
    parts = addressees(text)
    return bool(parts) and all(
        fold(part) == "all" or match(part, [(n, n) for n in grammar.press_to], near=True).value for part in parts
    )


def _ends_press(line: str, grammar: Grammar) -> bool:
    """A line `END`, or a whole order whose verb is in capitals."""
    text = plain(line)
    if text == "END":
        return True
    if _press_head(line, grammar) is not None and text.split(" ")[0].rstrip(":").isupper():
        return True
    head = first_word(text)
    raw = text.split(" ")[0].rstrip(":")
    return bool(head) and raw.isupper() and len(raw) > 1 and is_whole(line, grammar)


def _press(out: Reading, line: str, word: str, to: str, text: str, grammar: Grammar) -> None:
    if not text:
        out.refused.append(Refused(line.strip(), f"there is no text behind {word}"))
        return
    if len(text) > MAX_PRESS:
        out.refused.append(Refused(line.strip(), f"the text has {len(text)} characters; at most {MAX_PRESS} go on"))
        return
    names: list[str] = []
    notes: list[str] = []
    if word == "TELL":
        for part in addressees(to):
            if fold(part) == "all":
                names = []
                break
            found = match(part, [(n, n) for n in grammar.press_to], near=True)
            if found.value is None:
                near = f"; near are {', '.join(found.close)}" if found.close else ""
                out.refused.append(Refused(line.strip(), f"“{part}” is nobody you can write to here{near}; not sent"))
                return
            if found.near:
                notes.append(f"“{part}” was read as {found.value}")
            names.append(found.value)
        if not addressees(to):
            out.refused.append(Refused(line.strip(), "write whom it goes to: (TELL bob, carol: text)"))
            return
    out.press.append(Press(word, tuple(dict.fromkeys(names)), text, tuple(notes)))
