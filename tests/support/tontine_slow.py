"""A second adjudicator of Tontine: slow, plain, and written from RULINGS.md and SCENARIOS.md alone.

It shares no code with `pbm`. It plays a well-formed scenario that has the option `assassins`, and gives the keys that
SCENARIOS.md asks for, and no others. Everything is kept in flat dictionaries by player; coins are counted one by one.
"""

import hashlib
import hmac
from typing import Any

PRICE = {"HIT": 1, "PROTECT": 2, "BRIBE": 3, "SECRET": 5}


def random_below(key: bytes, label: str, n: int) -> int:
    """G4: the first u below the largest multiple of n, modulo n."""
    counter = 0
    while True:
        mac = hmac.new(key, (label + "#" + str(counter)).encode("utf-8"), hashlib.sha256).digest()
        u = int(mac[:8].hex(), 16)
        if u < 2**64 - (2**64 % n):
            return u % n
        counter += 1


class Slow:
    """One game under way. `step` plays a step and gives its output; `over` says whether the game has ended."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        options = scenario.get("options") or {}
        self.key = bytes.fromhex(scenario["seed"])
        self.names: list[str] = list(scenario["players"])
        self.assassin = dict(zip(self.names, options["assassins"], strict=True))
        self.figures: list[int] = options.get("dividends", [2, 3, 4, 5, 6])
        self.owner_dies = options.get("roulette", "assassin") == "player"
        self.idle_limit: int = options.get("idle_limit", 10)
        self.life = dict.fromkeys(self.names, 3)
        self.status = dict.fromkeys(self.names, "alive")
        self.armed = dict.fromkeys(self.names, True)
        self.tokens = dict.fromkeys(self.names, 1)
        self.used = dict.fromkeys(self.names, False)
        self.misses = dict.fromkeys(self.names, 0)
        self.death_rounds = 0
        self.idle = 0
        self.phase = "round"
        self.round = 1
        self.second_vote = False
        self.over = False
        self.winners: list[str] = []

    def having(self, status: str) -> list[str]:
        return [name for name in self.names if self.status[name] == status]

    # Reading orders

    def owner_meant(self, word: str) -> str | None:
        """The assassin's name goes first, then the owner's."""
        for name in self.names:
            if self.assassin[name].lower() == word:
                return name
        return word if word in self.names else None

    def read(self, line: str) -> tuple[str, ...] | None:
        """(kind, owner of the assassin, target) with None for what isn't there; None for what is no order."""
        words = line.lower().split()
        if words in (["pass"], ["blackmail"]):
            return (words[0].upper(), "", "")
        if len(words) == 2 and words[0] in ("hit", "protect", "vote") and words[1] in self.names:
            return (words[0].upper(), "", words[1])
        secret = words[:2] == ["secret", "bribe"]
        if secret or words[:1] == ["bribe"]:
            rest = words[2:] if secret else words[1:]
            if len(rest) >= 3 and rest[-2] == "hit" and rest[-1] in self.names:
                owner = self.owner_meant(" ".join(rest[:-2]))
                if owner is not None:
                    return ("SECRET" if secret else "BRIBE", owner, rest[-1])
        return None

    def takes(self, name: str, order: tuple[str, ...]) -> bool:
        """Whether one line may stand, taken by itself."""
        kind, owner, target = order
        if self.phase == "jury":
            if self.status[name] != "jailed":
                return False
            return kind == "PASS" or (kind == "VOTE" and self.status[target] == "alive")
        if self.status[name] != "alive" or kind == "VOTE":
            return False
        if kind == "PASS":
            return True
        if kind == "BLACKMAIL":
            return self.armed[name] and not self.used[name]
        return self.armed[owner or name] and self.status[target] == "alive"

    def sort_out(self, name: str, lines: list[str]) -> tuple[list[tuple[str, ...]], list[str]]:
        """The orders that stand, and the lines that are refused, in their order."""
        good: list[tuple[int, tuple[str, ...]]] = []
        bad: list[int] = []
        for i, line in enumerate(lines):
            order = self.read(line)
            second = order is not None and order[0] == "BLACKMAIL" and any(o[0] == "BLACKMAIL" for _, o in good)
            if order is None or second or not self.takes(name, order):
                bad.append(i)
            else:
                good.append((i, order))
        kinds = [o[0] for _, o in good]
        to_own = [o for _, o in good if o[0] in PRICE and (o[1] or name) == name]
        if "BLACKMAIL" in kinds and to_own:
            return [], lines[:]
        return [o for _, o in good], [lines[i] for i in bad]

    # Steps

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {"phase": self.phase, "round": self.round, "refused": []}
        self.events: list[dict[str, Any]] = []
        if "remove" in step:
            self.status[step["remove"]] = "removed"
            self.armed[step["remove"]] = False
            self.public("removed", player=step["remove"])
            if len(self.having("alive")) < 2:
                self.finish(self.having("alive"))
        else:
            stand: dict[str, list[tuple[str, ...]]] = {}
            for name in self.names:
                if name in step["orders"]:
                    stand[name], bad = self.sort_out(name, step["orders"][name])
                    out["refused"] += [{"player": name, "line": line} for line in bad]
            for name in self.waited_for():
                if not stand.get(name):
                    self.events.append({"type": "missed", "to": [name], "player": name})
            if self.phase == "jury":
                self.jury(stand)
            else:
                self.close_round(stand)
        out["events"] = self.events
        out["public"] = {
            "players": {
                n: {
                    "life": self.life[n],
                    "status": self.status[n],
                    "assassin": self.assassin[n],
                    "assassin_in_play": self.armed[n],
                }
                for n in self.names
            },
            "deaths_rounds": self.death_rounds,
        }
        out["private"] = {
            n: {"tokens": self.tokens[n], "blackmail_used": self.used[n], "misses": self.misses[n]} for n in self.names
        }
        out["next"] = None
        if not self.over:
            out["next"] = {"phase": self.phase, "round": self.round, "waiting_for": self.waited_for()}
        return out

    def waited_for(self) -> list[str]:
        return self.having("jailed" if self.phase == "jury" else "alive")

    def public(self, kind: str, **data: Any) -> None:
        self.events.append({"type": kind, "to": "public", **data})

    def finish(self, winners: list[str]) -> None:
        self.over = True
        self.winners = winners
        self.public("game_over", winners=winners)

    # T16

    def jury(self, stand: dict[str, list[tuple[str, ...]]]) -> None:
        one, two = self.having("alive")
        if not self.having("jailed"):
            self.second_vote = False
            self.next_round()
            return
        votes = {}
        for juror in self.having("jailed"):
            for kind, _, target in stand.get(juror, []):
                if kind == "VOTE":
                    votes[juror] = target
        self.public("jury_vote", votes=votes)
        ahead = list(votes.values()).count(one) - list(votes.values()).count(two)
        if ahead == 0 and not self.second_vote:
            self.second_vote = True
        elif ahead == 0:
            self.finish([[one, two][random_below(self.key, "jury tie", 2)]])
        else:
            self.finish([one if ahead > 0 else two])

    def next_round(self) -> None:
        """T14, and on."""
        here = self.having("alive")
        if sum(self.tokens[n] for n in here) == 0:
            for n in here:
                self.tokens[n] = 1
            self.public("new_tokens")
        self.phase = "round"
        self.round += 1

    # A round

    def close_round(self, stand: dict[str, list[tuple[str, ...]]]) -> None:
        began = self.having("alive")
        strength = {n: 4 - self.life[n] for n in self.names}  # T3
        silent = [n for n in began if ("BLACKMAIL", "", "") in stand.get(n, [])]
        for n in silent:
            self.used[n] = True
        # What each player still has to pay for, in the order listed
        bill: dict[str, list[tuple[str, str, str]]] = {n: [] for n in began}
        for n in began:
            for kind, owner, target in stand.get(n, []):
                if kind in PRICE:
                    bill[n].append((kind, owner or n, target))
        for n in began:
            if not stand.get(n):
                self.miss(n, began, bill)
        shots: list[tuple[str, str, bool]] = []  # owner, target, stopped
        shields: list[tuple[str, str]] = []  # owner, target
        bought: list[tuple[str, str, str, str]] = []  # payer, kind, owner, target
        # First wave: T4, T5
        first = self.pay(began, bill)
        self.carry_out(first, silent, strength, shots, shields)
        bought += first
        # T6
        dead = [n for n in began if self.life[n] == 0]
        for n in dead:
            self.status[n] = "dead"
        each = self.dividend() if dead else None
        # T7
        for n in began:
            bill[n] = [] if n in dead else [b for b in bill[n] if b[2] not in dead]
        second = self.pay(self.having("alive"), bill)
        self.carry_out(second, silent, strength, shots, shields)
        bought += second
        dead_later = [n for n in self.having("alive") if self.life[n] == 0]
        for n in dead_later:
            self.status[n] = "dead"
        # T9
        caught = [n for n in self.having("alive") if bill[n]]
        for n in caught:
            self.status[n] = "jailed"
            self.tokens[n] = 0
        # T8
        for n in self.names:
            if self.status[n] != "alive":
                self.armed[n] = False
        # T1, T5: what all are told
        for owner, target, stopped in shots:
            self.public(
                "hit",
                assassin=self.assassin[owner],
                owner=owner,
                target=target,
                damage=strength[owner],
                stopped=stopped,
            )
        for owner, target in shields:
            if target in [shot[1] for shot in shots]:
                self.public("protection", assassin=self.assassin[owner], owner=owner, target=target)
        for n in dead + dead_later:
            self.public("death", player=n)
        if each is not None:
            self.public("dividend", each=each)
        for n in caught:
            self.public("jailed", player=n)
        # T10, T11
        for payer, kind, owner, target in bought:
            if kind == "BRIBE":
                told = {"assassin": self.assassin[owner], "by": payer, "target": target}
                self.events.append({"type": "bribe_told", "to": [owner], **told})
            if kind in ("BRIBE", "SECRET") and owner in silent:
                told = {"assassin": self.assassin[owner], "target": target}
                self.events.append({"type": "bribe_refused", "to": [payer], **told})
        # T13
        if not bought:
            self.roulette()
        self.idle = 0 if bought else self.idle + 1
        # T15, T18
        here = self.having("alive")
        if len(here) <= 1:
            self.finish(here)
        elif len(here) == 2 and self.having("jailed"):
            self.phase = "jury"
        elif self.idle >= self.idle_limit:
            self.finish([])
        else:
            self.next_round()

    def miss(self, n: str, began: list[str], bill: dict[str, list[tuple[str, str, str]]]) -> None:
        """T12."""
        self.misses[n] += 1
        if self.misses[n] == 1 or self.tokens[n] == 0 or not self.armed[n]:
            return
        others = [m for m in began if m != n]
        target = others[random_below(self.key, f"round {self.round}: {n} target", len(others))]
        t = self.tokens[n]
        if t >= 5:
            kind = "SECRET"
        elif t >= 3:
            kind = "BRIBE"
        elif t == 2:
            kind = "PROTECT"
        else:
            kind = "HIT"
        self.tokens[n] = PRICE[kind]
        bill[n].append((kind, n, target))

    def pay(self, payers: list[str], bill: dict[str, list[tuple[str, str, str]]]) -> list[tuple[str, str, str, str]]:
        """Takes what can be paid off the bills, from the top."""
        paid = []
        for n in payers:
            while bill[n] and self.tokens[n] >= PRICE[bill[n][0][0]]:
                kind, owner, target = bill[n].pop(0)
                self.tokens[n] -= PRICE[kind]
                paid.append((n, kind, owner, target))
        return paid

    def carry_out(
        self,
        paid: list[tuple[str, str, str, str]],
        silent: list[str],
        strength: dict[str, int],
        shots: list[tuple[str, str, bool]],
        shields: list[tuple[str, str]],
    ) -> None:
        """One wave, all at once: each shield takes the strongest shot that is still coming."""
        coming = [(owner, target) for _, kind, owner, target in paid if kind != "PROTECT" and owner not in silent]
        new_shields = [(owner, target) for _, kind, owner, target in paid if kind == "PROTECT" and owner not in silent]
        for _, ward in new_shields:
            best: tuple[str, str] | None = None
            for name in self.names:  # in seat order: only a stronger one displaces an earlier seat
                if (name, ward) in coming and (best is None or strength[name] > strength[best[0]]):
                    best = (name, ward)
            if best is not None:
                coming.remove(best)
                shots.append((*best, True))
        for owner, target in coming:
            shots.append((owner, target, False))
            for _ in range(strength[owner]):
                if self.life[target] > 0:
                    self.life[target] -= 1
        shields += new_shields

    def dividend(self) -> int | None:
        """T6; gives what was paid to each, None where nobody is left."""
        self.death_rounds += 1
        figure = self.figures[self.death_rounds - 1] if self.death_rounds <= len(self.figures) else self.figures[-1]
        for n in self.having("alive"):
            self.tokens[n] += figure
        return figure if self.having("alive") else None

    def roulette(self) -> None:
        """T13."""
        at_table = [n for n in self.having("alive") if self.owner_dies or self.armed[n]]
        if len(at_table) <= 1:
            return
        lost = at_table[random_below(self.key, f"round {self.round}: roulette", len(at_table))]
        self.armed[lost] = False
        self.public("roulette", owner=lost)
        if self.owner_dies:
            self.status[lost] = "dead"
            self.public("death", player=lost)
            self.public("dividend", each=self.dividend())


def adjudicate(scenario: dict[str, Any]) -> dict[str, Any]:
    """The output of SCENARIOS.md, without reasons, and with no event fields but those named there."""
    game = Slow(scenario)
    steps = [game.step(step) for step in scenario["steps"]]
    return {"game": "tontine", "steps": steps, "over": game.over, "winners": game.winners}
