"""The words that people write to the service beside a game's own orders: one list for parser, guard and name checks.

MAIL.md, *What is read from a mail*: the grammar of a mail is every verb of its game in any phase, and these.
"""

from collections.abc import Iterable

from pbm.core.engine import Form, Slot
from pbm.core.names import fold

# From any seat, dead or alive, in any phase; JOIN from anybody while a game is open for sign-up.
SERVICE_WORDS = (
    *("HELP", "RULES", "STATUS", "ORDERS", "CLEAR", "TELL", "SAY", "WAIT", "READY"),
    *("AWAY", "TIMEZONE", "ADDRESS", "MAILS", "RESIGN", "JOIN"),
)

# From the moderator, in reply to any moderator mail.
MODERATOR_WORDS = (
    *("STATUS", "ORDERS", "PREVIEW", "EXTEND", "CLOSE", "PAUSE", "RESUME", "REMIND", "REMOVE", "REPLACE"),
    *("ORDER", "ANNOUNCE", "HOLD", "APPROVE", "UNDO", "END"),
)

# Those of both lists that take no argument, and so count only alone on their line.
ALONE_WORDS = frozenset(
    (
        *("HELP", "RULES", "STATUS", "ORDERS", "CLEAR", "WAIT", "READY", "RESIGN", "PREVIEW"),
        *("CLOSE", "PAUSE", "RESUME", "HOLD", "APPROVE", "UNDO", "END"),
    )
)

# Words that stand between a verb and what it acts on, or in place of a name.
LINKING_WORDS = ("ALL", "NONE", "END", "TO", "WITH", "AS")


def verbs(forms: Iterable[Form]) -> tuple[str, ...]:
    """Every verb of these forms once, in their order: `HIT`, `SECRET BRIBE`."""
    return tuple(dict.fromkeys(form.verb for form in forms))


def reserved(forms: Iterable[Form]) -> frozenset[str]:
    """Every word of the grammar, folded: no name may have one of them as a word of its own (MAIL.md).

    `forms`: the game's grammar in any phase. Choices of slots (suits, other names) aren't words of the grammar.
    """
    literals = (part for form in forms for part in form.parts if not isinstance(part, Slot))
    words = (*SERVICE_WORDS, *MODERATOR_WORDS, *LINKING_WORDS, *literals)
    return frozenset(fold(word) for text in words for word in text.split())
