"""A game file, read with the words of its own game's grammar, which no player's name may have (MAIL.md)."""

from pathlib import Path

from pbm.config import Config
from pbm.core import registry
from pbm.core.words import reserved
from pbm.gamefile import GameFile, load_game_file
from pbm.yamlfile import read_yaml


def read(path: Path, config: Config) -> GameFile:
    """Raises ConfigFaults, with every fault there is."""
    key = read_yaml(path).data.get("game")
    forms = registry.grammar(key) if isinstance(key, str) and key in registry.keys() else ()  # noqa: SIM118
    words = reserved(forms)
    return load_game_file(path, reserved=words, facts=lambda name: registry.get(name).facts, config=config)
