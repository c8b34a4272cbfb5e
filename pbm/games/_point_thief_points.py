"""Point Thief: what a round of picks is worth (rulings P6 and P7)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

MAFIA, CARTEL, POLICE, BEGGAR = CHARACTERS = ("mafia", "cartel", "police", "beggar")
POOL = 4  # points that every round puts up


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn that was played: who, what they are, and what they say they are."""

    player: str
    pick: str
    claim: str

    @property
    def lied(self) -> bool:
        return self.claim != self.pick


@dataclass(frozen=True, slots=True)
class Score:
    """What a round brought. `winner`: the character that took the pool; `share`, `alms`: points for each winner and
    for each beggar. `gained` and `lost` (both positive, zeros left out) name players who are still in the game."""

    winner: str
    share: int
    alms: int
    gained: Mapping[str, int]
    lost: Mapping[str, int]


def winner_of(picks: Sequence[str]) -> str:
    """Ruling P6: the gang that more players picked, or the police where they are even."""
    mafia, cartel = picks.count(MAFIA), picks.count(CARTEL)
    if mafia == cartel:
        return POLICE
    return MAFIA if mafia > cartel else CARTEL


def split(picks: Sequence[str]) -> tuple[str, int, int]:
    """Ruling P6: who takes the pool, what each of them gets, and what each beggar gets of the rest."""
    winner = winner_of(picks)
    winners, beggars = picks.count(winner), picks.count(BEGGAR)
    share = POOL // winners if winners else 0
    rest = POOL - winners * share
    return winner, share, rest // beggars if beggars else 0


def fine(points: int, *, remainder: bool) -> int:
    """Ruling P7: what a lie that earned nothing costs somebody who has these points.

    `remainder` (option `lie_rounding: remainder`): what is left is rounded down, not what is lost.
    """
    if points <= 0:
        return 1
    return points - points // 2 if remainder else points // 2


def score(turns: Sequence[Turn], points: Mapping[str, int], removed: Collection[str], *, remainder: bool) -> Score:
    """A round's points. Turns of removed players count in the split (P9), but they neither earn nor lose anything."""
    winner, share, alms = split([turn.pick for turn in turns])
    worth = {winner: share, BEGGAR: alms}
    gained: dict[str, int] = {}
    lost: dict[str, int] = {}
    for turn in turns:
        if turn.player in removed:
            continue
        if got := worth.get(turn.pick, 0):
            gained[turn.player] = got
        elif turn.lied and (cost := fine(points[turn.player], remainder=remainder)):
            lost[turn.player] = cost
    return Score(winner, share, alms, gained, lost)
