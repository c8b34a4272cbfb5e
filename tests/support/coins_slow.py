"""Both coin games adjudicated a second time, slowly and plainly, from the whole history of takes.

Written from the rulings' text, apart from `pbm.games`: no state is kept; every figure is worked out anew from the list
of all rounds of the game or bout. Shares no code with the engine but the draw of ruling G4, done here by hand.
"""

import hmac
from collections.abc import Sequence
from typing import Any

Pair = tuple[int, int]


def _draw(key: bytes, label: str, n: int) -> int:
    counter = 0
    while True:
        u = int.from_bytes(hmac.digest(key, f"{label}#{counter}".encode(), "sha256")[:8], "big")
        if u < 2**64 - 2**64 % n:
            return u % n
        counter += 1


def limit_cards(key: bytes, bout: int, number: int) -> list[int]:
    """M2, by G4's shuffle."""
    label, cards = f"bout {bout} set {number}: limits", [1, 2, 3, 4]
    for i in (3, 2, 1):
        j = _draw(key, f"{label}/{i}", i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


# --- Don't Get Greedy -------------------------------------------------------------------------------------------------


def greedy_figures(pot: int, takes: Sequence[Pair]) -> dict[str, Any]:
    """D1 and D2 over all rounds of one game: what the last of them led to. `lost`: coins of that round's penalties."""
    coins, received, lost = [0, 0], [0, 0], [0, 0]
    since = [0, 0]  # each player's rounds with the higher number since the count was last 0
    for pair in takes:
        lost = [0, 0]
        for me in (0, 1):
            coins[me] += pair[me]
            pot -= pair[me]
        for me, you in ((0, 1), (1, 0)):
            if pair[me] > pair[you]:
                since[me] += 1
            elif pair[me] < pair[you]:
                since[me] = 0
            if since[me] == 2:
                since[me] = 0
                for gift in (False, True):
                    if coins[me] > 0:
                        coins[me] -= 1
                        lost[me] += 1
                        if gift:
                            coins[you] += 1
                            received[you] += 1
    return {"pot": pot, "coins": coins, "streaks": since, "received": received, "lost": lost}


def greedy(takes: Sequence[Pair], pot: int = 100, replay_pot: int = 40) -> list[dict[str, Any]]:
    """After each round: the figures shown, and what happened: `replay`, or the seat of the `winner`."""
    shown: list[dict[str, Any]] = []
    start, game = 0, 1
    for n in range(1, len(takes) + 1):
        now = greedy_figures(pot if game == 1 else replay_pot, takes[start:n])
        row = {**now, "game": game, "round": n - start + 1, "played": n - start, "replay": False, "winner": None}
        if now["pot"] <= 9:
            ranks = [(now["coins"][me], now["received"][me]) for me in (0, 1)]
            if ranks[0] != ranks[1]:
                row |= {"winner": ranks.index(max(ranks)), "round": n - start}
            else:
                game, start = game + 1, n
                lost = row["lost"]
                row |= {**greedy_figures(replay_pot, []), "lost": lost, "game": game, "round": 1, "replay": True}
        shown.append(row)
        if row["winner"] is not None:
            break
    return shown


# --- Money Grab -------------------------------------------------------------------------------------------------------


def streak_after(me: int, takes: Sequence[Pair]) -> int:
    """M4, read backwards from the last round: higher numbers in a row; one tie doesn't count, two in a row stop it."""
    streak = ties = 0
    for pair in reversed(takes):
        mine, yours = pair[me], pair[1 - me]
        if mine == yours:
            ties += 1
            if ties == 2:
                break
        elif mine > yours:
            ties = 0
            streak += 1
        else:
            break
    return streak


def bout_figures(takes: Sequence[Pair]) -> dict[str, Any]:
    """M1 and M4 to M6 over all rounds of one bout. `ended`: the seat that has won it, or None."""
    pot, coins, penalties = 60, [10, 10], [0, 0]
    last: dict[str, Any] = {"lost": [0, 0], "taxed": None}
    ended: int | None = None
    for n, pair in enumerate(takes, 1):
        last = {"lost": [0, 0], "taxed": None}
        for me in (0, 1):
            coins[me] += pair[me]
            pot -= pair[me]
        for me in (0, 1):
            streak = streak_after(me, takes[:n])
            if pair[me] > pair[1 - me] and streak >= 2:
                paid = min(streak - 1, coins[me])
                coins[me] -= paid
                pot += paid
                penalties[me] += paid
                last["lost"][me] = paid
        if n % 4 == 0:
            last["taxed"] = min(2, pot)
            pot -= last["taxed"]
        if pot < 10:
            ranks = [(coins[me], -penalties[me]) for me in (0, 1)]
            if ranks[0] == ranks[1]:
                pot += 10
            else:
                assert n == len(takes), "rounds behind the end of a bout"
                ended = ranks.index(max(ranks))
    streaks = [streak_after(me, takes) for me in (0, 1)]
    return {"pot": pot, "coins": coins, "penalties": penalties, "streaks": streaks, **last, "ended": ended}


def grab(takes: Sequence[Pair]) -> list[dict[str, Any]]:
    """After each round: the figures shown, `bout_end` (a seat or None), and the seat of the `winner`."""
    shown: list[dict[str, Any]] = []
    start, bout, wins = 0, 1, [0, 0]
    for n in range(1, len(takes) + 1):
        now = bout_figures(takes[start:n])
        played = n - start
        told = {"lost": now["lost"], "taxed": now["taxed"], "bout_end": now["ended"], "winner": None}
        place = {"bout": bout, "set": played // 4 + 1, "round": played % 4 + 1}
        if now["ended"] is not None:
            wins[now["ended"]] += 1
            if wins[now["ended"]] == 2:
                told["winner"] = now["ended"]
                place |= {"set": (played - 1) // 4 + 1, "round": (played - 1) % 4 + 1}
            else:
                bout, start = bout + 1, n
                now = bout_figures([])
                place = {"bout": bout, "set": 1, "round": 1}
        figures = {key: now[key] for key in ("pot", "coins", "penalties", "streaks")}
        shown.append({**figures, **place, **told, "wins": list(wins)})
        if told["winner"] is not None:
            break
    return shown
