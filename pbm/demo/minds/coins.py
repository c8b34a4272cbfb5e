"""The two coin games: take much while it is free, duck when the other is about to be greedy."""

from pbm.demo.minds.base import Mind, Thought
from pbm.demo.sheet import Row, Sheet

_CHAT = (
    "Let us both be modest for once.",
    "I will only take a little, promise.",
    "That pot is looking thin.",
    "My doctor says that I must be less greedy.",
    "You first next time.",
)


class Grabber(Mind):
    """Money Grab: 0 to the limit; the higher number starts a streak, and a streak costs."""

    def think(self, sheet: Sheet) -> Thought:
        limit = sheet.number(r"limit card of this round is (\d+)")
        mine, other = self.mine(sheet), self.others(sheet)
        streak, theirs = _streak(mine), max((_streak(row) for row in other), default=0)
        return Thought((f"TAKE {self._take(0, limit, streak, theirs)}",), self._chat())

    def _take(self, low: int, high: int, streak: int, theirs: int) -> int:
        """With a streak of one's own the highest number costs; with one of the other's, that one has to be careful."""
        if streak and self.maybe(0.75 - self.greed / 2):
            return max(low, high - self.chance.randint(1, 2 + min(streak, 2)))
        if theirs and self.maybe(0.5):
            return max(low, high - 1)
        return self.weighted(
            [(n, 1.0 if n < high - 1 else 2.0 if n < high else 3.0 + 3.0 * self.greed) for n in range(low, high + 1)]
        )

    def _chat(self) -> tuple[str, ...]:
        return (self.chance.choice(_CHAT),) if self.maybe(0.12) else ()


class Miser(Grabber):
    """Don't Get Greedy: 1 to 5; being the greedier one twice costs two coins."""

    def think(self, sheet: Sheet) -> Thought:
        mine, other = self.mine(sheet), self.others(sheet)
        count, theirs = _streak(mine), max((_streak(row) for row in other), default=0)
        return Thought((f"TAKE {self._take(1, 5, count, theirs)}",), self._chat())


def _streak(row: Row) -> int:
    """`1`, or in Don't Get Greedy `1 of 2`."""
    text = row.get("Streak", row.get("Greed count", "0")).split(" ")[0]
    return int(text) if text.isdecimal() else 0
