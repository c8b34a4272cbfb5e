"""The commands (INTERFACE.md): exit status 0 done, 1 refused with a reason, 2 wrong use; never a traceback."""

from pathlib import Path

import pytest

from pbm.clock import SystemClock
from pbm.store import db
from pbm.store.models import Log, Mail, Outbox, Seat, Turn
from tests.support.commands import CONFIG, GRAB, Pbm
from tests.support.world import BASE, HOST, World


def test_help_stands_everywhere(pbm: Pbm) -> None:
    for command in ("", "check", "init", "upgrade", "serve", "demo", "bench", "adjudicate", "explain", "game", "mail"):
        assert pbm(*command.split(), "-h").status == 0
    listed = pbm("game", "-h").out
    for word in ("close", "extend", "pause", "resume", "remove", "replace", "order", "announce", "hold", "approve"):
        assert word in listed
        assert pbm("game", word, "-h").status == 0


@pytest.mark.parametrize(
    "line", ["", "nope", "game", "game nope", "game show", "game extend g1", "adjudicate", "--config", "mail show x"]
)
def test_wrong_use_is_status_2(pbm: Pbm, line: str) -> None:
    pbm("init")
    assert pbm(*line.split()).status == 2


def test_a_faulty_configuration_names_all_faults_and_is_status_2(pbm: Pbm, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("mail: {adress: x, imap: {port: 0}}\nmoderator: nobody\n")
    for command in (("check",), ("init",), ("serve", "--once"), ("game", "list")):
        found = pbm("--config", "bad.yaml", *command)
        assert found.status == 2
        for path in ("mail.adress", "mail.imap.port", "mail.imap.password", "moderator"):
            assert path in found.err
    assert pbm("--config", "none.yaml", "check").status == 2


def test_settings_may_come_from_the_environment_alone(
    pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").unlink()
    assert pbm("init").status == 2
    monkeypatch.setenv("PBM_MAIL__ADDRESS", BASE)
    monkeypatch.setenv("PBM_MAIL__IMAP__PASSWORD", "x")
    assert pbm("init").status == 0


def test_the_configuration_may_be_named_by_the_environment(
    pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").rename(tmp_path / "other.yaml")
    monkeypatch.setenv("PBM_CONFIG", "other.yaml")
    assert pbm("init").status == 0


def test_init_once_and_commands_before_it_say_so(pbm: Pbm) -> None:
    found = pbm("game", "list")
    assert (found.status, "pbm init" in found.err) == (1, True)
    assert pbm("upgrade").status == 1
    assert pbm("init").status == 0
    assert pbm("init").status == 1
    assert pbm("upgrade").status == 0


def test_check_has_a_line_each_and_says_what_to_do(pbm: Pbm, tmp_path: Path) -> None:
    found = pbm("check")
    assert found.status == 1
    assert "pbm init" in found.out
    pbm("init")
    found = pbm("check")
    lines = dict(line.split(None, 1)[::-1] for line in found.out.splitlines())
    states = {what.split(":")[0]: state for what, state in lines.items()}
    assert states == {
        "configuration": "ok",
        "database": "ok",
        "plug-ins": "ok",
        "templates": "ok",
        "IMAP": "FAULT",
        "SMTP": "FAULT",
    }
    assert "mail.imap" in found.out


def test_check_finds_a_template_that_cannot_be_rendered(pbm: Pbm, tmp_path: Path) -> None:
    pbm("init")
    own = tmp_path / "templates" / "money_grab"
    own.mkdir(parents=True)
    (own / "standing.txt").write_text("{{ view.nothing }}\n")
    assert "FAULT  templates: money_grab/standing.txt" in pbm("check").out
    (own / "standing.txt").write_text("{% if %}\n")
    assert "FAULT  templates: money_grab/standing.txt, line 1" in pbm("check").out


def test_check_names_a_plug_in_that_is_missing(pbm: Pbm, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG + "plugins: [our_game]\n")
    pbm("init")
    assert "FAULT  plug-ins: no plug-in 'our_game' is installed" in pbm("check").out
    assert pbm("game", "list").status == 2


def test_new_start_list_show(pbm: Pbm) -> None:
    pbm("init")
    assert pbm("game", "list", "--json").json == []
    assert pbm("game", "new", "g1.yaml").status == 0
    assert pbm("game", "show", "g1", "--json").json["status"] == "signup"
    assert pbm("game", "start", "g1").status == 0
    found = pbm("game", "start", "g1")
    assert (found.status, "started already" in found.err) == (1, True)
    (row,) = pbm("game", "list", "--json").json
    assert {"id", "game", "status", "phase", "round", "deadline"} == row.keys()
    assert (row["id"], row["status"], row["phase"], row["deadline"][-1]) == ("g1", "open", "round", "Z")
    shown = pbm("game", "show", "g1", "--json").json
    assert shown["waiting_for"] is None
    assert pbm("game", "show", "g1", "--json", "--moderator").json["waiting_for"] == ["ann", "bob"]
    assert "pot" in pbm("game", "show", "g1").out


def test_new_twice_is_refused_and_a_faulty_file_is_wrong_use(pbm: Pbm, tmp_path: Path) -> None:
    pbm("init")
    assert pbm("game", "new", "g1.yaml", "--start").status == 0
    found = pbm("game", "new", "g1.yaml")
    assert (found.status, "there is a game g1 already" in found.err) == (1, True)
    (tmp_path / "bad.yaml").write_text(GRAB.replace("name: ann", "name: take").replace("money_grab", "money_grap"))
    found = pbm("game", "new", "bad.yaml")
    assert found.status == 2
    assert "money_grab" in found.err
    (tmp_path / "bad.yaml").write_text(GRAB.replace("name: ann", "name: Take"))
    found = pbm("game", "new", "bad.yaml")
    assert (found.status, "players[0].name" in found.err) == (2, True)
    assert pbm("game", "new", "none.yaml").status == 2


def test_a_game_or_player_that_there_is_not(pbm: Pbm) -> None:
    pbm("init")
    pbm("game", "new", "g1.yaml", "--start")
    for line in ("show zz", "close zz", "extend zz 24h", "remove zz ann --yes", "orders zz --moderator", "replay zz"):
        found = pbm("game", *line.split())
        assert (found.status, "there is no game zz" in found.err) == (1, True)
    found = pbm("game", "remove", "g1", "zed", "--yes")
    assert (found.status, "there are: ann, bob" in found.err) == (1, True)
    assert pbm("game", "order", "g1", "zed", "TAKE 1").status == 1


def test_orders_only_for_the_moderator_and_each_look_is_logged(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    assert pbm("game", "order", "g1", "ann", "TAKE 1").status == 0
    found = pbm("game", "orders", "g1")
    assert (found.status, "TAKE" in found.out + found.err) == (1, False)
    assert Log.select().where(Log.what == "orders").count() == 0
    assert pbm("game", "orders", "g1", "--moderator", "--json").json == {"ann": ["TAKE 1"], "bob": []}
    assert Log.select().where(Log.what == "orders").count() == 1


def test_an_order_that_is_refused_is_status_1_and_the_good_lines_count(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    found = pbm("game", "order", "g1", "ann", "TAKE 99")
    assert (found.status, "TAKE 99:" in found.err) == (1, True)
    pbm("game", "new", "t1.yaml", "--start")
    found = pbm("game", "order", "t1", "ann", "HIT zed", "HIT bob")
    assert found.status == 1
    assert pbm("game", "orders", "t1", "--moderator", "--json").json["ann"] == ["HIT bob"]


def test_preview_changes_and_sends_nothing(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    pbm("game", "order", "g1", "ann", "TAKE 1")
    before = Outbox.select().count()
    found = pbm("game", "preview", "g1", "--json").json
    assert found["orders"] == {"ann": ["TAKE 1"], "bob": []}
    assert found["missing"] == ["bob"]
    assert {"missed", "takes"} <= {event["type"] for event in found["events"]}
    assert "would open" in pbm("game", "preview", "g1").out
    assert Outbox.select().count() == before
    assert Turn.select().count() == 1


def test_close_only_sets_the_deadline_and_the_service_closes(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    assert pbm("game", "close", "g1").status == 0
    assert Turn.get().status == "open"
    world.clock.move_to(SystemClock().now())
    world.pass_time(10)
    assert [turn.status for turn in Turn.select().order_by(Turn.n)] == ["closed", "open"]
    assert pbm("game", "replay", "g1").status == 0


def test_extend_pause_resume_hold_approve_announce(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    deadline = Turn.get().deadline
    assert pbm("game", "extend", "g1", "24h").status == 0
    assert Turn.get().deadline == deadline + 86_400
    assert pbm("game", "extend", "g1", "soon").status == 2
    assert pbm("game", "resume", "g1").status == 1
    assert pbm("game", "pause", "g1").status == 0
    assert pbm("game", "pause", "g1").status == 1
    assert pbm("game", "show", "g1", "--json").json["status"] == "paused"
    assert pbm("game", "resume", "g1", "--until", "tomorrow").status == 2
    assert pbm("game", "resume", "g1", "--until", "2001-01-01 18:00").status == 1
    assert pbm("game", "resume", "g1", "--until", "48h").status == 0
    assert pbm("game", "approve", "g1").status == 1
    assert pbm("game", "hold", "g1").status == 0
    assert pbm("game", "approve", "g1").status == 0
    assert pbm("game", "announce", "g1", "Happy new year").status == 0
    world.clock.move_to(SystemClock().now())
    world.deliver()
    assert "Happy new year" in world.last("ann").text
    told = [row.what for row in Log.select().order_by(Log.id)]
    assert told == ["start", "extend", "pause", "resume", "hold", "approve", "announce"]
    assert all(row.who.startswith("command line") for row in Log.select())


def test_what_is_asked_back_by_mail_wants_yes(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "t1.yaml", "--start")
    for line in ("remove t1 dan", "replace t1 cid new@else.test", "end t1"):
        found = pbm("game", *line.split())
        assert (found.status, "--yes" in found.err) == (1, True)
    assert pbm("game", "undo", "t1", "--yes").status == 1
    assert pbm("game", "replace", "t1", "cid", "new@else.test", "--yes").status == 0
    assert Seat.get(Seat.name == "cid").address == "new@else.test"
    for address in ("new@else.test", f"ann@{HOST}", f"mod@{HOST}", BASE, "no address"):
        assert pbm("game", "replace", "t1", "cid", address, "--yes").status == 1
    assert pbm("game", "remove", "t1", "dan", "--yes").status == 0
    assert pbm("game", "remove", "t1", "dan", "--yes").status == 1
    assert pbm("game", "close", "t1").status == 0
    world.clock.move_to(SystemClock().now())
    world.pass_time(10)
    assert pbm("game", "undo", "t1").status == 1
    assert pbm("game", "undo", "t1", "--yes").status == 0
    assert pbm("game", "show", "t1", "--json").json["status"] == "paused"
    assert pbm("game", "replay", "t1", "--json").json["same"] is True
    assert pbm("game", "end", "t1", "--yes").status == 0
    assert pbm("game", "end", "t1", "--yes").status == 1
    assert pbm("game", "show", "t1", "--json").json["status"] == "over"
    (row,) = pbm("game", "record", "--format", "json").json
    assert (row["id"], row["winners"]) == ("t1", [])
    assert pbm("game", "record", "--format", "markdown").out.startswith("| Game |")
    assert pbm("game", "record", "--format", "xml").status == 2


def test_a_game_open_for_sign_up_can_be_called_off(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml")
    assert pbm("game", "end", "g1", "--yes").status == 0
    world.clock.move_to(SystemClock().now())
    world.deliver()
    assert "called off" in world.last("ann").subject
    assert pbm("game", "start", "g1").status == 1


def test_replay_of_a_changed_game_is_status_1(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    turn = Turn.get()
    turn.state = {**turn.state, "pot": 1}
    turn.save()
    found = pbm("game", "replay", "g1")
    assert (found.status, "DIFFERENT" in found.out) == (1, True)


def test_mail_list_show_accept_drop_retry(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    number = world.send("ann", "TAKE 1", to=BASE)
    Mail.update(outcome="shunted", reason="it broke").where(Mail.id == number).execute()
    (row,) = pbm("mail", "list", "--outcome", "shunted", "--json").json
    assert {"id", "direction", "outcome", "game", "seat", "at", "reason"} == row.keys()
    assert row["reason"] == "it broke"
    assert "TAKE 1" in pbm("mail", "show", row["id"]).out
    assert pbm("mail", "show", row["id"], "--json").json["lines"] == ["TAKE 1"]
    assert pbm("mail", "show", str(number), "--raw").out.startswith("From: Ann")
    assert pbm("mail", "show", "in-99").status == 1
    assert pbm("mail", "accept", row["id"], "--game", "g1").status == 2
    assert pbm("mail", "accept", row["id"], "--game", "g1", "--seat", "zed").status == 1
    assert pbm("mail", "accept", row["id"], "--game", "g1", "--seat", "ann").status == 0
    assert pbm("mail", "accept", row["id"], "--game", "g1", "--seat", "ann").status == 1
    assert pbm("mail", "drop", row["id"]).status == 1
    other = world.send("bob", "hello", to=BASE)
    assert pbm("mail", "drop", f"in-{other}").status == 0
    out = pbm("mail", "list", "--direction", "out", "--json").json
    assert {mail["outcome"] for mail in out} == {"queued"}
    assert pbm("mail", "retry", out[0]["id"]).status == 1
    Outbox.update(status="failed").where(Outbox.id == int(out[0]["id"].removeprefix("out-"))).execute()
    assert pbm("mail", "retry", out[0]["id"]).status == 0
    assert pbm("mail", "drop", out[0]["id"]).status == 0
    assert pbm("mail", "list").out.startswith("id ")


def test_mail_accept_with_lines_of_its_own(pbm: Pbm, world: World) -> None:
    pbm("game", "new", "g1.yaml", "--start")
    number = world.send("ann", "everything, please", to=BASE)
    line = ("mail", "accept", f"in-{number}", "--game", "g1", "--seat", "ann")
    assert pbm(*line, "--order", "TAKE 1").status == 0
    assert pbm("game", "orders", "g1", "--moderator", "--json").json["ann"] == ["TAKE 1"]


def test_serve_once_without_a_mailbox_fails_with_the_reason(pbm: Pbm) -> None:
    pbm("init")
    found = pbm("serve", "--once")
    assert (found.status, "the mailbox can't be read" in found.err) == (1, True)


def test_a_second_service_is_kept_out(pbm: Pbm, tmp_path: Path) -> None:
    pbm("init")
    with db.only_service(f"sqlite:///{tmp_path}/pbm.db"):
        found = pbm("serve", "--once")
    assert (found.status, "another pbm serves" in found.err) == (1, True)


def test_a_database_that_cannot_be_opened(pbm: Pbm, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG + "database: sqlite:///none/pbm.db\n")
    found = pbm("game", "list")
    assert (found.status, "database" in found.err) == (1, True)
    (tmp_path / "pbm.txt").write_text("no database at all, but long enough to look like one " * 30)
    (tmp_path / "config.yaml").write_text(CONFIG + "database: sqlite:///pbm.txt\n")
    assert pbm("game", "list").status == 1
    assert pbm("init").status == 1
