"""The compliance page: whole, current, and strict about rulings without a test."""

from pathlib import Path

import pytest

from pbm import compliance

ROOT = Path(__file__).parents[1]


def test_every_ruling_has_an_entry_and_a_test() -> None:
    assert compliance.missing(ROOT) == []


def test_the_page_is_current() -> None:
    page = (ROOT / compliance.PAGE).read_text("utf-8")
    assert page == compliance.build(ROOT), "run python -m pbm.compliance"


def test_the_numbering_is_that_of_the_rulings() -> None:
    spans = {(numbers[0], numbers[-1]) for numbers in map(compliance.expected, compliance.NUMBERING)}
    assert spans == {("G1", "G8"), ("T1", "T18"), ("P1", "P9"), ("B1", "B11"), ("D1", "D3"), ("M1", "M7")}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with all entries, and one test for each ruling."""
    (tmp_path / "docs" / "rulings").mkdir(parents=True)
    (tmp_path / "tests" / "games").mkdir(parents=True)
    tests = []
    for file in compliance.NUMBERING:
        options = [] if file == compliance.COMMON else list(compliance._defaults(file))
        entries = [
            f"- {{id: {number}, title: T, text: words, options: [{', '.join(options)}], contradiction: null}}\n"
            for number in compliance.expected(file)
        ]
        (tmp_path / "docs" / "rulings" / f"{file}.yaml").write_text("".join(entries), "utf-8")
        tests += [f"def test_{number}_holds(): ...\n" for number in compliance.expected(file)]
    (tmp_path / "tests" / "games" / "test_all.py").write_text("".join(tests), "utf-8")
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_a_whole_repository_lacks_nothing(small: Path) -> None:
    assert compliance.missing(small) == []
    page = compliance.build(small)
    assert "### T18: T\n\nwords\n" in page
    assert "- `tests/games/test_all.py`: `test_T18_holds`\n" in page
    assert "| `lie_rounding` | `loss` |" in page
    assert "Options: `rounds`, `lie_rounding`." in page
    assert page.count("One reading among several") == 4


def test_a_ruling_without_a_test_is_missing(small: Path) -> None:
    edit(small / "tests" / "games" / "test_all.py", "def test_T1_holds(): ...\n", "")
    (fault,) = compliance.missing(small)
    assert fault.startswith("T1 has no test")
    assert "### T1: T\n\nwords\n\n" in compliance.build(small)
    assert "**No test.**" in compliance.build(small)


@pytest.mark.parametrize(
    "source",
    [
        'def test_credit():\n    """Ruling T1: shown to all."""\n',
        "class TestWave:\n    async def test_order_T1_and_T2(self): ...\n",
    ],
)
def test_a_test_names_its_ruling_in_its_name_or_docstring(small: Path, source: str) -> None:
    edit(small / "tests" / "games" / "test_all.py", "def test_T1_holds(): ...\n", source)
    assert compliance.missing(small) == []


@pytest.mark.parametrize(
    "source",
    [
        "def helper_T1(): ...\n",
        "def test_T1x(): ...\n",
        "def test_t1(): ...\n",
        "def test_other():\n    pass  # T1\n",
        "T1 = 1\n",
    ],
)
def test_nothing_else_counts_as_a_test_of_it(small: Path, source: str) -> None:
    edit(small / "tests" / "games" / "test_all.py", "def test_T1_holds(): ...\n", source)
    assert any(fault.startswith("T1 has no test") for fault in compliance.missing(small))


def test_an_entry_that_is_left_out_or_stands_twice_or_is_nobodys_is_told(small: Path) -> None:
    edit(small / "docs" / "rulings" / "money_grab.yaml", "id: M7", "id: M6")
    edit(small / "docs" / "rulings" / "common.yaml", "id: G8", "id: G9")
    faults = compliance.missing(small)
    assert sorted(fault.split(":")[0].split(" ")[0] for fault in faults) == [
        "G8",
        "M7",
        "docs/rulings/common.yaml",
        "docs/rulings/money_grab.yaml",
    ]


def test_options_are_those_of_the_rule_set(small: Path) -> None:
    edit(small / "docs" / "rulings" / "point_thief.yaml", "rounds, lie_rounding", "rounds, days")
    assert compliance.missing(small) == [
        "docs/rulings/point_thief.yaml: there is no option days",
        "docs/rulings/point_thief.yaml: no ruling names the option lie_rounding",
    ]


@pytest.mark.parametrize(
    "text", ["- {id: P1", "- {id: P1, title: T}", "id: P1", "- {id: P1, title: T, text: x, note: y}"]
)
def test_a_file_that_cannot_be_read_is_told_with_its_name(small: Path, text: str) -> None:
    (small / "docs" / "rulings" / "point_thief.yaml").write_text(text, "utf-8")
    assert any(fault.startswith("docs/rulings/point_thief.yaml: ") for fault in compliance.missing(small))
    compliance.build(small)


def test_files_that_are_missing_or_of_no_game_are_told(small: Path) -> None:
    path = small / "docs" / "rulings" / "tontine.yaml"
    path.rename(path.with_stem("tontines"))
    faults = compliance.missing(small)
    assert "docs/rulings/tontine.yaml: the file is missing" in faults
    assert "docs/rulings/tontines.yaml: there is no such game" in faults


def test_check_writes_nothing_and_fails_until_the_page_is_written(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = ["--root", str(small)]
    page = small / compliance.PAGE
    assert compliance.main([*root, "--check"]) == 1
    assert "is not current" in capsys.readouterr().err
    assert not page.exists()
    assert compliance.main(root) == 0
    assert compliance.main([*root, "--check"]) == 0
    edit(small / "tests" / "games" / "test_all.py", "test_T1_holds", "test_T1_still_holds")
    assert compliance.main([*root, "--check"]) == 1
    edit(small / "tests" / "games" / "test_all.py", "test_T1_still_holds", "test_nothing")
    assert compliance.main(root) == 1
    assert "T1 has no test" in capsys.readouterr().err
