"""A game file, read with the words of its own game's grammar, which no player's name may have (MAIL.md)."""

from pathlib import Path

from pbm.config import Config
from pbm.core import registry
from pbm.core.draw import KEY_BYTES, Draw
from pbm.core.words import reserved
from pbm.gamefile import GameFile, load_game_file
from pbm.yamlfile import read_yaml


def read(path: Path, config: Config) -> GameFile:
    """Raises ConfigFaults, with every fault there is."""
    key = read_yaml(path).data.get("game")
    words = words_of(key) if isinstance(key, str) and key in registry.keys() else reserved(())  # noqa: SIM118
    return load_game_file(path, reserved=words, facts=lambda name: registry.get(name).facts, config=config)


def words_of(key: str) -> frozenset[str]:
    """Every word of a game's grammar and of the service's, folded; they don't hang on who plays."""
    rules = registry.get(key)
    seats = [f"p{n}" for n in range(rules.facts.seats[0])]
    step = rules.start(seats, rules.facts.options(), Draw(bytes(KEY_BYTES)))
    return reserved(rules.grammar(rules.view(step.state, None)))
