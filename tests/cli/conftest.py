"""Commands in a folder of their own, and the service beside them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.cli import main
from pbm.clock import SystemClock, VirtualClock
from tests.support.commands import CONFIG, GRAB, TONTINE, Pbm, Result
from tests.support.world import World


@pytest.fixture
def pbm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pbm:
    """Run one command in a folder with a configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("PBM_CONFIG", "PBM_MAIL__ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "g1.yaml").write_text(GRAB)
    (tmp_path / "t1.yaml").write_text(TONTINE)

    def run(*args: str) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(args)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Result(int(left.value.code or 0), out, err)

    return run


@pytest.fixture
def world(pbm: Pbm, tmp_path: Path) -> Iterator[World]:
    """The same database, seen by a service that runs on the system's clock."""
    made = World(tmp_path, clock=VirtualClock(SystemClock().now()))
    yield made
    made.close()
