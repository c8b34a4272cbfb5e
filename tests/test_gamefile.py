"""Game files (INTERFACE.md, "Game file"): what they come to, and what is said of wrong ones."""

from pathlib import Path

import pytest

from pbm.config import Config
from pbm.core.engine import Facts, Options, PhaseKind
from pbm.faults import ConfigFaults
from pbm.gamefile import GameFile, load_game_file
from pbm.timing import PhaseTiming

HOUR, DAY = 3600, 86400
RESERVED = ("ALL", "NONE", "END", "TO", "WITH", "AS", "BID", "SHOOT")


class BulletOptions(Options):
    cards: int = 4


BULLET = Facts(
    key="bullet",
    title="The Bullet",
    tagline="",
    seats=(3, 10),
    options=BulletOptions,
    version=1,
    phases=(PhaseKind("bid", "Bids", {"length": "48h", "min": "12h"}), PhaseKind("shoot", "Shot", {"length": "24h"})),
)
PAIR = Facts("pair", "The Pair", "", (2, 2), Options, 1, (PhaseKind("round", "Round", {"length": "24h"}),))


def facts(key: str) -> Facts:
    known = {"bullet": BULLET, "pair": PAIR}
    if key not in known:
        raise LookupError(f"no rule set '{key}'; there are: bullet, pair")
    return known[key]


CONFIG = Config.model_validate(
    {
        "mail": {"address": "pbm@example.org", "imap": {"password": "pw"}},
        "moderator": ["first@example.org", "second@example.org"],
        "archive": "list@example.org",
        "defaults": {"reminders": ["12h"], "approve": "24h", "timing": {"default": {"length": "36h", "grace": "1h"}}},
    }
)
PLAYERS = """
players:
  - {name: alice, address: alice@example.org, timezone: Europe/Berlin}
  - {name: Bob Ross, address: bob@example.org}
  - {name: Łukasz, address: lukasz@example.org, timezone: america/new_york}
"""
SMALL = "game: bullet\nid: bullet-1\nmoderator: mod@example.org" + PLAYERS


def load(text: str, config: Config | None = None) -> GameFile:
    return load_game_file(text, reserved=RESERVED, facts=facts, config=config, name="game.yaml")


def told(text: str, config: Config | None = None) -> list[str]:
    with pytest.raises(ConfigFaults) as caught:
        load(text, config)
    head, *lines = str(caught.value).splitlines()
    assert head.startswith("game.yaml: ")
    return [line.removeprefix("  ") for line in lines]


def test_the_example_of_the_interface() -> None:
    game = load(
        SMALL
        + f"""
title: Bullet on Friday
archive: games@lists.example.org
seed: {"0123456789abcdefABCDEF0123456789" * 2}
options: {{}}
timing:
  bid: {{length: 48h, min: 12h, close: all-in, at: 18:00, days: mon-fri, timezone: UTC, delay: 0m, grace: 0h}}
  default: {{length: 24h, close: all-in}}
reminders: [24h, 3h]
press: public
anonymous: yes
press_copy: true
away: 14d
misses: {{ask: 3}}
approve: no
"""
    )
    assert (game.game, game.id, game.title) == ("bullet", "bullet-1", "Bullet on Friday")
    assert (game.moderator, game.archive) == (("mod@example.org",), "games@lists.example.org")
    assert game.seed == "0123456789abcdefabcdef0123456789" * 2
    assert [(p.name, p.address, p.timezone) for p in game.players] == [
        ("alice", "alice@example.org", "Europe/Berlin"),
        ("Bob Ross", "bob@example.org", "UTC"),
        ("Łukasz", "lukasz@example.org", "America/New_York"),
    ]
    assert (game.press, game.anonymous, game.press_copy, game.away_days) == ("public", True, True, 14)
    assert (game.misses.ask, game.misses.ignore, game.silence, game.approve) == (3, 2, 10, "no")
    assert game.timing["bid"].at == (18, 0)


@pytest.mark.parametrize("text", ["silence: 3\n", "options: {silence: 3}\n", "options: {cards: 5, silence: 3}\n"])
def test_G7_silence_may_stand_among_the_options(text: str) -> None:
    game = load(SMALL + text)
    assert game.silence == 3
    assert game.options == ({"cards": 5} if "cards" in text else {})


def test_defaults() -> None:
    game = load(SMALL)
    assert (game.title, game.archive, game.seed, game.seats, game.options) == (None, None, None, None, {})
    assert (game.reminders, game.press, game.anonymous, game.press_copy) == ((DAY, 3 * HOUR), "all", False, False)
    assert (game.away_days, game.misses.ask, game.misses.ignore, game.approve, game.silence) == (7, 2, 2, "no", 10)


def test_the_configuration_fills_in() -> None:
    text = SMALL.replace("moderator: mod@example.org\n", "")
    game = load(text, CONFIG)
    assert game.moderator == ("first@example.org", "second@example.org")
    assert (game.archive, game.reminders, game.approve) == ("list@example.org", (12 * HOUR,), DAY)
    own = load(text + "moderator: [a@b.org]\narchive: c@b.org\nreminders: []\napprove: yes\n", CONFIG)
    assert (own.moderator, own.archive, own.reminders, own.approve) == (("a@b.org",), "c@b.org", (), "yes")


def test_sign_up() -> None:
    game = load("game: bullet\nid: b\nmoderator: mod@example.org\nseats: 10\nstart: moderator\n")
    assert (game.seats, game.start, game.players) == (10, "moderator", ())
    assert load("game: pair\nid: b\nmoderator: mod@example.org\nseats: 2\n").start == "full"


@pytest.mark.parametrize(
    ("text", "right"),
    [("no", "no"), ("yes", "yes"), ("24h", DAY), ("false", "no"), ('"no"', "no")],
)
def test_approve(text: str, right: str | int) -> None:
    assert load(SMALL + f"approve: {text}\n").approve == right


def test_timing_goes_key_by_key_from_the_phase_to_the_configuration() -> None:
    game = load(SMALL + 'timing:\n  bid: {min: 6h, at: "18:00"}\n  default: {length: 24h, days: mon-fri}\n')
    config = CONFIG.defaults.timing.default.named()
    assert game.phase_timing("bid", BULLET.phases[0].timing, config) == PhaseTiming(
        length=DAY, min=6 * HOUR, at=(18, 0), days=frozenset(range(5)), grace=HOUR
    )
    assert game.phase_timing("shoot", {}, config).days == frozenset(range(5))
    assert load(SMALL).phase_timing("bid", BULLET.phases[0].timing, config).length == 48 * HOUR
    assert load(SMALL).phase_timing("shoot", {}, config).length == 36 * HOUR


def test_null_takes_back_at_and_days() -> None:
    game = load(SMALL + 'timing: {bid: {at: null, days: null}, default: {at: "18:00", days: [mon, wed-fri]}}\n')
    assert game.phase_timing("bid", {"length": "1h"}, {}) == PhaseTiming(HOUR)
    assert game.phase_timing("shoot", {"length": "1h"}, {}).days == frozenset({0, 2, 3, 4})


def test_what_is_written_out_is_read_again() -> None:
    game = load(SMALL + "timing: {bid: {at: 18:00, length: 90m}, default: {}}\napprove: 36h\noptions: {cards: 2}\n")
    dumped = game.model_dump(mode="json")
    assert dumped["timing"] == {"bid": {"length": "90m", "at": "18:00"}, "default": {}}
    assert GameFile.model_validate(dumped) == game


def test_a_file_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "bullet.yaml"
    path.write_text(SMALL, encoding="utf-8")
    assert load_game_file(path, reserved=RESERVED, facts=facts).id == "bullet-1"
    with pytest.raises(ConfigFaults, match=r"no-such.yaml: 1 fault\n  there is no such file"):
        load_game_file(tmp_path / "no-such.yaml", reserved=RESERVED, facts=facts)


def test_the_seed_is_never_shown() -> None:
    seed = "ab" * 32
    assert seed not in repr(load(SMALL + f"seed: {seed}\n"))
    assert seed not in "".join(told(SMALL + f"seed: {seed}c\n"))


def names(*lines: str) -> str:
    return "game: bullet\nid: b\nmoderator: mod@example.org\nplayers:\n" + "\n".join(
        f"  - {{{line}}}" for line in lines
    )


def three(first: str, second: str) -> str:
    return names(
        f"name: {first}, address: a@b.org", f"name: {second}, address: b@b.org", "name: carol, address: c@b.org"
    )


ALICE = "; for example: name: alice"
HEAD = "game: bullet\nid: bullet-1\nmoderator: mod@example.org\n"
WRONG: list[tuple[str, str, list[str]]] = [
    ("nothing in it", "{}", [
        "game: is missing; for example: game: buy_the_bullet",
        "id: is missing; for example: id: bullet-1",
        "players: are missing, and there are no seats for a sign-up by mail either;"
        " for example: players: [{name: alice, address: alice@example.org}, …] or seats: 10",
        "moderator: is missing, here and in the configuration; for example: moderator: mod@example.org"]),
    ("an unknown game", SMALL.replace("bullet\n", "chess\n", 1), [
        "game (line 1): no rule set 'chess'; there are: bullet, pair"]),
    ("an unknown key", SMALL + "anonimous: true\n", ["anonimous (line 8): unknown key; did you mean anonymous?"]),
    ("a bad id", SMALL.replace("bullet-1", "Bullet 1"), [
        "id (line 2): must be at most 40 of a-z, 0-9 and -, beginning with a letter or digit, not 'Bullet 1';"
        " for example: id: bullet-1"]),
    ("a title of two lines", SMALL + 'title: "a\\nb"\n', [
        "title (line 8): must be one line of at most 100 characters; for example: title: Bullet on Friday"]),
    ("a seed that is too short", SMALL + "seed: 1234\n", [
        "seed (line 8): must be 64 hex digits (ruling G4); these are 4 characters;"
        ' for example: seed: "0011…eeff", 64 hex digits, or none: then one is drawn']),
    ("names that are equal after folding", three("Zoë", "ZOE"), [
        "players[1].name (line 6): 'ZOE' and 'Zoë' are the same name: case and accents don't count" + ALICE]),
    ("names without a letter, numbers too", three("12", '"7-7"'), [
        "players[0].name (line 5): a name needs a letter" + ALICE,
        "players[1].name (line 6): a name needs a letter" + ALICE]),
    ("a long name", three("abcdefghijklmnopqrstuvwxy", "b"), [
        "players[0].name (line 5): a name has at most 24 characters; this one has 25" + ALICE]),
    ("a word of the orders", three("Bid-master", "b"), [
        "players[0].name (line 5): “bid” is a word of the orders; a name can't have it as a word of its own" + ALICE]),
    ("signs in a name", three('"bob!"', "b"), [
        "players[0].name (line 5): a name has letters, digits, '-', '_' and blanks only, not !" + ALICE]),
    ("a name left empty", three("", "b"), ["players[0].name (line 5): has no value" + ALICE]),
    ("one address for two", names("name: a, address: x@b.org", "name: b, address: X@B.org",
                                  "name: c, address: c@b.org"), [
        "players[1].address (line 6): X@B.org is already the address of a; each needs their own"]),
    ("the moderator's address", names("name: a, address: Mod@example.org", "name: b, address: b@b.org",
                                      "name: c, address: c@b.org"), [
        "players[0].address (line 5): Mod@example.org is already the address of a moderator; each needs their own"]),
    ("an address that isn't ASCII", names("name: a, address: jörg@b.org", "name: b, address: b@b.org",
                                          "name: c, address: c@b.org"), [
        "players[0].address (line 5): 'jörg@b.org' has letters that not every mail system takes in an address; write it"
        " in plain ASCII; for example: address: alice@example.org"]),
    ("lines that are no players", HEAD + "players: [alice, {name: bob}, {address: c@b.org, zone: UTC}]\n", [
        "players[0] (line 4): must be a section with `key: value` lines, not 'alice';"
        " for example: players: [{name: alice, address: alice@example.org, timezone: Europe/Berlin}]",
        "players[1].address (line 4): is missing; for example: address: alice@example.org",
        "players[2].name (line 4): is missing; for example: name: alice",
        "players[2].zone (line 4): unknown key; known here: name, address, timezone"]),
    ("too few", names("name: a, address: a@b.org"), ["players (line 4): The Bullet is for 3 to 10 players, not 1"]),
    ("seats for too many", "game: pair\nid: b\nmoderator: mod@example.org\nseats: 3\n", [
        "seats (line 4): The Pair is for 2 players, not 3; for example: seats: 2"]),
    ("players and seats", SMALL + "seats: 3\nstart: full\n", [
        "seats (line 8): stands beside players; give either the players, or seats for a sign-up by mail",
        "start (line 9): goes with seats only; a game with players starts by `pbm game new FILE --start`"]),
    ("a phase that isn't", SMALL + "timing: {bids: {length: 1h}, round: {length: 1h}}\n", [
        "timing.bids (line 8): no phase of The Bullet; did you mean bid?",
        "timing.round (line 8): no phase of The Bullet; known here: bid, shoot, default"]),
    ("bad timing", SMALL + "timing: {bid: {lenght: 1h, at: 6pm, max: 1}, default: 24h}\n", [
        "timing.bid.max (line 8): 1 of what? write a length with its unit, s, m, h or d, for example 30m, 48h or 3d",
        "timing.bid.at (line 8): '6pm' is no time of day; write hours and minutes, for example 18:00",
        "timing.bid.lenght (line 8): unknown key; did you mean length?",
        "timing.default (line 8): must be a section with `key: value` lines, not '24h';"
        " for example: timing: {default: {length: 24h}}"]),
    ("bad options", SMALL + "options: {cards: many, suits: 3}\n", [
        "options.cards (line 8): must be a whole number, not 'many'",
        "options.suits (line 8): unknown key; known here: cards"]),
    ("bad silence", SMALL + "options:\n  cards: 5\n  silence: 0\n", [
        "options.silence (line 10): must be at least 1, not 0; for example: silence: 10"]),
    ("silence twice", SMALL + "silence: 3\noptions: {silence: 4}\n", [
        "options.silence (line 9): stands beside silence; keep one of them"]),
    ("bad choices", SMALL + "press: some\nanonymous: 2\naway: 36h\nmisses: {ask: 0}\nsilence: x\napprove: 0h\n", [
        "press (line 8): must be one of all, public, none, not 'some'; for example: press: all",
        "anonymous (line 9): must be true or false, not 2; for example: anonymous: true",
        "away (line 10): must be whole days, for example 7d",
        "misses.ask (line 11): must be at least 1, not 0; for example: ask: 2",
        "silence (line 12): must be a whole number, not 'x'; for example: silence: 10",
        "approve (line 13): must be no, yes, or a length after which results go out by themselves, like 24h;"
        " for example: approve: no"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_wrong_game_files(text: str, right: list[str]) -> None:
    assert told(text) == right


def test_the_mailbox_itself_is_nobodys_address() -> None:
    text = names(
        "name: a, address: PBM@example.org", "name: b, address: second@example.org", "name: c, address: c@b.org"
    )
    assert told(text.replace("moderator: mod@example.org\n", ""), CONFIG) == [
        "players[0].address (line 4): PBM@example.org is already the address of this service's own mailbox; each needs"
        " their own",
        "players[1].address (line 5): second@example.org is already the address of a moderator; each needs their own",
    ]


def test_a_fault_in_one_place_hides_none_in_another() -> None:
    text = "game: bullet\nid: X\nplayers:\n  - {name: a, address: x}\n  - {name: A, address: m@b.org}\n"
    text += "moderator: m@b.org\n"
    assert [line.partition(" ")[0] for line in told(text + "timing: {bod: {}}\npres: x\n")] == [
        *("id", "players", "players[0].address", "players[1].address", "players[1].name", "timing.bod", "pres")
    ]
