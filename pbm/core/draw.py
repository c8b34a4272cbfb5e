"""Draws by label (ruling G4): all chance comes from one key, so that anybody can recompute it."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Draw:
    """A game's source of chance. The key (32 bytes) stays secret until the last digest; it is never shown by repr."""

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise ValueError(f"a draw key has {KEY_BYTES} bytes, not {len(self.key)}")

    @classmethod
    def from_hex(cls, text: str) -> "Draw":
        """The key as 64 hex digits. Raises ValueError, with the reason, on anything else."""
        if len(text) != 2 * KEY_BYTES:
            raise ValueError(f"the seed must have {2 * KEY_BYTES} hex digits; it has {len(text)} characters")
        try:
            return cls(bytes.fromhex(text))
        except ValueError:
            raise ValueError("the seed must have hex digits only (0-9, a-f)") from None

    def commitment(self) -> str:
        """SHA-256 of the key in hex: shown at the start, so that the key shown at the end can be checked."""
        return hashlib.sha256(self.key).hexdigest()

    def draw(self, label: str, n: int) -> int:
        """A number from 0 to n - 1. Raises ValueError for n < 1."""
        if n < 1:
            raise ValueError("a draw needs at least one outcome")
        limit = (1 << 64) - ((1 << 64) % n)
        counter = 0
        while True:
            digest = hmac.new(self.key, f"{label}#{counter}".encode(), hashlib.sha256).digest()
            u = int.from_bytes(digest[:8], "big")
            if u < limit:
                return u % n
            counter += 1

    def choice(self, label: str, items: Sequence[T]) -> T:
        return items[self.draw(label, len(items))]

    def shuffle(self, label: str, items: Sequence[T]) -> list[T]:
        """A new list; i runs from the last index down to 1 and swaps with draw(`label/i`, i + 1)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.draw(f"{label}/{i}", i + 1)
            out[i], out[j] = out[j], out[i]
        return out
