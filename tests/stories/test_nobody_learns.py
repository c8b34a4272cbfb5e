"""Non-interference (DESIGN.md): whatever one player does in secret, every other reader's mails are the same bytes,
queued at the same second, until the rules reveal it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.world import World

NAMES = ("alice", "bob", "carol", "dave")
HOUR = 3600

Secret = Callable[[World], None]


def game(rules: str, players: int) -> str:
    seats = "\n".join(f"  - {{name: {name}, address: {name}@play.test}}" for name in NAMES[:players])
    return (
        f"game: {rules}\nid: g-1\nplayers:\n{seats}\ntiming: {{default: {{close: deadline}}}}\nreminders: [12h, 3h]\n"
    )


def nothing(world: World) -> None:
    world.pass_time(20 * HOUR)


def early(*texts: str) -> Secret:
    def act(world: World) -> None:
        for text in texts:
            world.send("alice", text)
            world.pass_time(HOUR)
        world.pass_time((20 - len(texts)) * HOUR)

    return act


def late(text: str) -> Secret:
    def act(world: World) -> None:
        world.pass_time(19 * HOUR)
        world.send("alice", text, quote=False)
        world.pass_time(HOUR)

    return act


CASES = {
    "tontine": (
        4,
        (
            nothing,
            early("HIT bob", "BLACKMAIL", "what a mess\n\nHELP"),
            early("HIT zed", "SECRET BRIBE nobody HIT bob", "STATUS", "ORDERS"),
            late("SECRET BRIBE bob HIT carol\nPROTECT alice\nMAILS needed\nTIMEZONE Asia/Tokyo"),
        ),
    ),
    "buy_the_bullet": (
        4,
        (nothing, early("BID heart", "BID NONE", "CLEAR"), late("BID diamond"), early("WAIT", "BID x")),
    ),
    "money_grab": (2, (nothing, early("TAKE 1", "TAKE 9", "WAIT"), late("TAKE 0"))),
    "dont_get_greedy": (2, (nothing, early("TAKE 5"), late("TAKE 1"))),
}


def seen_by_others(folder: Path, rules: str, players: int, secret: Secret) -> dict[str, list[tuple[int, bytes]]]:
    folder.mkdir()
    world = World(folder)
    try:
        world.game(game(rules, players))
        world.send("bob", "STATUS")
        secret(world)
        assert world.reports == []
        assert world.row("g-1").turn == 1
        return {
            box: [(mail.at, mail.raw) for mail in mails]
            for box, mails in world.boxes.items()
            if not box.startswith(("alice@", "mod@"))
        }
    finally:
        world.close()


@pytest.mark.parametrize("rules", CASES)
def test_secrets_change_no_byte_of_what_others_read(tmp_path: Path, rules: str) -> None:
    players, secrets = CASES[rules]
    first = seen_by_others(tmp_path / "0", rules, players, secrets[0])
    assert len(first) == players  # the list, and every player but alice
    for n, secret in enumerate(secrets[1:], 1):
        assert seen_by_others(tmp_path / str(n), rules, players, secret) == first


def test_whose_turn_it_is_not_may_send_ahead_unseen(tmp_path: Path) -> None:
    """P3: orders for a later turn are kept; nobody sees whether there are any before the turn is played."""
    seen = []
    for n, text in enumerate(("", "PICK mafia CLAIM police", "PICK beggar", "CLAIM cartel\nPICK police")):
        (tmp_path / str(n)).mkdir()
        world = World(tmp_path / str(n))
        table = world.game(game("point_thief", 4))
        turn = table.open_phase.must[0]
        last = table.view(None)["order"][-1]
        if text:
            world.send(last, text)
        world.pass_time(6 * HOUR)
        world.send(turn, "PICK mafia CLAIM mafia")
        world.pass_time(HOUR)
        others = {box: mails for box, mails in world.boxes.items() if not box.startswith((last, "mod"))}
        seen.append({box: [(mail.at, mail.raw) for mail in mails] for box, mails in others.items()})
        world.close()
    assert all(boxes == seen[0] for boxes in seen)
