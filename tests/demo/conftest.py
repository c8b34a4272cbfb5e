"""A service in memory for demo players to play on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
    assert made.reports == []
