"""Lines that could be orders of some game."""

import pytest

from pbm.core.anygame import could_be_order


@pytest.mark.parametrize(
    "line",
    [
        "HIT bob",
        "- hit Mary Jane.",
        "SECRET BRIBE Xena HIT bob",
        "TAKE 3",
        "BID ♥",
        "PLEDGE: heart to bob",
        "PASS",
        "PICK mafia CLAIM police",
        "help",
        "BID none",
    ],
)
def test_orders_of_any_game(line: str) -> None:
    assert could_be_order(line)


@pytest.mark.parametrize(
    "line", ["Bob Smith", "Take care", "(HIT bob)", "+49 30 1234567", "Pass it on", "hit me when you are back home", ""]
)
def test_no_orders(line: str) -> None:
    assert not could_be_order(line)
