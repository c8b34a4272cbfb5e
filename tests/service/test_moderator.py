"""The moderator's commands by mail (MAIL.md, the moderator's paragraph), each with its refusals."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.service.table import Table
from pbm.store.models import Game, Log, Mail, Outbox, Seat, Standing, Token, Turn
from tests.support.world import BASE, HOST, START, Received, World

HOUR = 3600
BULLET = """
game: buy_the_bullet
id: b1
players:
""" + "".join(f"  - {{name: {n}, address: {n}@{HOST}}}\n" for n in ("ann", "bob", "cid", "dan", "eve"))
GRAB = f"""
game: money_grab
id: g1
players:
  - {{name: ann, address: ann@{HOST}}}
  - {{name: bob, address: bob@{HOST}}}
timing: {{default: {{length: 24h}}}}
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def outcome(world: World, number: int) -> str:
    row: Mail = Mail.get_by_id(number)
    return str(row.outcome)


def desk_mail(world: World, game: str = "g1") -> Received:
    """A mail that holds the moderator's key for the open phase: the receipt of a STATUS."""
    world.send("mod", "STATUS", to=BASE, subject=f"[{game}] hello", headers=PROVEN)
    world.settle()
    return world.last("mod", "receipt")


PROVEN = {"Authentication-Results": f"mx.{HOST}; dmarc=pass header.from={HOST}"}


def command(world: World, text: str, game: str = "g1", **more: object) -> Received:
    """A reply to the moderator's newest mail; gives what is answered."""
    number = world.send("mod", text, answers=world.last("mod"), **more)  # type: ignore[arg-type]
    world.settle()
    assert outcome(world, number) != "new"
    return world.last("mod")


def logged(what: str) -> list[Log]:
    return list(Log.select().where(Log.what == what).order_by(Log.id))


def test_status_and_orders_are_answered_with_what_only_the_moderator_sees(world: World) -> None:
    world.game(GRAB)
    world.send("ann", "TAKE 2")
    world.settle()
    desk_mail(world)
    answer = command(world, "STATUS\nORDERS")
    assert "ann@play.test" in answer.text
    assert "(TAKE 2)" in answer.text
    assert answer.to == f"mod@{HOST}"
    assert [row.who for row in logged("orders")] == [f"mod@{HOST}"]
    # Players hear nothing of it.
    assert [mail.kind for mail in world.box("bob")] == ["round"]


def test_help_lists_the_desk_and_rules_are_those_of_the_game(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    answer = command(world, "HELP\nRULES")
    assert "REPLACE" in answer.text
    assert "greed" in answer.text.lower() or "pot" in answer.text.lower()


def test_preview_tells_what_would_happen_and_changes_nothing(world: World) -> None:
    world.game(GRAB)
    world.send("ann", "TAKE 2")
    world.settle()
    turn = Turn.get_by_id(world.row("g1").turn)
    desk_mail(world)
    others = Outbox.select().where(Outbox.reader != "<moderator>").count()
    answer = command(world, "PREVIEW")
    assert "closed now" in answer.text
    assert "ann" in answer.text.partition("closed now")[2]
    after = Turn.get_by_id(turn.id)
    assert (after.status, after.state, after.deadline) == ("open", turn.state, turn.deadline)
    assert Outbox.select().where(Outbox.reader != "<moderator>").count() == others
    assert len(logged("preview")) == 1


def test_extend_moves_the_deadline_by_absolute_hours_and_tells_everybody(world: World) -> None:
    world.game(GRAB)
    before = world.table("g1").turn
    assert before is not None
    desk_mail(world)
    answer = command(world, "EXTEND 24h")
    after = world.table("g1").turn
    assert after is not None
    assert after.deadline == before.deadline + 24 * HOUR
    assert "is open until" in answer.text
    for name in ("ann", "bob", "archive"):
        assert world.last(name).kind == "notice"
    assert [row.data["seconds"] for row in logged("extend")] == [24 * HOUR]


@pytest.mark.parametrize("line", ["EXTEND 0h", "EXTEND 5 bananas"])
def test_extend_refuses_what_is_no_time(world: World, line: str) -> None:
    world.game(GRAB)
    before = Turn.get_by_id(world.row("g1").turn).deadline
    desk_mail(world)
    answer = command(world, line)
    assert "not taken" in answer.text
    assert Turn.get_by_id(world.row("g1").turn).deadline == before


def test_close_sets_the_deadline_to_its_own_arrival(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    world.clock.pass_time(100)
    number = world.send("mod", "CLOSE", answers=world.last("mod"), at=START + 90)
    first = world.row("g1").turn
    world.settle()
    assert outcome(world, number) == "accepted"
    assert Turn.get_by_id(first).deadline == START + 90
    world.pass_time(10)
    assert Turn.get_by_id(first).status == "closed"
    assert world.row("g1").turn != first


def test_close_counts_the_newest_mail_already_processed(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    world.clock.pass_time(200)
    world.send("ann", "TAKE 2", at=START + 150)
    world.settle()
    world.send("mod", "CLOSE", answers=world.last("mod", "receipt"), at=START + 100)
    first = world.row("g1").turn
    world.settle()
    assert Turn.get_by_id(first).deadline == START + 150
    world.pass_time(5)
    stood = Standing.get((Standing.turn == first) & (Standing.seat == "ann"))
    assert [o["line"] for o in stood.orders] == ["TAKE 2"]


def test_pause_takes_orders_and_closes_nothing_until_resume_gives_the_rest(world: World) -> None:
    world.game(GRAB)
    first = world.row("g1").turn
    desk_mail(world)
    world.pass_time(4 * HOUR)
    command(world, "PAUSE")
    assert world.row("g1").status == "paused"
    assert world.last("ann").kind == "notice"
    world.pass_time(72 * HOUR)
    world.send("ann", "TAKE 1", answers=world.last("ann"))
    world.send("bob", "TAKE 1", answers=world.last("bob"))
    world.pass_time(HOUR)
    assert Turn.get_by_id(first).status == "open"
    assert world.table("g1").waiting() == ()
    now = world.clock.now()
    world.send("bob", "WAIT")
    command(world, "RESUME")
    assert world.row("g1").status == "open"
    assert Turn.get_by_id(first).deadline == now + 20 * HOUR
    world.pass_time(21 * HOUR)
    assert Turn.get_by_id(first).status == "closed"


def test_resume_until_a_named_time(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    command(world, "PAUSE")
    command(world, "RESUME 2026-12-24 18:00")
    assert Turn.get_by_id(world.row("g1").turn).deadline == 1_798_135_200


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("RESUME", "isn't paused"),
        ("APPROVE", "nothing of g1 waits"),
        ("UNDO", "no phase of g1 has closed yet"),
        ("REMOVE ann please", "is no player here"),
        ("REPLACE ann WITH bob@play.test", "in this game already"),
        ("REPLACE ann WITH mod@play.test", "in this game already"),
        ("REPLACE ann WITH ann@play.test", "already"),
        ("ORDER ann: TAKE 99", "TAKE"),
        ("ORDER ann: DANCE", "no order of this game"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(world: World, line: str, reason: str) -> None:
    world.game(GRAB)
    desk_mail(world)
    answer = command(world, line)
    text = " ".join(answer.text.split())
    assert "not taken" in text
    assert reason in text
    assert [mail for mail in world.box("mod") if mail.kind == "question"] == []
    assert (world.row("g1").status, world.table("g1").standing()) == ("open", {})


def test_a_command_of_an_earlier_phase_is_refused_with_a_link_for_the_open_one(world: World) -> None:
    world.game(GRAB)
    old = desk_mail(world)
    world.send("ann", "TAKE 1")
    world.send("bob", "TAKE 1")
    world.pass_time(60)
    turn = world.table("g1").turn
    assert turn is not None
    assert turn.n == 2
    deadline = turn.deadline
    number = world.send("mod", "EXTEND 24h", answers=old)
    world.settle()
    assert outcome(world, number) == "refused"
    answer = world.last("mod")
    assert "Too late for" in answer.text
    assert "mailto:" in answer.html
    assert Turn.get_by_id(turn.id).deadline == deadline
    # What belongs to no phase is taken.
    number = world.send("mod", "PAUSE", answers=old)
    world.settle()
    assert outcome(world, number) == "accepted"
    assert world.row("g1").status == "paused"


def test_a_key_three_days_old_of_a_phase_long_closed_only_asks(world: World) -> None:
    world.game(GRAB)
    old = desk_mail(world)
    for _ in range(2):
        world.send("ann", "TAKE 1")
        world.send("bob", "TAKE 1")
        world.pass_time(60)
    world.send("bob", "WAIT")
    command(world, "EXTEND 20d")
    world.pass_time(73 * HOUR)
    number = world.send("mod", "PAUSE\nSTATUS", answers=old)
    world.settle()
    assert world.row("g1").status == "open"
    assert outcome(world, number) == "accepted"
    assert "ann@play.test" in world.last("mod").text


def test_remove_is_asked_back_and_done_once_confirmed(world: World) -> None:
    world.game(BULLET)
    desk_mail(world, "b1")
    asked = command(world, "REMOVE dan")
    assert asked.kind == "question"
    assert "Nothing has been done yet" in asked.text
    assert world.table("b1").view(None)["players"]["dan"]["status"] == "alive"
    number = world.send("mod", "yes, please", answers=asked)
    world.settle()
    assert outcome(world, number) == "accepted"
    assert world.table("b1").view(None)["players"]["dan"]["status"] == "removed"
    assert "is out of the game" in world.last("mod", "receipt").text
    assert any("dan" in mail.text for mail in world.box("archive") if mail.kind == "act")
    # A second confirmation does nothing.
    number = world.send("mod", "yes", answers=asked)
    world.settle()
    assert outcome(world, number) == "refused"
    assert len(logged("remove")) == 1


def test_a_question_answered_with_no_does_nothing(world: World) -> None:
    world.game(BULLET)
    desk_mail(world, "b1")
    asked = command(world, "END")
    world.send("mod", "NO", answers=asked)
    world.settle()
    assert world.row("b1").status == "open"


def test_two_removals_of_one_mail_are_two_questions(world: World) -> None:
    world.game(BULLET)
    desk_mail(world, "b1")
    command(world, "REMOVE dan\nREMOVE eve")
    questions = [mail for mail in world.box("mod") if mail.kind == "question"]
    assert len(questions) == 2
    for asked in questions:
        world.send("mod", "ok", answers=asked)
        world.settle()
    players = world.table("b1").view(None)["players"]
    assert [players[name]["status"] for name in ("dan", "eve")] == ["removed", "removed"]


def test_a_misspelt_name_in_remove_is_shown_in_the_question(world: World) -> None:
    world.game(BULLET.replace("dan", "daniel"))
    desk_mail(world, "b1")
    asked = command(world, "REMOVE danieel")
    assert asked.kind == "question"
    assert "read as daniel" in asked.text


def test_replace_ends_the_old_keys_and_brings_the_new_person_up_to_date(world: World) -> None:
    world.game(GRAB)
    old = world.last("ann")
    world.send("ann", "TAKE 2")
    world.settle()
    desk_mail(world)
    asked = command(world, "REPLACE ann WITH fay@else.test")
    world.send("mod", "yes", answers=asked)
    world.settle()
    seat: Seat = Seat.get(Seat.name == "ann")
    assert seat.address == "fay@else.test"
    # One mail to the new person, with a key that works, and what stands.
    box = world.box("fay@else.test")
    assert [mail.kind for mail in box] == ["round"]
    assert "(TAKE 2)" in box[0].text
    number = world.send("fay", "TAKE 1", answers=box[0], sender="fay@else.test")
    world.settle()
    assert outcome(world, number) == "accepted"
    # The old address is out at once.
    count = len(world.box("ann"))
    number = world.send("ann", "TAKE 0", answers=old)
    world.settle()
    assert outcome(world, number) == "dropped"
    assert len(world.box("ann")) == count
    assert world.table("g1").standing()["ann"][0].line == "TAKE 1"
    for name in ("bob", "archive"):
        assert "new player" in world.last(name).subject
        assert all("fay" not in mail.text for mail in world.box(name))


def test_order_is_logged_told_to_the_player_and_named_in_the_summary(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    answer = command(world, "ORDER ann: TAKE 2")
    assert "(TAKE 2)" in answer.text
    told = world.last("ann", "receipt")
    assert "(TAKE 2)" in told.text
    assert "moderator entered this" in " ".join(told.text.split())
    assert [row.data["lines"] for row in logged("order")] == [["TAKE 2"]]
    world.send("bob", "TAKE 1")
    world.pass_time(60)
    summary = " ".join(world.last("mod", "summary").text.split())
    assert "Entered by the moderator" in summary
    assert "ann: (TAKE 2), by mod@play.test" in summary


def test_several_order_lines_for_one_player_count_as_one_mail(world: World) -> None:
    world.game(
        "game: tontine\nid: t1\nplayers:\n"
        + "".join(f"  - {{name: {n}, address: {n}@{HOST}}}\n" for n in ("ann", "bob", "cid"))
    )
    desk_mail(world, "t1")
    command(world, "ORDER ann: HIT bob\nORDER ann: PROTECT ann\nORDER bob: PASS", "t1")
    lines = {name: [o.line for o in orders] for name, orders in world.table("t1").standing().items()}
    assert lines == {"ann": ["HIT bob", "PROTECT ann"], "bob": ["PASS"]}


def test_announce_goes_to_the_list_and_every_player(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    command(world, "ANNOUNCE: Happy new year!\nTAKE 2 is what I'd do.\nEND")
    for name in ("ann", "bob", "archive"):
        assert "Happy new year!" in world.last(name).text
    assert world.row("g1").status == "open"


def test_hold_keeps_the_result_back_until_approve(world: World) -> None:
    world.game(GRAB)
    first = world.row("g1").turn
    desk_mail(world)
    command(world, "HOLD")
    world.send("ann", "TAKE 1")
    world.pass_time(25 * HOUR)
    assert world.row("g1").status == "held"
    assert Turn.get_by_id(first).status == "open"
    # Orders stay closed: what comes now waits, and is told once the phase has closed.
    number = world.send("bob", "TAKE 4", answers=world.box("bob")[0])
    world.settle()
    assert outcome(world, number) == "new"
    answer = command(world, "APPROVE")
    assert "has closed" in answer.text
    assert Turn.get_by_id(first).status == "closed"
    world.settle()
    assert outcome(world, number) == "refused"


def test_an_order_of_the_moderators_counts_while_the_phase_waits(world: World) -> None:
    world.game(GRAB)
    first = world.row("g1").turn
    desk_mail(world)
    command(world, "HOLD")
    world.pass_time(25 * HOUR)
    assert world.row("g1").status == "held"
    command(world, "ORDER bob: TAKE 2")
    command(world, "APPROVE")
    stood = Standing.get((Standing.turn == first) & (Standing.seat == "bob"))
    assert [o["line"] for o in stood.orders] == ["TAKE 2"]
    assert Turn.get_by_id(first).status == "closed"
    assert world.table("g1").view(None)["coins"] == {"ann": 10, "bob": 12}


def test_extend_opens_a_phase_again_that_waits(world: World) -> None:
    world.game(GRAB)
    first = Turn.get_by_id(world.row("g1").turn)
    desk_mail(world)
    command(world, "HOLD")
    world.pass_time(25 * HOUR)
    command(world, "EXTEND 24h")
    assert world.row("g1").status == "open"
    assert Turn.get_by_id(first.id).deadline == first.deadline + 24 * HOUR
    number = world.send("ann", "TAKE 1", answers=world.box("ann")[0])
    world.settle()
    assert outcome(world, number) == "accepted"


def test_approve_before_the_deadline_takes_hold_back(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    command(world, "HOLD")
    assert world.row("g1").hold
    command(world, "APPROVE")
    assert not world.row("g1").hold


def test_hold_twice_is_refused(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    command(world, "HOLD")
    assert "waits for you already" in " ".join(command(world, "HOLD").text.split())


def test_end_ends_the_game_without_a_winner_and_shows_the_key(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    asked = command(world, "END")
    world.send("mod", "yes", answers=asked)
    world.settle()
    row: Game = world.row("g1")
    assert (row.status, row.winners) == ("over", [])
    assert "called the game off" in " ".join(world.last("archive").text.split())
    assert str(row.key) in world.last("archive").text
    assert world.last("ann").kind == "result"
    number = world.send("mod", "PAUSE", answers=world.last("mod"))
    world.settle()
    assert outcome(world, number) == "refused"


def test_a_mail_that_nothing_proves_to_be_the_moderators_is_asked_back(world: World) -> None:
    world.game(GRAB)
    number = world.send("mod", "PAUSE", to=BASE, subject="[g1] stop")
    world.settle()
    assert outcome(world, number) == "refused"
    assert world.row("g1").status == "open"
    asked = world.last("mod", "question")
    assert "(PAUSE)" in asked.text
    world.send("mod", "yes", answers=asked)
    world.settle()
    assert world.row("g1").status == "paused"


def test_the_answer_goes_to_the_address_on_file_and_names_the_other(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    world.send("mod", "PAUSE", answers=world.last("mod"), sender="mod@phone.test")
    world.settle()
    assert world.row("g1").status == "paused"
    assert world.box("mod@phone.test") == []
    assert "mod@phone.test" in world.last("mod", "receipt").text


def test_a_pause_that_came_after_the_deadline_waits_for_the_close(world: World) -> None:
    world.game(GRAB)
    first = world.row("g1").turn
    desk_mail(world)
    deadline = Turn.get_by_id(first).deadline
    world.clock.move_to(deadline + 1)
    number = world.send("mod", "PAUSE", answers=world.last("mod"), at=deadline + 1)
    world.settle()
    world.pass_time(10)
    assert Turn.get_by_id(first).status == "closed"
    assert outcome(world, number) == "accepted"
    assert world.row("g1").status == "paused"


def test_quoted_lines_of_ours_are_no_commands(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    answer = command(world, "Thanks!")
    assert "Nothing has changed" in answer.text
    assert world.row("g1").status == "open"
    assert logged("extend") == logged("pause") == []


def test_no_key_stands_in_a_log(world: World) -> None:
    world.game(GRAB)
    desk_mail(world)
    command(world, "EXTEND 24h\nORDERS\nPREVIEW")
    tokens = {row.token for row in Token.select()}
    kept = " ".join(f"{row.who} {row.what} {row.data}" for row in Log.select())
    assert tokens
    assert not any(token in kept for token in tokens)
    assert str(Table.of("g1").game.key) not in kept
