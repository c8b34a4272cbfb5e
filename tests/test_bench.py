"""`pbm bench` runs, and tells all its figures. How fast they are is not for a test to say."""

import json

import pytest

from pbm import bench
from pbm.bench.figures import Block, Rate, shown


def test_the_bench_measures_all_that_it_promises(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run(games=3, mails=8, idle_games=5, as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"machine", "reading", "incoming", "outgoing", "closing", "idle"}
    counts = {key: told[key]["count"] for key in ("incoming", "outgoing", "closing", "idle")}
    assert counts == {"incoming": 8, "outgoing": 8, "closing": 3, "idle": 1}
    for key in ("reading", "incoming", "outgoing", "closing"):
        assert told[key]["fault"] is None
        assert told[key]["per_second"] > 0
        assert all(part["ratio"] > 0 and part["per_second"] > 0 for part in told[key]["raw"])
    assert [len(told[key]["raw"]) for key in ("reading", "incoming", "outgoing", "closing")] == [1, 3, 2, 3]
    assert told["closing"]["mails queued for it"]["value"] == 12
    assert told["closing"]["peak memory"]["value"] > 10
    assert told["idle"]["memory"]["value"] > 10
    assert told["idle"]["until it is ready"]["value"] > 0


def test_rates_stand_beside_those_of_the_parts() -> None:
    ours, part = Rate("all of it", count=200, wall=4.0, cpu=2.0), Rate("a part", count=100, wall=1.0, cpu=0.25)
    block = Block("x", "Something", ours, [part], [("memory", 12.34, "MB")])
    assert block.ratio(part) == 0.25
    lines = [" ".join(line.split()) for line in shown(block).splitlines()]
    assert lines[0] == "Something a second CPU ms each ours / raw"
    assert lines[2:] == ["all of it 50 10.00", "a part 100 2.50 0.25", "memory 12.3 MB"]
