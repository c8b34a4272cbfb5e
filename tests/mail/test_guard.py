"""No line of ours parses as an order (MAIL.md, *What is sent*): in no mail, whatever a mail program makes of it."""

import random
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.core import registry
from pbm.core.engine import Choice, Form, Slot
from pbm.core.orders import Read, read_line
from pbm.core.words import ALONE_WORDS, MODERATOR_WORDS, SERVICE_WORDS, reserved, verbs
from pbm.mail.compose import Head, Mailbox, bodies
from pbm.mail.guard import Guard
from pbm.mail.markup import KEEP, Block, parse, rows, to_text
from pbm.mail.templates import order, quoted
from tests.support import clients, mailpages
from tests.support.randomplay import Play

NAMES = ("bob", "Carol", "Jean-Luc O", "Zoë", "Maximilian Y", "李雷", "Pass-port", "x 9")
PLAYER = Slot("player", "player", tuple(Choice(name, (name,)) for name in NAMES))
XENA = Slot("assassin", "assassin", (Choice("Xena", ("Xena",)), *(Choice(name, (name,)) for name in NAMES)))
FORMS = (
    Form(("HIT", PLAYER), "hit"),
    Form(("BRIBE", XENA, "HIT", PLAYER), "bribe"),
    Form(("SECRET BRIBE", XENA, "HIT", PLAYER), "bribe"),
    Form(("TAKE", Slot("coins", "number", low=0, high=5)), "take"),
    Form(("BID", Slot("suit", "suit", (Choice("H", ("heart", "hearts", "♥")), Choice("", ("NONE",))))), "bid"),
    Form(("PLEDGE", Slot("suit", "suit", (Choice("H", ("heart", "♥")),)), "TO", PLAYER), "pledge"),
    Form(("BLACKMAIL",), "blackmail"),
    Form(("PASS",), "pass"),
)
GUARD = Guard(FORMS)
READERS = clients.Readers(FORMS, NAMES)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("You can hit bob or carol.", "You can (hit bob) or carol."),
        ("Then hit Jean-Luc O, please", "Then (hit Jean-Luc O), please"),
        ("re-hit bob", "re-(hit bob)"),
        ("hít böb!", "(hít böb)!"),
        ("I take 3 coins", "I (take 3) coins"),
        ("bribe Xena hit bob", "(bribe Xena hit bob)"),
        ("bribe Xena hit Maximilian Y", "(bribe Xena (hit Maximilian) Y)"),
        ("pass … the salt", "(pass) … the salt"),
        ("secret bribe Xena", "(secret) (bribe) Xena"),
        ("hit maximilien y", "(hit maximilien y)"),
        ("Hit the road, bob", "Hit the road, bob"),
        ("He was hit by bob", "He was hit by bob"),
        ("Take care", "Take care"),
        ("🙂hit bob", "🙂(hit bob)"),
        ("我hit 李雷", "我(hit 李雷)"),
        ("hi🙂t bob", "(hi🙂t bob)"),
        ("hit 🙂 🙂 🙂 🙂 🙂 🙂 🙂 🙂 🙂 🙂 bob", "(hit 🙂 🙂 🙂 🙂 🙂 🙂 🙂 🙂 🙂 🙂 bob)"),
        ("hit “bob”", "(hit “bob”)"),
        ("will you hit bob?", "will you (hit bob)?"),
        ("(HIT bob)", "(HIT bob)"),
        ("(please hit bob)", "(please hit bob)"),
        ("(please hit bob today)", "(please (hit bob) today)"),
        ("hit abcdefghijklmnopqrstuvw", "(hit) abcdefghijklmnopqrstuvw"),
        ("I pass", "I pass"),
        ("I think that I'll pass", "I think that I'll (pass)"),
        ("pass the salt", "pass the salt"),
        ("pass extraordinarily", "(pass) extraordinarily"),
        ("1. pass", "1. (pass)"),
        ("* pass", "* (pass)"),
        ("zzzzzzzzzzzzzzzzzzzzzzzzpass", "zzzzzzzzzzzzzzzzzzzzzzzz(pass)"),
        ("tell bob: hello", "(tell bob): hello"),
        ("TELL bob hello", "(TELL) bob hello"),
        ("tell bob that", "tell bob that"),
        ("Say: no", "(Say): no"),
        ("away 2026-12-20 to 2026-12-27", "(away 2026-)12-20 to 2026-12-27"),
        ("go away, bob", "go away, bob"),
        ("he mails all of us", "he (mails all) of us"),
        ("address me@x.org", "(address me@x.org)"),
        ("extend 24h now", "(extend 24h) now"),
        ("remove bob", "(remove bob)"),
        ("replace carrol with me@x.org", "(replace carrol) with me@x.org"),
        ("order bob: hit carol", "(order bob): (hit carol)"),
        ("in the order bob, carol", "in the order bob, carol"),
        ("join grab-1 as Max", "(join grab-)1 as Max"),
    ],
)
def test_an_order_in_a_text_is_put_in_parentheses(text: str, safe: str) -> None:
    assert GUARD.safe(text) == safe


def test_an_order_that_we_print_stays_whole_unless_a_piece_of_it_is_an_order() -> None:
    assert GUARD.safe(str(order("HIT bob"))) == str(order("HIT bob")).replace(KEEP, " ")
    long = GUARD.safe(str(order("BRIBE Xena HIT Maximilian Y")))
    # Wrapped before the last letter, `HIT Maximilian` would be near enough.
    assert "(HIT" in long
    assert "(HIT" not in GUARD.safe(str(order("BRIBE Xena HIT Carol")))


def test_a_verb_at_the_foot_of_one_block_and_a_name_at_the_head_of_the_next_are_one_line_to_some() -> None:
    blocks = GUARD.safe_blocks(parse("He went to hit\n\nbob was here\n\n| Says | take |\n| bob | 3 |"))
    assert rows(blocks) == [("He went to (hit)",), ("bob was here",), ("Says", "(take)"), ("bob", "3")]
    blocks = GUARD.safe_blocks(parse("| bob | take |\n| 3 | pass |"))
    assert rows(blocks) == [("bob", "(take)"), ("3", "(pass)")]


def test_a_lone_word_is_kept_with_the_next_one() -> None:
    blocks = GUARD.safe_blocks(parse("x " * 34 + "pass it on"))
    assert to_text(blocks).splitlines()[1] == "pass it on"
    assert f"pass{KEEP}it" in rows(blocks)[0][0]


@pytest.mark.parametrize("source", ["The end", "# Day 2: pass", "wait"])
def test_a_block_of_one_short_line_is_never_broken(source: str) -> None:
    changed = GUARD.safe_blocks(parse(source)) != parse(source)
    assert changed == (source == "wait")


def test_words_of_the_service_are_known_in_one_place() -> None:
    assert {*SERVICE_WORDS, *MODERATOR_WORDS} >= ALONE_WORDS
    assert verbs(FORMS)[:3] == ("HIT", "BRIBE", "SECRET BRIBE")
    assert reserved(FORMS) >= {
        "hit",
        "secret",
        "bribe",
        "to",
        "all",
        "none",
        "end",
        "with",
        "as",
        "help",
        "undo",
        "pass",
    }
    assert not reserved(FORMS) & {"bob", "heart", "xena"}


# -- every run of words of any text ----------------------------------------------------------------------------------

WORDS = st.sampled_from(
    (
        *(
            "hit",
            "HIT",
            "Hit,",
            "re-hit",
            "bribe",
            "SECRET",
            "take",
            "bid",
            "pledge",
            "pass",
            "blackmail",
            "wait",
            "end.",
        ),
        *(
            "bob",
            "bob's",
            "Carol",
            "Jean-Luc",
            "O",
            "Zoë",
            "zoe",
            "Maximilian",
            "Y",
            "李雷",
            "Xena",
            "heart",
            "♥",
            "none",
        ),
        *(
            "3",
            "3)",
            "1.",
            "(",
            ")",
            "-",
            "*",
            "–",
            "…",
            "“",
            "”",
            "**",
            "the",
            "to",
            "at",
            "tell",
            "TELL",
            "bob:",
            "ALL:",
        ),
        *(
            "🙂",
            "hí\u00adt",
            "ＨＩＴ",
            "x",
            "with",
            "me@x.org",
            "remove",
            "order",
            "(HIT",
            "bob)",
            "and",
            "undo",
            "status?",
        ),
    )
)
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=4)


def windows(words: list[str]) -> Iterator[str]:
    for n in range(len(words)):
        for m in range(n + 2, min(len(words), n + 9) + 1):
            yield " ".join(words[n:m])


@given(TEXTS)
def test_no_run_of_words_reads_as_an_order_of_the_game(texts: list[str]) -> None:
    blocks = GUARD.safe_blocks(tuple(Block("text", ((" ".join(text.split()),),)) for text in texts))
    flat = " ".join(leaf for row in rows(blocks) for leaf in row).replace(KEEP, " ")
    for seen in clients.recoded(flat):
        for line in windows(re.sub(r"(?<=-)(?=.)", " ", seen).split()):
            read = read_line(line, FORMS, near=True)
            alone = isinstance(read, Read) and not read.form.slots
            assert alone or not isinstance(read, Read), line


@given(TEXTS)
def test_guarding_twice_changes_nothing_and_words_stay(texts: list[str]) -> None:
    blocks = tuple(Block("text", ((" ".join(text.split()),),)) for text in texts)
    once = GUARD.safe_blocks(blocks)
    assert GUARD.safe_blocks(once) == once
    before = "".join(leaf for row in rows(blocks) for leaf in row)
    after = "".join(leaf for row in rows(once) for leaf in row).replace(KEEP, " ")
    assert re.sub("[()]", "", after) == re.sub("[()]", "", before)
    assert after.count("(") - after.count(")") == before.count("(") - before.count(")")


@given(TEXTS, st.integers(16, 100))
def test_no_line_that_wrapping_makes_does_anything(texts: list[str], width: int) -> None:
    source = "\n\n".join(str(quoted(text)) for text in texts)
    shown = to_text(GUARD.safe_blocks(parse(source)))
    found = {line for whole in shown.splitlines() for line in textwrap.wrap(whole, max(width, 20))}
    found |= {line for p in shown.split("\n\n") for line in textwrap.wrap(" ".join(p.replace("|", " ").split()), width)}
    assert READERS.acted_on({re.sub(r"^[ |]*", "", line) for line in found}) == []


# -- every mail of every game ----------------------------------------------------------------------------------------

GAMES = registry.keys()


def head(sample: mailpages.Sample) -> Head:
    reply = None if sample.public else f"pbm+{'a' * 26}@example.org"
    box = Mailbox("Play by Mail", mailpages.BASE)
    return Head(box, box, sample.page.subject, "<a.pbm@example.org>", 0, sample.kind, reply_to=reply)


def some_samples(key: str, n: int, share: float) -> Iterator[tuple[Play, mailpages.Sample]]:
    """Mails of all kinds from a random game: all of its start, and a share of those of its course."""
    game, chance = Play(key, n, audit=0.0), random.Random(n)
    for sample in mailpages.steady(game.table):
        yield game, sample
    for sample in mailpages.samples(game.table, game.table.told, None, chance):
        yield game, sample
    for events in game.moves():
        if chance.random() < share or game.table.result is not None:
            for sample in mailpages.samples(game.table, events, "Round 1", chance):
                if chance.random() < share:
                    yield game, sample


@pytest.mark.parametrize("key", GAMES)
def test_no_line_of_any_mail_does_anything_whatever_a_mail_program_makes_of_it(key: str) -> None:
    """One mail of each kind, and two of those that hold what happened or what a player wrote."""
    _quote_all(key, 0, share=0.05, widths=(20, 47), most=2)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, 4))
@pytest.mark.parametrize("key", GAMES)
def test_no_line_of_any_mail_does_anything_at_any_width(key: str, n: int) -> None:
    _quote_all(key, n, share=0.1, widths=range(20, 101), most=6)


def _quote_all(key: str, n: int, *, share: float, widths: Iterable[int], most: int) -> None:
    kinds: Counter[str] = Counter()
    seen: set[str] = set()
    for game, sample in some_samples(key, n, share):
        if not kinds:
            guard = mailpages.guard(game.table)
            readers = clients.Readers(mailpages.grammar(game.table), game.table.seats)
        kinds[sample.kind] += 1
        if kinds[sample.kind] > most:
            continue
        text, page = bodies(head(sample), sample.page.source, guard=guard)
        found = clients.lines(text, page, widths) - seen
        assert readers.acted_on(found) == [], sample.kind
        seen |= found
    assert len(kinds) > 35


@pytest.mark.parametrize("key", GAMES)
def test_our_own_words_need_no_guard(key: str) -> None:
    """Templates say things in words that mean nothing to the service, so that no parenthesis disturbs the reader."""
    touched = set()
    for game, sample in some_samples(key, 0, 0.2):
        if sample.kind in ("press", "act", "receipt"):
            continue  # they hold what a player wrote
        guard = mailpages.guard(game.table)
        for row in rows(parse(sample.page.source)):
            for leaf in row:
                if guard.safe(leaf) != leaf.replace(KEEP, " "):
                    touched.add(leaf)
    assert not touched


def test_the_shared_templates_say_nothing_that_means_something_to_the_service() -> None:
    game = Play("money_grab", 0, audit=0.0)
    guard = Guard(())
    for sample in mailpages.steady(game.table):
        for row in rows(parse(sample.page.source)):
            for leaf in row:
                # MAIL.md has this very sentence.
                assert not guard.doubtful(leaf.replace("Orders never go here", "")), leaf
