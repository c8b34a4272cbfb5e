"""Tontine: aim at the weak and the dangerous, bribe when rich, shield when frail, and agree on victims by mail."""

import re

from pbm.demo.minds.base import Mind, Thought
from pbm.demo.sheet import Row, Sheet

_PACT = re.compile(r"what about (\S.*?), in this round", re.IGNORECASE)


class Heir(Mind):
    talk = ("I wish you all a long life.", "Who keeps paying for this?", "Leave me out of it, I am almost dead.")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.victim = ""
        """Agreed with somebody for the next round."""

    def think(self, sheet: Sheet) -> Thought:
        if votes := sheet.offers_of("VOTE"):
            return Thought((self.chance.choice(votes),))
        me = self.mine(sheet)
        alive = [row for row in self.others(sheet) if row.get("Life", "").isdecimal()]
        if not alive or not sheet.offers:
            return Thought()
        purse = sheet.find(r"You have (\d+) life points? and (\d+) tokens?")
        life, tokens = (int(purse[1]), int(purse[2])) if purse else (3, 0)
        own = me.get("Strength", "").isdecimal()
        orders = self._spend(sheet, alive, life=life, tokens=tokens, own=own)
        self.victim = ""
        return Thought(tuple(orders) or ("PASS",), self._pact(alive) if len(alive) > 2 else ())

    def hear(self, sheet: Sheet) -> Thought:
        if sheet.kind.startswith("press") and (found := sheet.find(_PACT.pattern)) and self.maybe(0.7):
            self.victim = found[1]
        return Thought()

    def _spend(self, sheet: Sheet, alive: list[Row], *, life: int, tokens: int, own: bool) -> list[str]:
        """Orders within the purse, now and then one beyond it, on credit."""
        orders: list[str] = []
        hired = [row for row in alive if row["Strength"].isdecimal()]
        victim = self._victim(alive)
        if sheet.offers_of("BLACKMAIL") and life == 1 and self.maybe(0.15):
            return ["BLACKMAIL"]
        if tokens == 0:
            return [f"HIT {victim}"] if own and self.maybe(0.08) else []
        # One's own life goes first where it hangs by a thread, and in a duel, where both shots at once win nothing.
        danger = max((int(row["Strength"]) for row in hired), default=0)
        if own and danger >= life and tokens >= 2 and self.maybe(0.6 if len(alive) == 1 else 0.4):
            orders.append(f"PROTECT {self.name}")
            tokens -= 2
        if hired and tokens >= 3:
            # Another's assassin is worth it where it strikes harder than one's own.
            strong = max(hired, key=lambda row: (int(row["Strength"]), self.chance.random()))
            if not own or int(strong["Strength"]) > 4 - life or self.maybe(0.3):
                price, verb = (5, "SECRET BRIBE") if tokens >= 5 and self.maybe(0.6) else (3, "BRIBE")
                target = strong["Player"] if self.maybe(0.3) else victim
                orders.append(f"{verb} {strong['Assassin']} HIT {target}")
                tokens -= price
        while own and tokens >= 1 and self.maybe(0.8 - self.greed / 3):
            orders.append(f"HIT {self._victim(alive) if orders and self.maybe(0.3) else victim}")
            tokens -= 1
        if own and orders and self.maybe(0.06):
            orders.append(f"PROTECT {self.name}")  # on credit: somebody is going to die, hopefully
        return orders

    def _victim(self, alive: list[Row]) -> str:
        names = [row["Player"] for row in alive]
        if self.victim in names:
            return self.victim
        return self.weighted([(row["Player"], 5.0 - int(row["Life"])) for row in alive])

    def _pact(self, alive: list[Row]) -> tuple[str, ...]:
        if self.maybe(0.2):
            ally, victim = self.chance.sample([row["Player"] for row in alive], 2)
            self.victim = victim
            return (f"TELL {ally}: You and I should work together: what about {victim}, in this round?",)
        return (f"SAY: {self.chance.choice(self.talk)}",) if self.maybe(0.06) else ()
