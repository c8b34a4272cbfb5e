"""A second adjudicator of Buy the Bullet, written from the rulings alone: slow and obvious, one sentence after another.

It shares no code with `pbm.games`, reads only upper-case orders with single blanks, and gives what SCENARIOS.md names.
"""

from typing import Any

WORDS = {"DIAMOND": "D", "HEART": "H", "SPADE": "S", "CLUB": "C"}
RANKS = {"D": 4, "H": 3, "S": 2, "C": 1}


def wins_alone(card: str, table: list[str]) -> bool:
    """B4: whether the card, with all on the table and itself, is the highest that occurs once."""
    everything = [*table, card]
    if everything.count(card) != 1:
        return False
    return all(other == card or RANKS[other] < RANKS[card] or everything.count(other) > 1 for other in everything)


def would_be_put_in(hand: list[str], table: list[str]) -> str | None:
    best = None
    for card in hand:
        if not wins_alone(card, table) and (best is None or RANKS[card] > RANKS[best]):
            best = card
    return best


def bullet(real: dict[str, str], put: dict[str, str]) -> str | None:
    """B3, B4: strike from the top all cards that aren't alone or weren't really bid."""
    everything = [*real.values(), *put.values()]
    for rank in (4, 3, 2, 1):
        here = [card for card in everything if RANKS[card] == rank]
        if len(here) == 1:
            for player, card in real.items():
                if RANKS[card] == rank:
                    return player
    return None


def penalised(votes: dict[str, str]) -> str | None:
    """B7: strike out whoever is tied at the top, again and again."""
    left = list(votes.values())
    while left:
        top = max(left.count(name) for name in left)
        at_top = {name for name in left if left.count(name) == top}
        if len(at_top) == 1:
            return at_top.pop()
        left = [name for name in left if name not in at_top]
    return None


class Slow:
    def __init__(self, players: list[str]) -> None:
        self.order = players
        self.hands = {p: ["D", "H", "S", "C"] for p in players}
        self.status = dict.fromkeys(players, "alive")
        self.strikes = dict.fromkeys(players, 0)
        self.pledges: list[tuple[str, str, str]] = []  # from, card, to
        self.has_pledged: set[str] = set()
        self.phase, self.round = "bid", 1
        self.holder: str | None = None
        self.penalty: dict[str, str] = {}  # "no card" or "put in", for the next bid phase
        self.over, self.winners = False, list[str]()
        self.events: list[dict[str, Any]] = []

    def tell(self, kind: str, **data: Any) -> None:
        self.events.append({"type": kind, "to": "public", **data})

    def alive(self) -> list[str]:
        return [p for p in self.order if self.status[p] == "alive"]

    def dead(self) -> list[str]:
        return [p for p in self.order if self.status[p] == "dead"]

    # --- who may send what

    def waited_for(self) -> list[str]:
        if self.phase == "bid":
            return [p for p in self.alive() if self.hands[p] and p not in self.penalty]
        if self.phase == "shoot":
            return [p for p in self.order if p == self.holder]
        if self.phase == "vote":
            return self.dead()
        return [p for p in self.dead() if self.hands[p] and p not in self.has_pledged]

    def free_cards(self, player: str) -> list[str]:
        cards = list(self.hands[player])
        for giver, card, _ in self.pledges:
            if giver == player:
                cards.remove(card)
        return cards

    def accepts(self, player: str, words: list[str]) -> bool:
        """One line by itself; a pledge that is accepted is made at once."""
        alive = self.status[player] == "alive"
        names = {p.upper(): p for p in self.order}
        if words == ["PASS"]:
            return self.status[player] == "dead" or (self.phase == "bid" and player in self.waited_for())
        if len(words) == 2 and words[0] == "BID":
            if self.phase != "bid" or not alive or player not in self.waited_for():
                return False
            return words[1] == "NONE" or WORDS.get(words[1]) in self.hands[player]
        if len(words) == 2 and words[0] == "SHOOT":
            target = names.get(words[1])
            return self.phase == "shoot" and self.holder == player and target != player and target in self.alive()
        if len(words) == 2 and words[0] == "VOTE":
            return self.phase == "vote" and self.status[player] == "dead" and names.get(words[1]) in self.alive()
        if len(words) == 4 and words[0] == "PLEDGE" and words[2] == "TO":
            card, to = WORDS.get(words[1]), names.get(words[3])
            if self.status[player] != "dead" or player in self.has_pledged or to is None or card is None:
                return False
            if card not in self.free_cards(player) or to not in self.alive():
                return False
            self.has_pledged.add(player)
            self.pledges.append((player, card, to))
            self.tell("pledge", **{"from": player, "card": card, "recipient": to})
            return True
        return False

    # --- leaving

    def remove(self, players: list[str]) -> None:
        for p in players:
            self.status[p], self.hands[p] = "removed", []
            self.penalty.pop(p, None)
            if self.holder == p:
                self.holder = None
            self.tell("removed", player=p)
        self.after_leaving()

    def after_leaving(self) -> None:
        for pledge in list(self.pledges):
            giver, card, to = pledge
            if self.status[giver] == "removed" or self.status[to] != "alive":
                self.pledges.remove(pledge)
                self.tell("pledge_void", **{"from": giver, "card": card, "recipient": to})
        if len(self.alive()) <= 1:
            self.over, self.winners = True, self.alive()
            self.tell("game_over", winners=self.alive())

    # --- closing

    def close(self, sent: dict[str, list[list[str]]]) -> None:
        """`sent`: accepted lines, pledges left out."""
        last: dict[str, str] = {}
        for player, lines in sent.items():
            for words in lines:
                if len(words) == 2:
                    last[player] = words[1]
        missing = [p for p in self.waited_for() if not sent.get(p)]
        for p in missing:
            self.tell("missed", player=p)
        {"bid": self.close_bid, "shoot": self.close_shoot, "vote": self.close_vote, "pledge": self.close_pledge}[
            self.phase
        ](last, missing)

    def close_bid(self, last: dict[str, str], missing: list[str]) -> None:
        penalty, self.penalty = self.penalty, {}
        thirds = []
        for p in missing:
            self.strikes[p] += 1
            self.tell("strike", player=p, strikes=self.strikes[p])
            if self.strikes[p] == 2:
                penalty[p] = "put in"
            if self.strikes[p] == 3:
                thirds.append(p)
        if thirds:
            self.remove(thirds)
        if self.over:
            return
        real = {p: WORDS[last[p]] for p in self.alive() if last.get(p, "NONE") != "NONE"}
        put: dict[str, str] = {}
        for p in self.alive():
            if penalty.get(p) == "put in":
                card = would_be_put_in(self.hands[p], [*real.values(), *put.values()])
                if card:
                    put[p] = card
        winner = bullet(real, put)
        cards_before = any(self.hands[p] for p in self.alive())
        shown: dict[str, str | None] = {}
        for p in self.alive():
            shown[p] = real.get(p) or put.get(p)
            if shown[p] is not None:
                self.hands[p].remove(str(shown[p]))
        self.tell("bids", bids=shown, winner=winner)
        if winner:
            self.phase, self.holder = "shoot", winner
        elif cards_before and self.dead() and all(card is None for card in shown.values()):
            self.phase = "vote"
        else:
            self.next_round()

    def close_shoot(self, last: dict[str, str], missing: list[str]) -> None:
        for p in missing:
            self.strikes[p] += 1
            self.tell("strike", player=p, strikes=self.strikes[p])
            if self.strikes[p] < 3:
                self.penalty[p] = "no card" if self.strikes[p] == 1 else "put in"
                return
            self.remove([p])
        if self.holder:
            victim = next(p for p in self.order if p.upper() == last[self.holder])
            self.tell("shot", by=self.holder, player=victim)
            self.status[victim] = "dead"
            self.penalty.pop(victim, None)
            self.holder = None
            self.after_leaving()
        if not self.over:
            self.next_round()

    def close_vote(self, last: dict[str, str], missing: list[str]) -> None:
        votes = {p: next(q for q in self.order if q.upper() == last[p]) for p in self.dead() if p in last}
        victim, card = penalised(votes), None
        if victim and self.hands[victim]:
            card = max(self.hands[victim], key=lambda c: RANKS[c])
            self.hands[victim].remove(card)
        self.tell("vote", votes=votes, player=victim, card=card)
        self.next_round()

    def close_pledge(self, last: dict[str, str], missing: list[str]) -> None:
        self.next_round()

    def next_round(self) -> None:
        was, self.phase = self.phase, "bid"
        if not any(self.hands[p] for p in self.alive()):
            if self.pledges:
                moved = []
                for giver, card, to in self.pledges:
                    self.hands[giver].remove(card)
                    self.hands[to].append(card)
                    moved.append({"from": giver, "card": card, "to": to})
                self.pledges = []
                self.tell("hand_over", cards=moved)
            elif was != "pledge" and any(self.hands[p] for p in self.dead()):
                self.phase = "pledge"
            else:
                for p in self.dead():
                    self.status[p], self.hands[p] = "removed", []
                    self.tell("removed", player=p)
                for p in self.alive():
                    self.hands[p] = ["D", "H", "S", "C"]
                self.tell("new_deal")
        self.round += 1
        self.holder, self.has_pledged = None, set()

    # --- one step of a scenario

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        self.events = []
        out: dict[str, Any] = {"phase": self.phase, "round": self.round, "refused": []}
        if "remove" in step:
            self.remove([step["remove"]])
        else:
            sent: dict[str, list[list[str]]] = {}
            for p in self.order:
                good = []
                for line in step["orders"].get(p, []):
                    words = line.replace(":", "").split(" ")
                    if not self.accepts(p, words):
                        out["refused"].append({"player": p, "line": line})
                    elif words[0] != "PLEDGE":
                        good.append(words)
                if good:
                    sent[p] = good
            self.close(sent)
        out["events"] = self.events
        out["public"] = {
            "players": {
                p: {
                    "hand": sorted(self.hands[p], key=lambda c: -RANKS[c]),
                    "status": self.status[p],
                    "strikes": self.strikes[p],
                }
                for p in self.order
            },
            "holder": self.holder,
            "pledges": [{"from": giver, "card": card, "to": to} for giver, card, to in self.pledges],
        }
        out["private"] = {p: {} for p in self.order}
        out["next"] = None
        if not self.over:
            out["next"] = {"phase": self.phase, "round": self.round, "waiting_for": self.waited_for()}
        return out


def adjudicate(scenario: dict[str, Any]) -> dict[str, Any]:
    game = Slow(list(scenario["players"]))
    steps = [game.step(step) for step in scenario["steps"]]
    return {"game": "buy_the_bullet", "steps": steps, "over": game.over, "winners": game.winners}
