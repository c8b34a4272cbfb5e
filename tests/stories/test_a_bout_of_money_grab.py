"""Two players and their mails: what they get, what they send, what becomes of it."""

from itertools import pairwise

from pbm.store.models import Mail
from tests.support.world import HOST, World

GRAB = """
game: money_grab
id: grab-1
title: Grab on Friday
seed: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
players:
  - {name: alice, address: alice@play.test, timezone: Europe/Berlin}
  - {name: bob, address: bob@play.test}
timing: {default: {length: 24h}}
"""
DAY = 86_400


def test_the_start_tells_everybody_what_they_need(world: World) -> None:
    world.game(GRAB)
    mail = world.last("alice", "round")
    assert mail.subject.startswith("[grab-1] Bout 1, set 1, round 1")
    assert "(Europe/Berlin)" in mail.text
    assert "UTC" in mail.text
    assert mail.reply_to.startswith("pbm+")
    assert "(TAKE 0)" in mail.text
    digest = world.last("archive", "digest")
    assert digest.reply_to == f"pbm@{HOST}"
    # Ruling G4: the start shows the SHA-256 of the key, and nothing shows the key.
    assert "4773d12e2371bb935b9a0f5439b4a1c3ad3f2414b86980f8418d1cfabdfadfef" in "".join(digest.text.split())
    assert "00112233445566778899aabbccddeeff" not in digest.text + mail.text + mail.html
    assert world.last("bob").reply_to != mail.reply_to


def test_both_answer_and_the_round_closes_early(world: World) -> None:
    world.game(GRAB)
    world.send("alice", "take 1")
    world.send("bob", "> nothing new here\n\n* TAKE 2.\n\nCheers,\nBob")
    assert world.pass_time(60) == ["grab-1: Bout 1, set 1, round 1 closed"]
    assert "(TAKE 1)" in world.last("alice", "receipt").text
    digest = world.last("archive", "digest")
    assert digest.subject == "[grab-1] Bout 1, set 1, round 1 results"
    assert "alice" in digest.text
    summary = world.last("mod", "summary")
    assert "(TAKE 1)" in summary.text
    assert "(TAKE 2)" in summary.text
    # One mail a reader and close: the result stands in the next round's mail.
    assert [m.kind for m in world.box("alice")] == ["round", "receipt", "round"]


def test_the_archive_is_one_thread_with_every_digest(world: World) -> None:
    world.game(GRAB)
    for _ in range(3):
        world.send("alice", "TAKE 1")
        world.send("bob", "TAKE 1")
        world.pass_time(60)
    thread = world.box("archive")
    assert [m.kind for m in thread] == ["digest"] * 4
    root = thread[0].message_id
    assert all(m.references.split()[0] == root for m in thread[1:])
    assert all(m.references.split()[-1] == before.message_id for before, m in pairwise(thread))
    private = {m.message_id for m in world.box("alice")} | {m.message_id for m in world.box("bob")}
    assert not private & {i for m in thread for i in m.references.split()}


def test_nobody_answers_and_the_round_closes_at_its_deadline(world: World) -> None:
    world.game(GRAB)
    done = world.pass_time(DAY + 5)
    assert done == ["grab-1: Bout 1, set 1, round 1 closed"]
    reminders = [m for m in world.box("bob") if m.kind == "reminder"]
    # 24 h before is within the first quarter of a phase of 24 h, and left out.
    assert [world.clock.now() - m.at > 0 for m in reminders] == [True]
    assert "alice sent nothing in time" in world.last("archive", "digest").text


def test_who_has_acted_is_not_reminded(world: World) -> None:
    world.game(GRAB)
    world.send("alice", "TAKE 2")
    world.pass_time(DAY + 5)
    assert [m.kind for m in world.box("alice") if m.kind == "reminder"] == []
    assert [m.kind for m in world.box("bob") if m.kind == "reminder"] == ["reminder"]


def test_the_newest_mail_counts_whatever_the_order_of_reading(world: World) -> None:
    """G2: the greatest arrival time, then UID."""
    world.game(GRAB)
    now = world.clock.now()
    world.send("alice", "TAKE 2", at=now + 50)
    world.pass_time(10)
    world.send("alice", "TAKE 1", at=now + 5)
    world.pass_time(10)
    assert world.table("grab-1").standing()["alice"][0].line == "TAKE 2"
    assert "newer" in world.last("alice", "receipt").text


def test_a_mail_in_time_counts_though_it_is_read_after_the_deadline(world: World) -> None:
    world.game(GRAB)
    deadline = world.table("grab-1").closes()
    world.clock.move_to(deadline + 7200)  # the service was down
    world.send("alice", "TAKE 2", at=deadline)
    world.send("bob", "TAKE 2", at=deadline + 1)
    world.pass_time(10)
    digest = [m for m in world.box("archive") if m.kind == "digest"][-1]
    assert "alice took 2" in digest.text
    assert "bob took 0" in digest.text or "bob" in digest.text
    receipt = world.last("bob", "receipt")
    assert "too late" in receipt.text.lower()


def test_a_late_mail_is_answered_with_what_the_open_phase_takes(world: World) -> None:
    world.game(GRAB)
    first = world.last("bob", "round")
    world.pass_time(DAY + 5)
    world.send("bob", "TAKE 1", answers=first)
    world.pass_time(5)
    receipt = world.last("bob", "receipt")
    assert "too late for Bout 1, set 1, round 1" in " ".join(receipt.text.split())
    assert "bob" not in world.table("grab-1").standing()


def test_the_same_mail_twice_has_the_effect_of_one(world: World) -> None:
    world.game(GRAB)
    number = world.send("alice", "TAKE 2")
    world.pass_time(5)
    world.arrive(bytes(Mail.get_by_id(number).content))
    world.pass_time(5)
    assert [m.outcome for m in Mail.select().order_by(Mail.id)] == ["accepted", "dropped"]
    assert len([m for m in world.box("alice") if m.kind == "receipt"]) == 1


def test_a_refused_line_stands_at_the_top_of_the_receipt(world: World) -> None:
    """M3: an illegal number never becomes a move; the order that stood before it stands."""
    world.game(GRAB)
    world.send("alice", "TAKE 1")
    world.pass_time(5)
    world.send("alice", "TAKE 5")
    world.pass_time(5)
    receipt = world.last("alice", "receipt")
    body = " ".join(receipt.text.split())
    assert body.index("TAKE 5") < body.index("TAKE 1")
    assert world.table("grab-1").standing()["alice"][0].line == "TAKE 1"


def test_a_game_is_played_to_its_winner(world: World) -> None:
    world.game(GRAB)
    for n in range(200):
        table = world.table("grab-1")
        if table.game.status == "over":
            break
        limit = table.forms("alice")[0].slots[0].high
        world.send("alice", f"TAKE {limit}")
        world.send("bob", f"TAKE {max(0, limit - n % 2)}")
        world.pass_time(60)
    row = world.row("grab-1")
    assert row.status == "over"
    last = world.last("archive", "digest")
    assert "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff" in last.text
    assert row.winners[0] in last.text
    assert world.last("alice").kind == "result"
    assert world.last("bob").kind == "result"
    assert world.last("mod").kind == "summary"
