"""What stands, as values (INTERFACE.md, the `--json` shapes)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.service import desk, seats, settling, show
from pbm.service.desk import By
from pbm.service.rounds import NotNow
from pbm.store.db import transaction
from pbm.store.models import Log, Mail, Outbox
from tests.support.world import BASE, HOST, START, World

ME = By("mod", START)
GRAB = f"""
game: money_grab
id: g1
players:
  - {{name: ann, address: ann@{HOST}, timezone: Europe/Berlin}}
  - {{name: bob, address: bob@{HOST}}}
"""
BULLET = "game: buy_the_bullet\nid: b1\nplayers:\n" + "".join(
    f"  - {{name: {n}, address: {n}@{HOST}}}\n" for n in ("ann", "bob", "cid", "dan", "eve")
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def test_the_list_has_exactly_its_keys(world: World) -> None:
    world.game(GRAB)
    world.clock.pass_time(1)
    world.game(BULLET, start=False)
    assert show.games() == [
        {"id": "b1", "game": "buy_the_bullet", "status": "signup", "phase": None, "round": None, "deadline": None},
        {
            "id": "g1",
            "game": "money_grab",
            "status": "open",
            "phase": "round",
            "round": 1,
            "deadline": "2026-12-01T00:53:20Z",
        },
    ]


def test_who_is_waited_for_is_told_to_the_moderator_only_where_it_is_secret(world: World) -> None:
    table = world.game(GRAB)
    assert show.game(table, moderator=False)["waiting_for"] is None
    assert show.game(table, moderator=True)["waiting_for"] == ["ann", "bob"]


def test_in_a_public_phase_everybody_sees_who_is_waited_for(world: World) -> None:
    world.game(BULLET)
    for name in world.table("b1").open_phase.must:
        now = world.clock.now()
        with transaction():
            line = "BID NONE" if name != "ann" else world.table("b1").forms("ann")[0].example()
            seats.order(world.house, world.table("b1"), name, [line], By("mod", now), now)
    world.pass_time(13 * 3600)
    found = show.game(world.table("b1"), moderator=False)
    assert found["phase"] == "shoot"
    assert found["waiting_for"] == ["ann"]


def test_a_game_has_the_keys_of_the_interface_and_no_address(world: World) -> None:
    found = show.game(world.game(GRAB), moderator=False)
    keys = {
        "id",
        "game",
        "status",
        "phase",
        "round",
        "opened",
        "deadline",
        "waiting_for",
        "players",
        "public",
        "winners",
    }
    assert keys <= found.keys()
    assert found["opened"] == "2026-11-30T00:53:20Z"
    assert found["players"] == [{"name": "ann", "status": "alive"}, {"name": "bob", "status": "alive"}]
    assert found["public"]["pot"] == 60
    assert found["winners"] == []
    assert "@" not in str(found)
    assert f"ann@{HOST}" in str(show.game(world.table("g1"), moderator=True))


def test_paused_held_and_over(world: World) -> None:
    world.game(GRAB)
    with transaction():
        desk.pause(world.house, world.table("g1"), ME, START)
    found = show.game(world.table("g1"), moderator=False)
    assert (found["status"], found["deadline"]) == ("paused", None)
    with transaction():
        desk.resume(world.house, world.table("g1"), None, ME, START)
        desk.hold(world.house, world.table("g1"), ME, START)
    world.pass_time(25 * 3600)
    assert show.game(world.table("g1"), moderator=False)["status"] == "held"
    with transaction():
        seats.remove(world.house, world.table("g1"), "ann", ME, world.clock.now())
    found = show.game(world.table("g1"), moderator=False)
    assert (found["status"], found["winners"], found["phase"]) == ("over", ["bob"], None)
    assert [record.winners for record in show.finished()] == [("bob",)]


def test_orders_of_the_open_phase_by_seat(world: World) -> None:
    world.game(GRAB)
    world.send("ann", "TAKE 1")
    world.settle()
    assert show.orders(world.table("g1")) == {"ann": ["TAKE 1"], "bob": []}


def test_mails_have_exactly_their_keys_and_filters(world: World) -> None:
    world.game(GRAB)
    number = world.send("ann", "TAKE 1")
    world.send("zed", "hello", to=BASE)
    world.settle()
    incoming = show.mails(direction="in")
    assert {"id", "direction", "outcome", "game", "seat", "at", "reason"} == incoming[0].keys()
    assert [(m["outcome"], m["seat"]) for m in incoming] == [("dropped", None), ("accepted", "ann")]
    assert incoming[1]["id"] == f"in-{number}"
    assert [m["outcome"] for m in show.mails(outcome="accepted")] == ["accepted"]
    out = show.mails(game_id="g1", direction="out")
    assert {m["outcome"] for m in out} == {"sent"}
    assert len(show.mails(limit=2)) == 2


def test_a_mail_is_shown_with_what_was_read_and_without_its_key(world: World) -> None:
    world.game(GRAB)
    token = world.last("ann").reply_to.partition("+")[2].partition("@")[0]
    number = world.send("ann", "TAKE 1\nsee you")
    world.settle()
    found = show.mail_in(Mail.get_by_id(number))
    assert found["lines"] == ["TAKE 1", "see you"]
    assert found["from"] == f"ann@{HOST}"
    assert len(token) == 26
    assert token not in str(found)
    out = show.mail_out(Outbox.get((Outbox.reader == "ann") & (Outbox.kind == "round")))
    assert "TAKE" in out["text"]
    assert token not in str(out)


# -- what a person settles -----------------------------------------------------------------------------------------


def shunted(world: World, text: str = "TAKE 1") -> int:
    number = world.send("ann", text, to=BASE, subject="moves")
    Mail.update(outcome="shunted", reason="reading it failed").where(Mail.id == number).execute()
    return number


def test_accept_takes_what_is_read_from_the_mail(world: World) -> None:
    world.game(GRAB)
    number = shunted(world)
    with transaction():
        receipt = settling.accept(world.house, world.table("g1"), number, "ann", [], ME, START)
    assert receipt.taken == ["TAKE 1"]
    assert [o.line for o in world.table("g1").standing()["ann"]] == ["TAKE 1"]
    row = Mail.get_by_id(number)
    assert (row.outcome, row.game, row.seat) == ("accepted", "g1", "ann")
    world.deliver()
    assert "moderator has settled" in " ".join(world.last("ann", "receipt").text.split())
    with transaction(), pytest.raises(NotNow, match="accepted already"):
        settling.accept(world.house, world.table("g1"), number, "ann", [], ME, START)


def test_accept_with_lines_of_the_moderators(world: World) -> None:
    world.game(GRAB)
    number = shunted(world, "I take everything")
    with transaction():
        receipt = settling.accept(world.house, world.table("g1"), number, "ann", ["TAKE 2"], ME, START)
    assert receipt.taken == ["TAKE 2"]
    assert Log.get(Log.what == "mail accept").data["lines"] == ["TAKE 2"]


def test_accept_refuses_what_came_after_the_deadline(world: World) -> None:
    table = world.game(GRAB)
    world.clock.move_to(table.closes() + 10)
    number = shunted(world)
    with transaction(), pytest.raises(NotNow, match="after the deadline"):
        settling.accept(world.house, world.table("g1"), number, "ann", [], ME, world.clock.now())


def test_drop_and_read_again(world: World) -> None:
    world.game(GRAB)
    number = shunted(world)
    settling.reread(number, "mod", START)
    assert Mail.get_by_id(number).outcome == "new"
    with pytest.raises(NotNow, match="isn't shunted"):
        settling.reread(number, "mod", START)
    settling.drop(number, "mod", START)
    with pytest.raises(NotNow, match="settled already"):
        settling.drop(number, "mod", START)
    with pytest.raises(NotNow, match="no mail"):
        settling.drop(999, "mod", START)


def test_a_failed_mail_is_sent_again_or_given_up(world: World) -> None:
    world.refuse = lambda address: "no such user" if address.startswith("ann") else None
    world.game(GRAB)
    row = Outbox.get(Outbox.status == "failed")
    before = bytes(row.content)
    settling.resend(row.id, "mod", START)
    again = Outbox.get_by_id(row.id)
    assert (again.status, bytes(again.content)) == ("queued", before)
    with pytest.raises(NotNow, match="hasn't failed"):
        settling.resend(row.id, "mod", START)
    settling.cancel(row.id, "mod", START)
    assert Outbox.get_by_id(row.id).status == "cancelled"
    with pytest.raises(NotNow, match="is cancelled"):
        settling.cancel(row.id, "mod", START)
