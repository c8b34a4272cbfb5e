"""Point Thief: read what the others claim, guess who lies, and lie in turn."""

import re
from collections import Counter

from pbm.demo.minds.base import Mind, Thought
from pbm.demo.sheet import Sheet

CHARACTERS = ("mafia", "cartel", "police", "beggar")
_SHOWN = re.compile(r"[“\"](mafia|cartel|police|beggar)[”\"]")


class Thief(Mind):
    talk = (
        "I am an honest beggar, as always.",
        "Two of you are lying, and I know which two.",
        "The police will be everywhere in this round.",
        "Whoever goes with the mafia now has my word.",
    )

    def think(self, sheet: Sheet) -> Thought:
        if not sheet.must and not self.maybe(0.12):
            return Thought()  # not my turn, and only now and then somebody sends ahead
        so_far = sheet.find(r"So far: [^\n]*")
        claims = Counter(_SHOWN.findall(so_far[0] if so_far else ""))
        pick = self._pick(claims)
        claim = pick if self.maybe(0.55 - self.greed / 4) else self.chance.choice(CHARACTERS)
        if self.maybe(0.3):
            return Thought((f"PICK {pick}", f"CLAIM {claim}"), self._chat())
        return Thought((f"PICK {pick} CLAIM {claim}",), self._chat())

    def _pick(self, claims: Counter[str]) -> str:
        mafia, cartel = claims["mafia"], claims["cartel"]
        side = "mafia" if mafia > cartel else "cartel" if cartel > mafia else "police"
        weights = {"mafia": 1.0, "cartel": 1.0, "police": 1.0, "beggar": 0.8}
        weights[side] += 1.5 * sum(claims.values()) / 2
        return self.weighted(list(weights.items()))

    def _chat(self) -> tuple[str, ...]:
        return (f"SAY: {self.chance.choice(self.talk)}",) if self.maybe(0.08) else ()
