"""Point Thief on paper, in few words: steps of a scenario, and looks at what came out."""

from typing import Any

from pbm import paper
from pbm.core.draw import Draw

SEED = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
DRAW = Draw.from_hex(SEED)
ABC = ["alice", "bob", "carol"]
# shuffle("turn order", ABC) with this seed; so the rounds are led by carol, alice, bob.
ROUND_1 = ["carol", "alice", "bob"]

Out = dict[str, Any]


def go(player: str, pick: str, claim: str = "") -> Out:
    """A step in which one player sends a pick, and a claim (the same where none is given)."""
    return {"orders": {player: [f"PICK {pick} CLAIM {claim or pick}"]}}


def sent(**lines: list[str]) -> Out:
    """A step with these players' mails."""
    return {"orders": lines}


def played(*steps: Out, players: list[str] = ABC, **options: Any) -> Out:
    """The whole output of the scenario."""
    scenario = {"game": "point_thief", "seed": SEED, "options": options, "players": players, "steps": list(steps)}
    return paper.adjudicate(scenario)


def last(out: Out) -> Out:
    """The output of the last step."""
    step: Out = out["steps"][-1]
    return step


def of_type(step: Out, kind: str) -> list[Out]:
    return [event for event in step["events"] if event["type"] == kind]


def types(step: Out) -> list[str]:
    return [event["type"] for event in step["events"]]


def queued(step: Out, player: str) -> Any:
    """What lies ahead for this player, as the player sees it."""
    return step["private"][player]["queued"]


def refused(step: Out) -> list[tuple[str, str]]:
    """Whose lines were refused, and which."""
    return [(refusal["player"], refusal["line"]) for refusal in step["refused"]]
