"""Tokens, Message-IDs and boundaries (DESIGN.md, *Non-interference*), and the addresses that they stand in.

Everything is HMAC-SHA-256 over the service's key and what the thing is for, never a counter that readers share: the
bytes of one reader's mails say nothing of another's.
"""

import hashlib
import hmac
import json
import re
from base64 import b32encode
from dataclasses import dataclass, field

TOKEN_LETTERS = 26  # of five bits: 130 in all
MIN_KEY_BYTES = 32

_LETTERS = "[a-z2-7]{26}"
_TOKEN = re.compile(_LETTERS)
_PLUS_TOKEN = re.compile(rf"[^@]*\+({_LETTERS})@[^@]+", re.IGNORECASE)
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDR_SPEC = re.compile(rf"(?P<local>{_ATOM}(?:\.{_ATOM})*)@(?P<domain>{_LABEL}(?:\.{_LABEL})*)")


@dataclass(frozen=True, slots=True)
class Keys:
    """The service's secret key, at least 32 bytes; never shown by repr. Raises ValueError for a shorter one."""

    service_key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.service_key) < MIN_KEY_BYTES:
            raise ValueError(f"the service key has {len(self.service_key)} bytes; it needs at least {MIN_KEY_BYTES}")

    def token(self, *, game: str, seat: str | None, turn: str, purpose: str, generation: int = 0) -> str:
        """26 letters of lower-case base32 for one seat (None: the moderator), one phase and one purpose (MAIL.md).

        `turn`: the phase's id. `generation`: counts up at REPLACE and ADDRESS, which end all earlier tokens.
        """
        return self._letters("token", game, seat, turn, purpose, generation)

    def message_id(self, *, game: str, reader: str, turn: str, kind: str, n: int, host: str) -> str:
        """`<….pbm@host>`; `n` counts the mails of this kind to this reader in this phase. Tells nobody anything."""
        return f"<{self._letters('message-id', game, reader, turn, kind, n)}.pbm@{host}>"

    def boundary(self, message_id: str) -> str:
        """The stem of a mail's MIME boundaries; the mail's parts add a letter each."""
        return "=_" + self._letters("boundary", message_id)

    def _letters(self, *what: str | int | None) -> str:
        # JSON keeps ("a", "bc") and ("ab", "c") apart.
        text = json.dumps(what, ensure_ascii=True, separators=(",", ":"))
        digest = hmac.new(self.service_key, text.encode("ascii"), hashlib.sha256).digest()
        return b32encode(digest).decode("ascii").lower()[:TOKEN_LETTERS]


def reply_address(pattern: str, token: str) -> str:
    """The address of a mail's Reply-To: `pbm+{token}@example.org` with the token in it.

    Raises ValueError where the pattern doesn't hold `{token}` once, or makes no address.
    """
    if pattern.count("{token}") != 1:
        raise ValueError(f"a reply pattern holds {{token}} once, as in pbm+{{token}}@example.org; not {pattern!r}")
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"a token has {TOKEN_LETTERS} letters of lower-case base32")
    address = pattern.replace("{token}", token)
    if not valid_address(address):
        raise ValueError(f"the reply pattern {pattern!r} makes no mail address")
    return address


def token_in(address: str, pattern: str | None = None) -> str | None:
    """The token that an address bears, or None. Without a pattern: any `+` part of 26 base32 letters (`pbm explain`).

    Mail systems may change the case of an address: letters of any case are read.
    """
    if pattern is None:
        found = _PLUS_TOKEN.fullmatch(address)
    else:
        head, _, tail = pattern.partition("{token}")
        found = re.fullmatch(f"{re.escape(head)}({_LETTERS}){re.escape(tail)}", address, re.IGNORECASE)
    return found[1].lower() if found else None


def valid_address(text: str) -> bool:
    """Whether the text is one plain ASCII addr-spec (RFC 5321): no display name, quoting, controls, or second one.

    aiosmtplib cuts a malformed recipient short without a word; nothing but this goes to it.
    """
    found = _ADDR_SPEC.fullmatch(text)
    return found is not None and len(text) <= 254 and len(found["local"]) <= 64
