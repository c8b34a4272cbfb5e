"""Which e-mail addresses a person may be written at, and when two are the same (MAIL.md, "Addresses and identity").

Narrower than RFC 5321 on purpose: a dot-atom, @ and a host name, in ASCII. Quoted local parts, address literals and
non-ASCII addresses are read differently by different mail systems, and nobody needs them to play.
"""

import re

_LOCAL = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*", re.ASCII | re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII | re.IGNORECASE)
EXAMPLE = "alice@example.org"


def address_fault(text: str) -> str | None:
    """Why this is no bare address that we write to, in plain words, or None."""
    if not text:
        return f"an address is missing; write it like {EXAMPLE}"
    shown = f"'{text if len(text) <= 60 else text[:59] + '…'}'" if text.isprintable() else "this"
    if "<" in text or ">" in text:
        return f"{shown} is more than an address; write it without name and brackets, like {EXAMPLE}"
    if not text.isascii():
        return f"{shown} has letters that not every mail system takes in an address; write it in plain ASCII"
    local, at, host = text.rpartition("@")
    if not at:
        return f"{shown} has no @; write an address like {EXAMPLE}"
    if not _LOCAL.fullmatch(local):
        return f"{shown} has no usable part before the @; write an address like {EXAMPLE}"
    if not is_host(host):
        return f"{shown} has no host name behind the @; write an address like {EXAMPLE}"
    if len(local) > 64 or len(text) > 254:
        return f"{shown} is too long; at most 64 characters before the @, and 254 in all"
    return None


def is_host(text: str) -> bool:
    """Whether this is a host's name, one label or several, as DNS has them; a numeric address passes too."""
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def address_key(address: str) -> str:
    """What of an address counts when two are compared: all of it, in lower case."""
    return address.lower()
