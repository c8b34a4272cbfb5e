"""Is the From address proven? `Authentication-Results` read by grammar (RFC 8601), and believed only where it is ours.

MAIL.md, "Addresses and identity": the topmost field with exactly our `authserv_id` counts, and only if every Received
above it is `by` a host of our own; aligned is `dmarc=pass`, or a passed DKIM or SPF identity of the From domain or of
the same organisational domain (Public Suffix List, from the package publicsuffixlist; no network).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from publicsuffixlist import PublicSuffixList

from pbm.mail.letter import Letter

_WORD = re.compile(r"[A-Za-z0-9!#$%&'*+\-/?^_`{|}~.@:\[\]]+")
_MOST = 500
"""Words of one field; honest ones have a few dozen."""


@dataclass(frozen=True, slots=True)
class Result:
    """One `method=result` with its properties, names in lower case (`header.d`); a property that stands twice keeps
    both values."""

    method: str
    result: str
    properties: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class AuthResults:
    """One Authentication-Results field."""

    authserv_id: str
    results: tuple[Result, ...]


def proven(letter: Letter, authserv_id: str | None, own_hosts: Sequence[str]) -> bool:
    """Whether our own mail server vouches for the one From address of `letter`."""
    if letter.sender is None or not authserv_id:
        return False
    hosts = {host.lower().rstrip(".") for host in own_hosts}
    for name, value in letter.headers:
        if name == "received" and received_by(value) not in hosts:
            return False
        if name == "authentication-results":
            read = parse(value)
            if read is not None and read.authserv_id == authserv_id:
                return aligned(read, letter.sender.rpartition("@")[2])
            if read is None and authserv_id in value:
                # Ours by its looks and yet not readable: nothing below may stand in for it.
                return False
    return False


def aligned(read: AuthResults, domain: str) -> bool:
    """Whether the results hold a pass for the From `domain`."""
    dmarc = [result for result in read.results if result.method == "dmarc"]
    if dmarc:
        # Our server judged the From by its owner's policy: a fail stands, whatever else passed.
        if any(result.result in ("fail", "reject", "quarantine") for result in dmarc):
            return False
        if all(
            result.result == "pass" and _same(result.properties.get("header.from", (domain,)), domain)
            for result in dmarc
        ):
            return True
    for result in read.results:
        if result.result != "pass":
            continue
        if result.method == "dkim" and _related(result.properties.get("header.d", ()), domain):
            return True
        if result.method == "spf" and _related(result.properties.get("smtp.mailfrom", ()), domain):
            return True
    return False


def _same(values: Sequence[str], domain: str) -> bool:
    return bool(values) and all(ascii_domain(value.rpartition("@")[2]) == ascii_domain(domain) for value in values)


def _related(values: Sequence[str], domain: str) -> bool:
    """All values (one, in honest fields) are of the From domain's organisation."""
    ours = organisation(domain)
    return bool(values) and ours is not None and all(organisation(value.rpartition("@")[2]) == ours for value in values)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def organisation(domain: str) -> str | None:
    """The organisational domain (RFC 7489 3.2): one label below the public suffix; None for a suffix itself."""
    name = ascii_domain(domain)
    if name is None:
        return None
    found = _suffixes().privatesuffix(name)
    return found if isinstance(found, str) else None


def ascii_domain(domain: str) -> str | None:
    """A domain as it stands in DNS, in lower case; None where it can't stand there."""
    name = domain.strip().strip("\"'<>").rstrip(".").lower()
    if not name or len(name) > 253 or ".." in name or name.startswith("."):
        return None
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    return name if re.fullmatch(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", name) else None


def parse(value: str) -> AuthResults | None:
    """The field's value by its grammar: comments and quoted strings hold no results. None where it isn't one."""
    tokens = _tokens(value)
    if tokens is None:
        return None
    groups: list[list[tuple[str, bool]]] = [[]]
    for token in tokens:
        if token == (";", False):
            groups.append([])
        else:
            groups[-1].append(token)
    head = groups[0]
    if not head or len(head) > 2 or head[0][0] in ("=", ""):
        return None
    if len(head) == 2 and head[1][0] != "1":
        return None
    results = []
    for group in groups[1:]:
        if not group or group == [("none", False)]:
            continue
        result = _result(group)
        if result is None:
            return None
        results.append(result)
    return AuthResults(head[0][0], tuple(results))


def _result(group: Sequence[tuple[str, bool]]) -> Result | None:
    if len(group) < 3 or group[1] != ("=", False) or group[0][1] or group[2][1]:
        return None
    method = group[0][0].lower().partition("/")[0]
    result = group[2][0].lower()
    properties: dict[str, tuple[str, ...]] = {}
    at = 3
    while at < len(group):
        if at + 2 >= len(group) or group[at + 1] != ("=", False) or group[at][1]:
            # A stray word (some servers write them): nothing behind it is believed.
            break
        key = group[at][0].lower()
        properties[key] = (*properties.get(key, ()), group[at + 2][0])
        at += 3
    return Result(method, result, properties)


def _tokens(value: str) -> list[tuple[str, bool]] | None:
    """Words, `=` and `;`, each with whether it was quoted; None at a sign that the grammar doesn't have."""
    out: list[tuple[str, bool]] = []
    at, length = 0, len(value)
    while at < length:
        sign = value[at]
        if sign in " \t":
            at += 1
        elif sign == "(":
            at = _comment_end(value, at)
            if at < 0:
                return None
        elif sign == '"':
            end = at + 1
            while end < length and value[end] != '"':
                end += 2 if value[end] == "\\" else 1
            if end >= length:
                return None
            out.append((value[at + 1 : end].replace("\\", ""), True))
            at = end + 1
        elif sign in "=;":
            out.append((sign, False))
            at += 1
        elif found := _WORD.match(value, at):
            out.append((found[0], False))
            at = found.end()
        elif sign in "<>,":
            at += 1
        else:
            return None
        if len(out) > _MOST:
            return None
    return out


def _comment_end(value: str, at: int) -> int:
    depth = 0
    while at < len(value):
        sign = value[at]
        if sign == "\\":
            at += 1
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return -1


def received_by(value: str) -> str | None:
    """The host of a Received field's `by` clause, in lower case, or None."""
    words: list[str] = []
    at = 0
    while at < len(value) and len(words) < 200:
        if value[at] == "(":
            end = _comment_end(value, at)
            if end < 0:
                return None
            words.append(" ")
            at = end
        elif value[at] == ";":
            break
        else:
            words.append(value[at])
            at += 1
            while at < len(value) and value[at] not in "(; ":
                words[-1] += value[at]
                at += 1
    clause = " ".join(words).split()
    for place, word in enumerate(clause[:-1]):
        # `from` takes the word behind it, so a host that calls itself "by" is no clause.
        if word.lower() == "by" and (place == 0 or clause[place - 1].lower() != "from"):
            return clause[place + 1].lower().rstrip(".")
    return None
