"""Who may act for a seat (MAIL.md, *Addresses and identity*): tokens, proof, confirmation; forgeries get nowhere."""

from email.message import EmailMessage

import pytest

from pbm.store.models import Mail, Outbox, Question
from tests.support.world import BASE, HOST, World

GAME = """
game: tontine
id: ton-1
players:
  - {name: alice, address: alice@play.test}
  - {name: bob, address: bob@play.test}
  - {name: carol, address: carol@play.test}
timing: {default: {close: deadline}}
"""
PASS_DMARC = f"mx.{HOST}; dmarc=pass header.from={HOST}"


def standing(world: World, name: str, game: str = "ton-1") -> list[str]:
    return [order.line for order in world.table(game).standing().get(name, ())]


def test_a_token_acts_whatever_address_it_comes_from(world: World) -> None:
    world.game(GAME)
    world.send("alice", "HIT bob", sender="alice@work.example")
    world.pass_time(5)
    assert standing(world, "alice") == ["HIT bob"]
    receipt = world.last("alice", "receipt")
    assert "alice@work.example" in receipt.text
    assert "alice@work.example" not in world.boxes


def test_without_a_token_a_proven_address_acts(world: World) -> None:
    world.game(GAME)
    world.send("alice", "HIT bob", to=BASE, headers={"Authentication-Results": PASS_DMARC})
    world.pass_time(5)
    assert standing(world, "alice") == ["HIT bob"]


def test_without_proof_the_address_on_file_is_asked_and_confirms(world: World) -> None:
    world.game(GAME)
    world.send("alice", "HIT bob", to=BASE)
    world.pass_time(5)
    assert standing(world, "alice") == []
    question = world.last("alice", "question")
    assert "(HIT bob)" in question.text
    world.send("alice", "yes, that was me", answers=question)
    world.pass_time(5)
    assert standing(world, "alice") == ["HIT bob"]


def test_no_takes_the_question_back(world: World) -> None:
    world.game(GAME)
    world.send("alice", "HIT bob", to=BASE)
    world.pass_time(5)
    world.send("alice", "NO", answers=world.last("alice", "question"))
    world.pass_time(5)
    assert standing(world, "alice") == []


def test_a_newer_mail_is_asked_anew_and_three_times_a_day_at_most(world: World) -> None:
    world.game(GAME)
    for target in ("bob", "carol", "bob", "carol", "alice"):
        world.send("alice", f"HIT {target}", to=BASE)
        world.pass_time(5)
    questions = [m for m in world.box("alice") if m.kind == "question"]
    assert len(questions) == 3
    # Confirming takes the newest.
    world.send("alice", "yes", answers=questions[-1])
    world.pass_time(5)
    assert standing(world, "alice") == ["HIT alice"]


def test_a_confirmation_after_the_deadline_is_too_late(world: World) -> None:
    world.game(GAME)
    world.send("alice", "HIT bob", to=BASE)
    world.pass_time(5)
    question = world.last("alice", "question")
    world.pass_time(73 * 3600)
    world.send("alice", "yes", answers=question)
    world.pass_time(5)
    assert standing(world, "alice") == []
    assert "too late" in world.last("alice", "receipt").text.lower()


FORGED = {
    "no results": {},
    "another server's": {"Authentication-Results": f"mx.evil.example; dmarc=pass header.from={HOST}"},
    "a name that begins like ours": {
        "Authentication-Results": f"mx.{HOST}.evil.example; dmarc=pass header.from={HOST}"
    },
    "in a comment": {"Authentication-Results": f"mx.{HOST}; dmarc=fail (dmarc=pass header.from={HOST})"},
    "in a reason": {"Authentication-Results": f'mx.{HOST}; dmarc=fail reason="; dmarc=pass header.from={HOST}"'},
    "fail": {"Authentication-Results": f"mx.{HOST}; dmarc=fail header.from={HOST}"},
    "none": {"Authentication-Results": f"mx.{HOST}; none"},
    "another domain's dkim": {"Authentication-Results": f"mx.{HOST}; dkim=pass header.d=evil.example"},
    "another domain's spf": {"Authentication-Results": f"mx.{HOST}; spf=pass smtp.mailfrom=evil@evil.example"},
    "a subdomain trick": {"Authentication-Results": f"mx.{HOST}; dkim=pass header.d={HOST}.evil.example"},
    "spf of the helo": {"Authentication-Results": f"mx.{HOST}; spf=pass smtp.helo={HOST}"},
    "Sender": {"Sender": f"alice@{HOST}"},
    "ARC": {"ARC-Authentication-Results": f"i=1; mx.{HOST}; dmarc=pass header.from={HOST}"},
    "Received-SPF": {"Received-SPF": f"pass (mx.{HOST}: domain of alice@{HOST})"},
}


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_from_gets_no_order_in(world: World, how: str) -> None:
    world.game(GAME)
    world.send("mallory", "HIT bob", to=BASE, sender=f"alice@{HOST}", headers=FORGED[how])
    world.pass_time(5)
    assert standing(world, "alice") == []
    assert f"mallory@{HOST}" not in world.boxes


def test_results_below_a_foreign_received_are_not_believed(world: World) -> None:
    world.game(GAME)
    raw = (
        f"Received: from evil (evil [192.0.2.1]) by relay.evil.example; Mon, 30 Nov 2026 12:00:00 +0000\r\n"
        f"Authentication-Results: {PASS_DMARC}\r\n"
        f"From: alice@{HOST}\r\nTo: {BASE}\r\nSubject: x\r\nMessage-ID: <f1@evil.example>\r\n"
        "Date: Mon, 30 Nov 2026 12:00:00 +0000\r\n\r\nHIT bob\r\n"
    )
    world.arrive(raw.encode())
    world.pass_time(5)
    assert standing(world, "alice") == []


def test_only_the_topmost_results_of_ours_count(world: World) -> None:
    world.game(GAME)
    raw = (
        f"Authentication-Results: mx.{HOST}; dmarc=fail header.from={HOST}\r\n"
        f"Authentication-Results: {PASS_DMARC}\r\n"
        f"From: alice@{HOST}\r\nTo: {BASE}\r\nSubject: x\r\nMessage-ID: <f2@evil.example>\r\n\r\nHIT bob\r\n"
    )
    world.arrive(raw.encode())
    world.pass_time(5)
    assert standing(world, "alice") == []


@pytest.mark.parametrize(
    "sender", [f"alice@{HOST}, mallory@evil.example", "", "alice", f'"alice@{HOST}" <m@evil.example>']
)
def test_odd_senders_without_a_token_get_nowhere(world: World, sender: str) -> None:
    world.game(GAME)
    raw = (
        f"Authentication-Results: {PASS_DMARC}\r\nFrom: {sender}\r\nTo: {BASE}\r\nSubject: x\r\n"
        "Message-ID: <f3@evil.example>\r\n\r\nHIT bob\r\n"
    )
    world.arrive(raw.encode())
    world.pass_time(5)
    assert standing(world, "alice") == []


def test_a_lone_carriage_return_forges_no_header(world: World) -> None:
    world.game(GAME)
    raw = (
        f"X-A: a\rAuthentication-Results: {PASS_DMARC}\r\nFrom: alice@{HOST}\r\nTo: {BASE}\r\nSubject: x\r\n"
        "Message-ID: <f4@evil.example>\r\n\r\nHIT bob\r\n"
    )
    world.arrive(raw.encode())
    world.pass_time(5)
    assert standing(world, "alice") == []


def test_thread_headers_grant_nothing(world: World) -> None:
    world.game(GAME)
    mine = world.last("alice", "round")
    world.send(
        "mallory",
        "HIT bob",
        to=BASE,
        sender="mallory@evil.example",
        headers={"In-Reply-To": mine.message_id, "References": mine.message_id},
    )
    world.pass_time(5)
    assert standing(world, "alice") == []
    assert world.box("mallory@evil.example") == []


def test_a_token_of_another_seat_acts_for_that_seat_only(world: World) -> None:
    """Whoever holds bob's key plays bob, whatever From says; and bob is told from where it came."""
    world.game(GAME)
    world.send("mallory", "HIT carol", answers=world.last("bob", "round"), sender=f"alice@{HOST}")
    world.pass_time(5)
    assert standing(world, "alice") == []
    assert standing(world, "bob") == ["HIT carol"]
    assert f"alice@{HOST}" in world.last("bob", "receipt").text


def test_a_token_that_nobody_holds_proves_nothing(world: World) -> None:
    world.game(GAME)
    world.send("mallory", "HIT carol", to=f"pbm+{'a' * 26}@{HOST}", sender=f"alice@{HOST}")
    world.send("mallory", "HIT carol", to=f"pbm+{'b' * 26}@{HOST}", sender="m@evil.example")
    world.pass_time(5)
    assert standing(world, "alice") == []
    assert world.box("m@evil.example") == []


def test_a_token_in_capitals_is_the_same_token(world: World) -> None:
    world.game(GAME)
    address = world.last("alice", "round").reply_to
    local, _, host = address.partition("@")
    world.send("alice", "HIT bob", to=f"{local.upper()}@{host}".replace("PBM", "pbm"))
    world.pass_time(5)
    assert standing(world, "alice") == ["HIT bob"]


def test_a_shot_from_another_address_waits_for_the_address_on_file(world: World) -> None:
    world.game(GAME.replace("tontine", "buy_the_bullet").replace("close: deadline", "close: all-in, min: 0m"))
    for name, card in (("alice", "diamond"), ("bob", "heart"), ("carol", "heart")):
        world.send(name, f"BID {card}")
    world.pass_time(60)
    assert world.table("ton-1").view(None)["holder"] == "alice"
    world.send("alice", "SHOOT bob", sender="alice@work.example")
    world.pass_time(60)
    assert world.table("ton-1").view(None)["players"]["bob"]["status"] == "alive"
    question = world.last("alice", "question")
    # The key alone isn't enough: it must come from the address on file.
    world.send("alice", "yes", answers=question, sender="alice@work.example")
    world.pass_time(60)
    assert world.table("ton-1").view(None)["players"]["bob"]["status"] == "alive"
    world.send("alice", "yes", answers=question)
    world.pass_time(60)
    assert world.table("ton-1").view(None)["players"]["bob"]["status"] == "dead"


def test_a_misspelt_target_of_a_shot_is_asked_back(world: World) -> None:
    game = GAME.replace("tontine", "buy_the_bullet").replace("close: deadline", "close: all-in, min: 0m")
    world.game(game.replace("name: carol", "name: caroline"))
    for name, card in (("alice", "diamond"), ("bob", "heart"), ("carol", "heart")):
        world.send(name, f"BID {card}")
    world.pass_time(60)
    world.send("alice", "SHOOT carolin")
    world.pass_time(60)
    assert world.table("ton-1").view(None)["players"]["caroline"]["status"] == "alive"
    assert "caroline" in world.last("alice", "question").text
    world.send("alice", "yes", answers=world.last("alice", "question"))
    world.pass_time(60)
    assert world.table("ton-1").view(None)["players"]["caroline"]["status"] == "dead"


def test_an_older_token_still_proves_the_seat(world: World) -> None:
    world.game(GAME)
    old = world.last("alice", "round")
    world.pass_time(73 * 3600)
    world.send("alice", "HIT bob\nTIMEZONE Europe/Rome", answers=old)
    world.pass_time(5)
    assert standing(world, "alice") == []
    receipt = world.last("alice", "receipt")
    assert "too late for Round 1" in " ".join(receipt.text.split())
    assert "mailto:" in receipt.html
    assert next(seat for seat in world.table("ton-1").seats if seat.name == "alice").timezone == "Europe/Rome"


def test_a_thousand_strangers_hear_nothing(world: World) -> None:
    """No backscatter: without proof nothing goes out; with it one short answer a day."""
    world.game(GAME)
    before = Outbox.select().count()
    for n in range(200):
        world.send(f"s{n}", "Buy our watches!\nHIT bob\nJOIN", to=BASE, sender=f"s{n}@spam.example")
    world.pass_time(60)
    assert Outbox.select().count() == before
    for _ in range(3):
        world.send("dora", "What is this?", to=BASE, headers={"Authentication-Results": PASS_DMARC})
        world.pass_time(60)
    assert [m.kind for m in world.box("dora")] == ["stranger"]
    assert "What is this" not in world.box("dora")[0].text


def test_automatic_mail_is_never_answered(world: World) -> None:
    world.game(GAME)
    before = Outbox.select().count()
    for headers in ({"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"X-Autoreply": "yes"}):
        world.send("alice", "I am away.\nHIT bob", headers=headers)
    world.pass_time(60)
    assert Outbox.select().count() == before
    assert standing(world, "alice") == []
    assert {m.outcome for m in Mail.select()} == {"dropped"}


def test_two_services_wired_to_each_other_fall_silent(world: World) -> None:
    """Where nothing marks an automatic answer, the rate per address and day ends the loop."""
    world.game(GAME)
    for _ in range(90):
        world.send("alice", "Thank you for your message!", quote=False)
        world.pass_time(1)
    receipts = [m for m in world.box("alice") if m.kind == "receipt"]
    assert len(receipts) == 60


def test_our_own_mail_that_comes_back_is_dropped(world: World) -> None:
    world.game(GAME)
    world.arrive(world.last("alice", "round").raw)
    world.arrive(world.last("archive", "digest").raw)
    world.pass_time(5)
    assert {m.outcome for m in Mail.select()} == {"dropped"}


def test_an_order_by_the_list_is_not_played_and_its_writer_is_warned(world: World) -> None:
    world.game(GAME)
    mail = EmailMessage()
    mail["From"] = f"alice@{HOST}"
    mail["To"] = f"archive@{HOST}"
    mail["Subject"] = "Re: [ton-1] The game begins"
    mail["List-Id"] = "<archive.play.test>"
    mail["Message-ID"] = "<l1@alice.example>"
    mail.set_content("HIT bob\n")
    world.arrive(mail.as_bytes().replace(b"\n", b"\r\n"))
    world.pass_time(5)
    assert standing(world, "alice") == []
    assert "orders never go there" in " ".join(world.last("alice", "receipt").text.split())
    for n in range(70):  # forged in her name, or a loop: she isn't flooded
        world.arrive(mail.as_bytes().replace(b"\n", b"\r\n").replace(b"<l1@", f"<x{n}@".encode()))
        world.pass_time(1)
    assert len([m for m in world.box("alice") if m.kind == "receipt"]) == 60


def test_join_is_asked_once_a_day_and_twenty_an_hour_at_most(world: World) -> None:
    world.game("game: tontine\nid: open-1\nseats: 40\nmoderator: mod@play.test\n", start=False)
    for n in range(30):
        world.send(f"j{n}", f"JOIN open-1 AS Player{chr(65 + n % 26)}", to=BASE, sender=f"j{n}@x.example")
        world.send(f"j{n}", f"JOIN open-1 AS Other{chr(65 + n % 26)}", to=BASE, sender=f"j{n}@x.example")
    world.pass_time(10)
    assert Question.select().where(Question.kind == "join").count() == 20
    assert sum(len(world.box(f"j{n}@x.example")) for n in range(30)) == 20


def test_an_encrypted_mail_is_answered_with_what_to_do(world: World) -> None:
    world.game(GAME)
    raw = (
        f"From: alice@{HOST}\r\nTo: {world.last('alice').reply_to}\r\nSubject: x\r\nMessage-ID: <e1@alice.example>\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="b"\r\n'
        "\r\n--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b\r\n"
        "Content-Type: application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----\r\nxx\r\n--b--\r\n"
    )
    world.arrive(raw.encode())
    world.pass_time(5)
    assert "plain text" in world.last("alice", "receipt").text
    assert [m.outcome for m in Mail.select()] == ["refused"]


def test_a_shot_from_a_mail_that_nothing_proves_is_confirmed_from_the_address_on_file_only(world: World) -> None:
    world.game(GAME.replace("tontine", "buy_the_bullet").replace("close: deadline", "close: all-in, min: 0m"))
    for name, card in (("alice", "diamond"), ("bob", "heart"), ("carol", "heart")):
        world.send(name, f"BID {card}")
    world.pass_time(60)
    world.send("alice", "SHOOT bob", to=BASE)
    world.pass_time(60)
    world.send("alice", "yes", answers=world.last("alice", "question"), sender="alice@work.example")
    world.pass_time(60)
    assert world.table("ton-1").view(None)["players"]["bob"]["status"] == "alive"
    assert "alice@work.example" in world.last("alice", "receipt").text
    world.send("alice", "yes", answers=world.last("alice", "question"))
    world.pass_time(60)
    assert world.table("ton-1").view(None)["players"]["bob"]["status"] == "dead"


@pytest.mark.parametrize("answer", ["No, that wasn't me!", "no thanks", "Stop: I never wrote this", "CANCEL"])
def test_an_answer_that_begins_with_no_confirms_nothing(world: World, answer: str) -> None:
    world.game(GAME)
    world.send("alice", "RESIGN")
    world.pass_time(5)
    world.send("alice", answer, answers=world.last("alice", "question"))
    world.pass_time(5)
    assert world.table("ton-1").view(None)["players"]["alice"]["status"] == "alive"
    assert "Nothing was done" in world.last("alice", "receipt").text


def test_the_same_mail_again_with_an_earlier_arrival_is_one_mail(world: World) -> None:
    """A copy from another folder may have been stamped before, and read after."""
    world.game(GAME)
    number = world.send("alice", "TELL bob: hello there")
    world.settle()
    world.clock.move_to(world.clock.now() + 60)
    again = world.arrive(bytes(Mail.get_by_id(number).content), at=world.clock.now() - 70)
    world.settle()
    assert Mail.get_by_id(again).outcome == "dropped"
    assert len([mail for mail in world.box("bob") if mail.kind.startswith("press")]) == 1
