"""How demo players think: one module a rule set. They see mails, nothing else."""

from collections.abc import Callable
from random import Random

from pbm.demo.minds.base import Mind, Thought
from pbm.demo.minds.buy_the_bullet import Gambler
from pbm.demo.minds.coins import Grabber, Miser
from pbm.demo.minds.point_thief import Thief
from pbm.demo.minds.tontine import Heir

__all__ = ["MINDS", "Mind", "Thought"]

MINDS: dict[str, Callable[[str, Random], Mind]] = {
    "tontine": Heir,
    "point_thief": Thief,
    "buy_the_bullet": Gambler,
    "dont_get_greedy": Miser,
    "money_grab": Grabber,
}
