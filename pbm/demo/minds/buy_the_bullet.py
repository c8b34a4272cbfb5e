"""Buy the Bullet: bid what nobody else bids, shoot the rich, promise cards to whom one likes."""

from pbm.demo.minds.base import Mind, Thought
from pbm.demo.sheet import Row, Sheet

SUITS = ("diamond", "heart", "spade", "club")


class Gambler(Mind):
    talk = (
        "I shall bid my diamond. Really.",
        "Remember me when you have no cards left.",
        "Whoever has the bullet: there are better targets than me.",
        "I never forget who promised me a card.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.friends: set[str] = set()
        """Who has promised this player a card."""

    def think(self, sheet: Sheet) -> Thought:
        found = sheet.find(r"A \w+ of ([^.\n]+?) is promised to you")
        if found:
            self.friends.add(found[1])
        alive = [row for row in self.others(sheet) if row.get("State") == "alive"]
        if shots := sheet.offers_of("SHOOT"):
            return Thought((self._shot(alive, shots),))
        if bids := sheet.offers_of("BID"):
            return Thought((self._bid(bids),), self._chat())
        if votes := sheet.offers_of("VOTE"):
            votes = tuple(v for v in votes if v.removeprefix("VOTE ") not in self.friends) or votes
            return Thought((self.chance.choice(votes), *self._pledge(sheet, alive, 0.3)))
        return self._from_the_grave(sheet, alive)

    def _shot(self, alive: list[Row], shots: tuple[str, ...]) -> str:
        """The better armed, the rather; friends are spared while there are others."""
        targets = [row for row in alive if row["Player"] not in self.friends] or alive
        if not targets:
            return self.chance.choice(shots)
        return f"SHOOT {self.weighted([(row['Player'], 1.0 + len(_cards(row['Hand']))) for row in targets])}"

    def _bid(self, bids: tuple[str, ...]) -> str:
        """High cards win, but clash; each further card in hand makes one bolder."""
        weights = {"diamond": 1.0 + self.greed, "heart": 1.3, "spade": 1.2, "club": 1.0, "NONE": 0.3}
        if len(bids) == 2:
            weights["NONE"] = 1.0  # the last card is dear
        return self.weighted([(bid, weights.get(bid.removeprefix("BID "), 0.5)) for bid in bids])

    def _from_the_grave(self, sheet: Sheet, alive: list[Row]) -> Thought:
        pledge = self._pledge(sheet, alive, 0.9 if sheet.must else 0.25)
        if not pledge and sheet.must:
            return Thought(("PASS",))
        return Thought(pledge, self._chat() if pledge else ())

    def _pledge(self, sheet: Sheet, alive: list[Row], probability: float) -> tuple[str, ...]:
        found = sheet.find(r"promise one of your cards in this round \(([^)]*)\)")
        if not found or not alive or not sheet.offers_of("PLEDGE") or not self.maybe(probability):
            return ()
        cards = [suit for suit in SUITS if suit in found[1]]
        return (f"PLEDGE {self.chance.choice(cards)} TO {self.chance.choice(alive)['Player']}",) if cards else ()

    def _chat(self) -> tuple[str, ...]:
        return (f"SAY: {self.chance.choice(self.talk)}",) if self.maybe(0.06) else ()


def _cards(hand: str) -> list[str]:
    return [card for card in hand.split(", ") if card in SUITS]
