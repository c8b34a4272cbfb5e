"""Buy the Bullet's arithmetic: suits, which card wins, which card is put in for a strike, who is voted a card poorer.

Cards are single letters, D > H > S > C (ruling B3), as in the views.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from pbm.core.engine import Choice

SUITS = ("D", "H", "S", "C")
SUIT_NAMES = {"D": "diamond", "H": "heart", "S": "spade", "C": "club"}
NONE = "NONE"

_SYMBOLS = {"D": "♦♢", "H": "♥♡❤", "S": "♠♤", "C": "♣♧"}
# The first spelling is the one that we print. Variation selectors behind a symbol are dropped when names are compared.
SUIT_CHOICES = tuple(
    Choice(card, (SUIT_NAMES[card], f"{SUIT_NAMES[card]}s", card.lower(), *_SYMBOLS[card])) for card in SUITS
)
NO_CARD = Choice(NONE, (NONE,))


def in_order(cards: Iterable[str]) -> list[str]:
    """A hand as it is shown: highest first."""
    return sorted(cards, key=SUITS.index)


def in_words(cards: Iterable[str]) -> str:
    """A hand for a sentence: `diamond, club`; `no card` for an empty one."""
    return ", ".join(SUIT_NAMES[card] for card in in_order(cards)) or "no card"


def without(hand: Sequence[str], gone: Iterable[str]) -> list[str]:
    """The hand less one copy of each of the cards, as far as it holds them."""
    left = list(hand)
    for card in gone:
        if card in left:
            left.remove(card)
    return left


def singles(cards: Iterable[str]) -> list[str]:
    """The cards that occur exactly once, highest first (ruling B3)."""
    counts = Counter(cards)
    return [card for card in SUITS if counts[card] == 1]


def put_in(hand: Collection[str], table: Sequence[str]) -> str | None:
    """Ruling B4, second strike: the highest card in hand that would not win with what lies on the table so far, bids
    and cards put in before alike; None: there is none such."""
    return next((card for card in SUITS if card in hand and singles([*table, card])[:1] != [card]), None)


def bullet_goes_to(bids: Mapping[str, str], put: Mapping[str, str]) -> str | None:
    """Who gets the bullet. `bids`: cards really bid; `put`: cards put in, which cancel but never win (ruling B4)."""
    once = singles([*bids.values(), *put.values()])
    return next((player for card in once for player, own in bids.items() if own == card), None)


def struck_out(votes: Iterable[str]) -> tuple[str | None, list[str]]:
    """Ruling B7: who is taken, and who was struck out before: tied at the top, then tied below."""
    counts = Counter(votes)
    struck: list[str] = []
    for number in sorted(set(counts.values()), reverse=True):
        level = sorted(player for player, count in counts.items() if count == number)
        if len(level) == 1:
            return level[0], struck
        struck += level
    return None, struck
