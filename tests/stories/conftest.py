"""A world for each story: virtual clock, SQLite in a folder of its own, a post office in memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
    assert made.reports == [], "something went wrong behind the story"
