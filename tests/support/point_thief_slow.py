"""A second adjudicator of Point Thief: slow, plain, and written from RULINGS.md and SCENARIOS.md alone.

It shares no code with `pbm`. It plays a whole scenario (a well-formed one) and gives the keys that SCENARIOS.md asks
for, and no others. Points are dealt out coin by coin, and halves are counted off in pairs.
"""

import hashlib
import hmac
from typing import Any

CHARACTERS = ("mafia", "cartel", "police", "beggar")


def random_below(key: bytes, label: str, n: int) -> int:
    """G4: the first u below the largest multiple of n, modulo n."""
    counter = 0
    while True:
        mac = hmac.new(key, (label + "#" + str(counter)).encode("utf-8"), hashlib.sha256).digest()
        u = 0
        for byte in mac[:8]:
            u = u * 256 + byte
        if u < 2**64 - (2**64 % n):
            return u % n
        counter = counter + 1


def shuffled(key: bytes, label: str, items: list[str]) -> list[str]:
    """G4: from the last place down to the second."""
    items = items[:]
    i = len(items) - 1
    while i >= 1:
        j = random_below(key, f"{label}/{i}", i + 1)
        keep = items[i]
        items[i] = items[j]
        items[j] = keep
        i = i - 1
    return items


def dealt(coins: int, heads: int) -> tuple[int, int]:
    """Deal coins out in full circles: what each head has, and what is left."""
    each = 0
    while heads > 0 and coins >= heads:
        coins -= heads
        each += 1
    return each, coins


def payoff(picks: dict[str, str]) -> dict[str, int]:
    """P6: what each of these players receives, discards left out."""
    crowd = {c: [name for name in picks if picks[name] == c] for c in CHARACTERS}
    if len(crowd["mafia"]) > len(crowd["cartel"]):
        takers = crowd["mafia"]
    elif len(crowd["cartel"]) > len(crowd["mafia"]):
        takers = crowd["cartel"]
    else:
        takers = crowd["police"]
    got = dict.fromkeys(picks, 0)
    each, rest = dealt(4, len(takers))
    for name in takers:
        got[name] += each
    each, _ = dealt(rest, len(crowd["beggar"]))
    for name in crowd["beggar"]:
        got[name] += each
    return got


def after_lie(points: int, remainder: bool) -> int:
    """P7: the points that somebody has left whose lie earned nothing."""
    if points <= 0:
        return points - 1
    pairs = 0
    while (pairs + 1) * 2 <= points:
        pairs += 1
    return pairs if remainder else points - pairs


class Slow:
    def __init__(self, scenario: dict[str, Any]) -> None:
        options = scenario.get("options") or {}
        self.key = bytes.fromhex(scenario["seed"])
        self.names: list[str] = list(scenario["players"])
        self.wheel = shuffled(self.key, "turn order", self.names)
        self.last = options.get("rounds", len(self.names))
        self.remainder = options.get("lie_rounding") == "remainder"
        self.round = 1
        self.extra = 0  # tiebreak rounds begun
        self.points = dict.fromkeys(self.names, 0)
        self.alms = dict.fromkeys(self.names, 0)
        self.gone: list[str] = []
        self.inside = list(self.names)  # who can still have a turn, removed players apart
        self.desk: dict[str, dict[str, str]] = {name: {} for name in self.names}
        self.sitting = self.circle()  # the round's order; removed players leave it
        self.played: list[tuple[str, str, str]] = []
        self.over = False
        self.winners: list[str] = []
        self.events: list[dict[str, Any]] = []

    def circle(self) -> list[str]:
        """P1, P9: step round the wheel from the round's own leader, over those who left."""
        place = 0
        for _ in range(self.round - 1):
            place = place + 1
            if place == len(self.wheel):
                place = 0
        seen = []
        for _ in self.wheel:
            if self.wheel[place] not in self.gone:
                seen.append(self.wheel[place])
            place = place + 1
            if place == len(self.wheel):
                place = 0
        return seen

    def now(self) -> str | None:
        for name in self.sitting:
            if name not in [p for p, _, _ in self.played]:
                return name
        return None

    def say(self, kind: str, **data: Any) -> None:
        self.events.append({"type": kind, "to": "public", **data})

    def turn(self) -> None:
        """The one whose turn it is acts with what lies on the desk."""
        name = self.now()
        assert name is not None
        note = self.desk[name]
        self.desk[name] = {}
        if "PICK" not in note:  # P4
            self.say("missed", player=name)
            self.played.append((name, "beggar", "beggar"))
            self.say("claim", player=name, claim="beggar", missed=True)
        else:
            if "CLAIM" not in note:
                note["CLAIM"] = note["PICK"]
            self.played.append((name, note["PICK"], note["CLAIM"]))
            self.say("claim", player=name, claim=note["CLAIM"], missed=False)

    def behind(self) -> None:
        """What follows without anybody's doing."""
        while not self.over:
            name = self.now()
            if name is None:
                self.round_ends()
            elif len(self.desk[name]) == 2:
                self.turn()
            else:
                break

    def round_ends(self) -> None:
        got = payoff({name: pick for name, pick, _ in self.played})
        gained, lost = {}, {}
        for name, pick, claim in self.played:
            if name in self.gone:
                continue
            before = self.points[name]
            if got[name] == 0 and pick != claim:
                self.points[name] = after_lie(before, self.remainder)
            self.points[name] += got[name]
            if pick == "beggar":
                self.alms[name] += got[name]
            if self.points[name] > before:
                gained[name] = self.points[name] - before
            if self.points[name] < before:
                lost[name] = before - self.points[name]
        self.say("reveal", picks=[[n, p] for n, p, _ in reversed(self.played)], gained=gained, lost=lost)
        if self.round >= self.last:
            best = [n for n in self.inside if n not in self.gone]
            best = [n for n in best if self.points[n] == max(self.points[o] for o in best)]
            best = [n for n in best if self.alms[n] == max(self.alms[o] for o in best)]
            if len(best) == 1:
                self.win(best[0])
                return
            self.inside = best
            for name in self.names:
                if name not in best:
                    self.desk[name] = {}
            self.extra += 1
            self.round += 1
            self.sitting = shuffled(self.key, f"tiebreak {self.extra} order", best)
        else:
            self.round += 1
            self.sitting = self.circle()
        self.played = []

    def win(self, name: str) -> None:
        self.over = True
        self.winners = [name]
        self.desk = {n: {} for n in self.names}
        self.say("game_over", winners=[name])

    def remove(self, name: str) -> None:
        was_acting = self.now() == name
        self.gone.append(name)
        self.desk[name] = {}
        self.sitting = [n for n in self.sitting if n != name]
        self.say("removed", player=name)
        rest = [n for n in self.inside if n not in self.gone]
        if len(rest) == 1:
            self.win(rest[0])
        elif was_acting:
            self.behind()

    def mail(self, name: str, lines: list[str], refused: list[dict[str, str]]) -> None:
        for line in lines:
            words = line.lower().split()
            pairs = [words[i : i + 2] for i in range(0, len(words), 2)]
            verbs = [pair[0] for pair in pairs]
            readable = verbs in (["pick"], ["claim"], ["pick", "claim"])
            readable = readable and all(len(pair) == 2 and pair[1] in CHARACTERS for pair in pairs)
            if not readable or name in self.gone or name not in self.inside:
                refused.append({"player": name, "line": line})
                continue
            for verb, character in pairs:
                self.desk[name][verb.upper()] = character

    def shown(self, name: str) -> dict[str, Any]:
        note = self.desk[name]
        return {"queued": {"pick": note.get("PICK"), "claim": note.get("CLAIM")} if note else None}

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        self.events = []
        refused: list[dict[str, str]] = []
        round_open = self.round
        if "remove" in step:
            self.remove(step["remove"])
        else:
            for name in self.names:
                self.mail(name, step["orders"].get(name, []), refused)
            self.turn()
            self.behind()
        return {
            "phase": "turn",
            "round": round_open,
            "refused": refused,
            "events": self.events,
            "public": {
                "order": self.sitting[:],
                "round": self.round,
                "points": dict(self.points),
                "beggar_points": dict(self.alms),
                "claims": {name: claim for name, _, claim in self.played},
            },
            "private": {name: self.shown(name) for name in self.names},
            "next": None if self.over else {"phase": "turn", "round": self.round, "waiting_for": [self.now()]},
        }


def adjudicate(scenario: dict[str, Any]) -> dict[str, Any]:
    """Play the scenario; it must end with its last step at the latest. Steps after the end are not played."""
    game = Slow(scenario)
    steps = []
    for step in scenario["steps"]:
        if game.over:
            break
        steps.append(game.step(step))
    return {"game": "point_thief", "steps": steps, "over": game.over, "winners": game.winners}
