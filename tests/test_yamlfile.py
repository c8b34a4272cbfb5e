"""YAML as people write it: what YAML 1.1 would turn into something else stays what it looks like."""

import pytest

from pbm.faults import ConfigFaults, Fault
from pbm.yamlfile import read_yaml


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"), ("on", "on"), ("18:00", "18:00"), ("08:00", "08:00"), ("2026-12-20", "2026-12-20"),
        ("0123", "0123"), ("0x1F", "0x1F"), ("1_000", "1_000"), ("1.50", "1.50"), ("0" * 64, "0" * 64),
        ("1" * 64, "1" * 64), ("'12'", "12"), ("12", 12), ("-3", -3), ("0", 0), ("true", True), ("false", False),
        ("null", None), ("~", None), ("", None), ("!!str 12", "12"), ("!!int '12'", 12), ("[a, 1]", ["a", 1]),
    ],
)  # fmt: skip
def test_scalars_are_what_they_look_like(written: str, value: object) -> None:
    found = read_yaml(f"key: {written}").data["key"]
    assert found == value
    assert type(found) is type(value)


def test_keys_are_text_and_have_their_line() -> None:
    document = read_yaml("1: a\non:\n  - b\n  - c: d\n")
    assert document.data == {"1": "a", "on": ["b", {"c": "d"}]}
    assert document.where(("on", 1, "c")) == "line 4"
    assert document.where(("on", 0)) == "line 3"
    assert document.where(("on", 1, "missing")) == "line 4"
    assert document.where(("missing",)) == ""


def test_anchors_and_merges() -> None:
    document = read_yaml("a: &long {x: 1, y: 2}\nb: &own\n  <<: *long\n  y: 3\nc: *own\nd: *own\n")
    assert document.data["b"] == {"x": 1, "y": 3}
    assert document.data["c"] == document.data["d"] == document.data["b"]


def test_an_empty_file_is_an_empty_mapping() -> None:
    assert read_yaml("# nothing\n").data == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: {b: 1, b: 2}\n", Fault("a.b", "stands twice, first in line 1; keep one of them", where="line 1")),
        ("a: &x [*x]", Fault("", "sections stand too deep in one another")),
        ("a: " + "[" * 500, Fault("", "sections stand too deep in one another")),
        ("? [a]\n: 1", Fault("", "a key must be a plain word", where="line 1")),
        (
            "a:\n  - !!python/object/apply:os.system [x]\n  - !secret y\n",
            Fault("a[1]", "the tag !secret isn't read here; leave it out", where="line 3"),
        ),
        ("just text", Fault("", "the file must be made of `key: value` lines", where="line 1")),
        (
            "a: 1\n---\nb: 1",
            Fault(
                "",
                "not readable as YAML: expected a single document in the stream: but found another document",
                where="line 2, column 1",
            ),
        ),
    ],
)
def test_faults(text: str, fault: Fault) -> None:
    with pytest.raises(ConfigFaults) as caught:
        read_yaml(text)
    assert caught.value.faults == (fault,)
