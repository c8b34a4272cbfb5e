"""A line → a service word with its argument, for players and for moderators (MAIL.md, *What is read from a mail*)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pbm.core.names import fold, match, nearest
from pbm.core.orders import first_word, is_aside, plain
from pbm.timewords import parse_away, parse_length, parse_until, parse_zone

# Words that count only alone on their line.
ALONE = ("HELP", "RULES", "STATUS", "ORDERS", "CLEAR", "WAIT", "READY", "RESIGN")
ALONE_MODERATOR = (
    "HELP",
    "RULES",
    "STATUS",
    "ORDERS",
    "PREVIEW",
    "CLOSE",
    "PAUSE",
    "RESUME",
    "HOLD",
    "APPROVE",
    "UNDO",
)
# Words that nobody writes in chat with such a thing behind them: refused where it can't be read.
WITH_ARGUMENT = {
    "AWAY": "AWAY 2026-12-20 TO 2026-12-27",
    "TIMEZONE": "TIMEZONE Europe/Berlin",
    "MAILS": "MAILS needed",
    "ADDRESS": "ADDRESS new@example.org",
}
WITH_ARGUMENT_MODERATOR = {
    "EXTEND": "EXTEND 24h",
    "REMIND": "REMIND {name}",
    "REMOVE": "REMOVE {name}",
    "REPLACE": "REPLACE {name} WITH new@example.org",
    "ORDER": "ORDER {name}: {order}",
}
_ADDRESS = re.compile(r"^[^\s<>@(),;:\"]{1,64}@[A-Za-z0-9.-]{1,190}$")


@dataclass(frozen=True, slots=True)
class Command:
    """A service word. `argument`: the canonical text behind it (a zone, `all`, two dates, an address, a length, the
    order line of ORDER), `name`: the player it is about. `near`: what a misspelt name was read as."""

    word: str
    argument: str = ""
    name: str = ""
    near: str | None = None


@dataclass(frozen=True, slots=True)
class BadCommand:
    """A service word that can't be read; the reason holds a correct example."""

    word: str
    reason: str


Role = Literal["player", "moderator"]


def read_command(line: str, role: Role, names: Sequence[str], order_example: str = "") -> Command | BadCommand | None:
    """The command that the line is, why it is none though it looks like one, or None: no service word."""
    text = plain(line)
    if not text or is_aside(text):
        return None
    word = first_word(text).upper()
    rest = text.split(" ", 1)[1].strip() if " " in text else ""
    alone = ALONE_MODERATOR if role == "moderator" else ALONE
    if word == "RESUME" and role == "moderator" and rest:
        return _resume(rest)
    if word in alone or (word == "END" and role == "moderator"):
        return None if rest else Command(word)
    if role == "player" and word in WITH_ARGUMENT:
        return _player_word(word, rest)
    if role == "moderator" and word in WITH_ARGUMENT_MODERATOR:
        return _moderator_word(word, rest, names, order_example)
    return _misspelt(text, rest, role, names, alone)


def _player_word(word: str, rest: str) -> Command | BadCommand:
    example = f"write it as ({WITH_ARGUMENT[word]})"
    rest = rest.removeprefix(": ").removeprefix(":")
    try:
        if word == "AWAY":
            span = parse_away(rest)
            return Command(word, "NONE" if span is None else f"{span[0].isoformat()} {span[1].isoformat()}")
        if word == "TIMEZONE":
            return Command(word, parse_zone(rest))
    except ValueError as fault:
        return BadCommand(word, f"{fault}; {example}")
    if word == "MAILS":
        wanted = fold(rest)
        return Command(word, wanted) if wanted in ("all", "needed") else BadCommand(word, f"{example} or (MAILS all)")
    return _address(word, rest, example)


def _address(word: str, text: str, example: str, name: str = "", near: str | None = None) -> Command | BadCommand:
    bare = text.strip("<>").removeprefix("mailto:")
    if not _ADDRESS.match(bare) or not bare.isascii():
        return BadCommand(word, f"“{text}” is no e-mail address; {example}")
    local, _, domain = bare.rpartition("@")
    return Command(word, f"{local}@{domain.lower()}", name, near)


def _resume(rest: str) -> Command | BadCommand | None:
    """RESUME until a named time: `2026-12-24 18:00` in the game's zone, or a length from now."""
    text = re.sub(r"^(?:until|for)\s+", "", rest, flags=re.IGNORECASE)
    if not text[:1].isdigit():
        return None
    try:
        parse_until(text, "UTC", 0)
    except ValueError as fault:
        return BadCommand("RESUME", f"{fault}; or (RESUME) alone")
    return Command("RESUME", text)


def _moderator_word(word: str, rest: str, names: Sequence[str], order_example: str) -> Command | BadCommand | None:
    first = names[0] if names else "bob"
    pattern = WITH_ARGUMENT_MODERATOR[word].format(name=first, order=order_example or "HIT carol")
    example = f"write it as ({pattern})"
    if word == "EXTEND":
        try:
            return Command(word, str(parse_length(rest)))
        except ValueError as fault:
            return BadCommand(word, f"{fault}; {example}") if any(c.isdigit() for c in rest) else None
    if word in ("REMIND", "REMOVE"):
        return _named(word, rest, names, example)
    if word == "ORDER":
        name, colon, line = rest.partition(":")
        if not colon or not line.strip():
            return BadCommand(word, example) if _is_name(rest.split(" ")[0], names) else None
        found = _named(word, name, names, example)
        return Command(word, line.strip(), found.name, found.near) if isinstance(found, Command) else found
    split = re.split(r"\s+with\s+", rest, maxsplit=1, flags=re.IGNORECASE)
    if len(split) != 2:
        return BadCommand(word, example) if _is_name(rest.split(" ")[0], names) else None
    found = _named(word, split[0], names, example)
    return _address(word, split[1], example, found.name, found.near) if isinstance(found, Command) else found


def _is_name(word: str, names: Sequence[str]) -> bool:
    return bool(match(word.rstrip(":,"), [(n.split(" ")[0], n) for n in names], near=True).close) or any(
        fold(word.rstrip(":,")) == fold(n.split(" ")[0]) for n in names
    )


def _named(word: str, text: str, names: Sequence[str], example: str) -> Command | BadCommand | None:
    found = match(text, [(name, name) for name in names], near=True)
    if found.value is not None:
        return Command(word, "", found.value, text.strip() if found.near else None)
    if found.close:
        return BadCommand(word, f"“{text}” is no player here; near are {', '.join(found.close[:4])}")
    if not _is_name(text.split(" ")[0], names):
        return None
    return BadCommand(word, f"“{text}” is no player here; {example}")


def _misspelt(text: str, rest: str, role: Role, names: Sequence[str], alone: Sequence[str]) -> BadCommand | None:
    head = text.split(" ")[0].rstrip(":")
    known = (*alone, *(WITH_ARGUMENT_MODERATOR if role == "moderator" else WITH_ARGUMENT))
    meant = nearest(head, [word for word in known if len(word) >= 4])
    if meant is None or fold(head) == fold(meant):
        return None
    read = read_command(f"{meant} {rest}".strip(), role, names)
    if not isinstance(read, Command):
        return None
    return BadCommand(meant, f"did you mean ({meant}{' ' + rest if rest else ''})?")
