"""Who plays in the demo: names, mail programs, habits, and where they live."""

from random import Random

from pbm.core.names import fold
from pbm.demo.mailer import PROGRAMS
from pbm.demo.players import Habits

HOST = "demo.example"
BASE, ARCHIVE, MODERATOR = f"pbm@{HOST}", f"archive@{HOST}", f"moderator@{HOST}"

NAMES = (
    *("Alice", "Bruno", "Chidi", "Daphne", "Emil", "Fatima", "Günther", "Hanako", "Ines", "Jorge"),
    *("Katja", "Lionel", "Mirjam", "Nikos", "Oksana", "Pavel", "Quentin", "Rosalind", "Søren", "Tariq"),
)
ZONES = ("Europe/Berlin", "America/New_York", "UTC", "Asia/Tokyo", "Europe/Lisbon")
SIGNATURES = ("", "", "-- \n{name}\nsent from the kitchen table", "", "Sent from my phone", "-- \n{name}")

# How many play where --players doesn't say.
USUAL = {"tontine": 6, "point_thief": 5, "buy_the_bullet": 6, "dont_get_greedy": 2, "money_grab": 2}


def address(name: str) -> str:
    """`gunther@demo.example`: plain ASCII, whatever the name."""
    local = name.lower().translate(str.maketrans("üø ", "uo."))
    local = "".join(c for c in local if c.isascii() and (c.isalnum() or c in ".-_")).strip(".") or "guest"
    found = f"{local}@{HOST}"
    return f"player.{found}" if found in (BASE, ARCHIVE, MODERATOR) else found


def names(count: int, join: str | None) -> list[str]:
    """So many seats; the person who joins has the first."""
    others = [name for name in NAMES if join is None or fold(name) != fold(join)]
    others += [f"Player {n}" for n in range(len(others) + 1, count + 1)]
    return [*([join] if join else []), *others][:count]


def program(n: int) -> str:
    """A mail program for the n-th player: every kind is met in a game of six."""
    return list(PROGRAMS)[n % len(PROGRAMS)]


def signature(n: int, name: str) -> str:
    return SIGNATURES[n % len(SIGNATURES)].format(name=name)


def habits(n: int, chance: Random) -> Habits:
    return Habits(small=n % 3 == 1, listed=n % 4 == 2, late=chance.uniform(0.5, 1.4))
