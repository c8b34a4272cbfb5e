"""config.yaml (INTERFACE.md): what a small file comes to, where values come from, and what is said of wrong ones."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel, SecretStr

from pbm.config import Config, is_loopback, load_config
from pbm.faults import ConfigFaults
from pbm.timing import merge_timing

SMALL = {"mail": {"address": "pbm@example.org", "imap": {"password": "pw"}}}
WHOLE = """
mail:
  address: pbm@example.org
  name: Play by Mail
  imap: {host: localhost, port: 993, tls: implicit, user: pbm@example.org, password: geheim, folder: INBOX,
         also: [Junk], processed: Processed, poll: 60s}
  smtp: {host: localhost, port: 587, tls: starttls, user: pbm@example.org, password: geheim, connections: 4, rate: 10/s}
  reply_pattern: "pbm+{token}@example.org"
  authserv_id: mx.example.org
  own_hosts: [mx.example.org]
archive: games@lists.example.org
moderator: moderator@example.org
database: sqlite:///pbm.db
templates: templates
defaults: {timing: {default: {length: 24h}}, reminders: [24h, 3h], approve: no}
plugins: []
log: {level: info, format: console}
"""


def write(tmp_path: Path, content: str | dict[str, Any]) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def load(tmp_path: Path, content: str | dict[str, Any], **environ: str) -> Config:
    return load_config(write(tmp_path, content), environ)


def told(tmp_path: Path, content: str | dict[str, Any], **environ: str) -> list[str]:
    """The lines of the faults, without the first, which counts them."""
    with pytest.raises(ConfigFaults) as caught:
        load(tmp_path, content, **environ)
    head, *lines = str(caught.value).splitlines()
    assert head == f"{tmp_path / 'config.yaml'}: {len(lines)} fault{'s' if len(lines) > 1 else ''}"
    return [line.removeprefix("  ") for line in lines]


def small(**changes: Any) -> dict[str, Any]:
    """The smallest configuration with keys `mail`, `imap`, `smtp` put into these sections, others at the top."""
    mail: dict[str, Any] = {"address": "pbm@example.org", **changes.pop("mail", {})}
    mail["imap"] = {"password": "pw", **changes.pop("imap", {})}
    if "smtp" in changes:
        mail["smtp"] = changes.pop("smtp")
    return {"mail": mail, **changes}


def test_the_example_of_the_interface(tmp_path: Path) -> None:
    config = load(tmp_path, WHOLE)
    assert config.mail.imap.password.get_secret_value() == "geheim"
    assert (config.mail.imap.port, config.mail.imap.also, config.mail.imap.poll) == (993, ("Junk",), 60)
    assert (config.mail.smtp.tls, config.mail.smtp.connections, config.mail.smtp.rate) == ("starttls", 4, 10.0)
    assert config.moderator == ("moderator@example.org",)
    assert config.database == f"sqlite:///{tmp_path}/pbm.db"
    assert config.templates == tmp_path / "templates"
    assert config.defaults.reminders == (86400, 10800)
    assert config.defaults.approve == "no"
    assert merge_timing(config.defaults.timing.default.named()).length == 86400


def test_the_smallest_file_has_defaults_for_all_the_rest(tmp_path: Path) -> None:
    config = load(tmp_path, SMALL)
    assert config.mail.imap.user == "pbm@example.org"
    assert (config.mail.imap.host, config.mail.imap.port) == ("localhost", 993)
    assert config.mail.smtp.user is None
    assert config.mail.reply_pattern == "pbm+{token}@example.org"
    assert config.mail.own_hosts == ("localhost",)
    assert (config.archive, config.moderator, config.plugins) == (None, (), ())


def test_no_secret_is_shown(tmp_path: Path) -> None:
    config = load(tmp_path, small(imap={"password": "geheim"}, database="postgresql://pbm:geheim@db/pbm"))
    assert config.database == "postgresql://pbm:geheim@db/pbm"
    assert "geheim" not in repr(config)
    lines = told(tmp_path, small(imap={"password": ["geheim"]}, database="mysql://pbm:geheim@db/pbm"))
    assert "geheim" not in "".join(lines)


@pytest.mark.parametrize(("tls", "imap", "smtp"), [("implicit", 993, 465), ("none", 143, 25)])
def test_the_port_goes_with_tls(tmp_path: Path, tls: str, imap: int, smtp: int) -> None:
    config = load(tmp_path, small(imap={"tls": tls}, smtp={"tls": tls, "password": 12345}))
    assert (config.mail.imap.port, config.mail.smtp.port) == (imap, smtp)
    assert config.mail.smtp.user == "pbm@example.org"
    assert config.mail.smtp.password == SecretStr("12345")


def test_own_hosts_default_to_those_of_mail_md(tmp_path: Path) -> None:
    config = load(tmp_path, small(mail={"authserv_id": "mx.example.org"}, imap={"host": "imap.example.org"}))
    assert config.mail.own_hosts == ("mx.example.org", "imap.example.org")


def test_default_timing_without_a_length_has_one(tmp_path: Path) -> None:
    config = load(tmp_path, small(defaults={"timing": {"default": {"grace": "1h"}}}))
    timing = merge_timing(config.defaults.timing.default.named())
    assert (timing.length, timing.grace) == (86400, 3600)


@pytest.mark.parametrize(
    ("written", "rate"), [("10/s", 10.0), ("600/m", 10.0), ("36000 / h", 10.0), ("none", None), (None, None)]
)
def test_rates(tmp_path: Path, written: str | None, rate: float | None) -> None:
    assert load(tmp_path, small(smtp={"rate": written})).mail.smtp.rate == rate


@pytest.mark.parametrize("written", ["no", "yes", "24h", False, True])
def test_approve_is_read_as_written(tmp_path: Path, written: str | bool) -> None:
    right = {"no": "no", "yes": "yes", "24h": 86400, False: "no", True: "yes"}[written]
    assert load(tmp_path, small(defaults={"approve": written})).defaults.approve == right


# --- where values come from ----------------------------------------------------------------------------------------


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        small(imap={"password": {"file": "/nowhere"}}, moderator="a@example.org"),
        PBM_MAIL__IMAP__PASSWORD="{file: null} [",
        PBM_MAIL__IMAP__PORT="10993",
        PBM_MAIL__IMAP__TLS="none",
        PBM_MAIL__SMTP__RATE="5/s",
        PBM_MODERATOR="b@example.org, c@example.org",
        PBM_DEFAULTS__TIMING__DEFAULT__LENGTH="2h",
        PBM_DATABASE="postgresql://pbm@db/pbm",
        OTHER_MAIL__NAME="not ours",
    )
    assert config.mail.imap.password.get_secret_value() == "{file: null} ["
    assert (config.mail.imap.port, config.mail.imap.tls) == (10993, "none")
    assert config.mail.smtp.rate == 5.0
    assert config.moderator == ("b@example.org", "c@example.org")
    assert config.defaults.timing.default.length == 7200
    assert config.database == "postgresql://pbm@db/pbm"


def test_the_environment_alone_will_do() -> None:
    config = load_config(None, {"PBM_MAIL__ADDRESS": "pbm@example.org", "PBM_MAIL__IMAP__PASSWORD": "pw"})
    assert config.mail.imap.user == "pbm@example.org"
    assert config.database == f"sqlite:///{Path.cwd()}/pbm.db"


def test_any_value_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("ge heim\n", encoding="utf-8")
    (tmp_path / "url").write_text("postgresql://pbm@db/pbm\r\n", encoding="utf-8")
    config = load(
        tmp_path,
        small(imap={"password": {"file": "secret"}}, database={"file": str(tmp_path / "url")}),
        PBM_MAIL__SMTP__PASSWORD__FILE="secret",
    )
    assert config.mail.imap.password.get_secret_value() == "ge heim"
    assert config.mail.smtp.password == SecretStr("ge heim")
    assert config.database == "postgresql://pbm@db/pbm"


def test_secret_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    (tmp_path / "latin").write_bytes(b"gehe\xfcm")
    content = small(imap={"password": {"file": "gone"}}, smtp={"password": {"file": "empty"}})
    content["database"] = {"file": "latin"}
    content["archive"] = {"file": ["a"]}
    content["moderator"] = {"file": "."}
    assert told(tmp_path, content) == [
        f"mail.imap.password (file {tmp_path}/gone): there is no such file; for example: {{file: /run/secrets/imap}}",
        f"mail.smtp.password (file {tmp_path}/empty): is empty; for example: {{file: /run/secrets/imap}}",
        f"database (file {tmp_path}/latin): is not in UTF-8; for example: {{file: /run/secrets/imap}}",
        "archive: `file` takes the path of a file; for example: {file: /run/secrets/imap}",
        f"moderator (file {tmp_path}): can't be read: Is a directory; for example: {{file: /run/secrets/imap}}",
    ]


def test_faults_from_the_environment_name_the_variable(tmp_path: Path) -> None:
    assert told(
        tmp_path,
        SMALL,
        PBM_MAIL__IMAP__PORT="many",
        PBM_MAIL__IMPA__HOST="x",
        PBM_DATABSE="x",
        PBM_WEATHER="somebody else's",
        PBM_CONFIG="config.yaml",
    ) == [
        "mail.imap.port (environment variable PBM_MAIL__IMAP__PORT): must be a whole number, not 'many';"
        " for example: port: 993",
        "mail.impa (environment variable PBM_MAIL__IMPA__HOST): unknown key; did you mean imap?",
        "databse (environment variable PBM_DATABSE): unknown key; did you mean database?",
    ]


# --- wrong configurations: each fault with its path, the reason and a cure -------------------------------------------

HEAD = "mail:\n  address: pbm@example.org\n  imap: {password: pw}\n"
WRONG: list[tuple[str, str, list[str]]] = [
    ("nothing in it", "", ["mail.address: is missing; for example: address: pbm@example.org",
                           "mail.imap.password: is missing; for example: password: {file: /run/secrets/imap}"]),
    ("an unknown key", HEAD + "databse: sqlite:///x.db\n", ["databse (line 4): unknown key; did you mean database?"]),
    ("an unknown key far from all", HEAD + "log: {colour: red}\n",
     ["log.colour (line 4): unknown key; known here: level, format"]),
    ("wrong types", HEAD + "  smtp:\n    port: many\n    connections: true\n    host: [a]\n  name: {a: b}\nlog: loud\n",
     ["mail.smtp.port (line 5): must be a whole number, not 'many'; for example: port: 587",
      "mail.smtp.connections (line 6): must be a whole number, not true or false; for example: connections: 4",
      "mail.smtp.host (line 7): must be a text, not a list; for example: host: smtp.example.org",
      "mail.name (line 8): must be a text, not a section; for example: name: Play by Mail",
      "log (line 9): must be a section with `key: value` lines, not 'loud';"
      " for example: log: {level: info, format: console}"]),
    ("a value left empty", HEAD + "  reply_pattern:\n  name:\nlog:\n  level:\n",
     ["mail.name (line 5): has no value; for example: name: Play by Mail",
      "log.level (line 7): has no value; for example: level: info"]),
    ("a port that isn't one", HEAD + "  smtp: {port: 70000}\n",
     ["mail.smtp.port (line 4): must be at most 65535, not 70000; for example: port: 587"]),
    ("plain IMAP to elsewhere", "mail:\n  address: a@b.org\n  imap: {host: imap.b.org, tls: none, password: pw}\n",
     ["mail.imap.tls (line 3): tls: none would send the password to imap.b.org for all to read; use TLS, or say"
      " allow_plain: true if the way there is safe; for example: tls: implicit"]),
    ("STARTTLS in IMAP", "mail:\n  address: a@b.org\n  imap: {tls: starttls, password: pw}\n",
     ["mail.imap.tls (line 3): must be one of implicit, none, not 'starttls'; for example: tls: implicit"]),
    ("a user without a password", HEAD + "  smtp: {user: a}\n",
     ["mail.smtp.password (line 4): is missing, though there is a user;"
      " for example: password: {file: /run/secrets/smtp}"]),
    ("a reply pattern without its key", HEAD + "  reply_pattern: pbm@example.org\n",
     ["mail.reply_pattern (line 4): must have {token} in it, once: the place of the key that says whose reply it is;"
      ' for example: reply_pattern: "pbm+{token}@example.org"']),
    ("a reply pattern with its key in the host", HEAD + '  reply_pattern: "pbm@{token}.example.org"\n',
     ["mail.reply_pattern (line 4): must have {token} before the @;"
      ' for example: reply_pattern: "pbm+{token}@example.org"']),
    ("bad addresses", HEAD + "archive: Games <games@example.org>\nmoderator: [mod, m@example.org, jö@example.org]\n",
     ["archive (line 4): 'Games <games@example.org>' is more than an address; write it without name and brackets, like"
      " alice@example.org; for example: archive: games@lists.example.org",
      "moderator[0] (line 5): 'mod' has no @; write an address like alice@example.org;"
      " for example: moderator: [moderator@example.org]",
      "moderator[2] (line 5): 'jö@example.org' has letters that not every mail system takes in an address; write it in"
      " plain ASCII; for example: moderator: [moderator@example.org]"]),
    ("bad lengths", HEAD + "defaults:\n  reminders: [24, 3h, soon]\n  timing: {default: {length: 0h, min: 2w}}\n",
     ["defaults.reminders[0] (line 5): 24 of what? write a length with its unit, s, m, h or d, for example 30m, 48h or"
      " 3d",
      "defaults.reminders[2] (line 5): 'soon' is no length; write a whole number with s, m, h or d, for example 30m,"
      " 48h or 3d",
      "defaults.timing.default.length (line 6): must be longer than 0, for example 24h",
      "defaults.timing.default.min (line 6): '2w' is no length; write a whole number with s, m, h or d, for example"
      " 30m, 48h or 3d"]),
    ("bad days, time and zone",
     HEAD + "defaults: {timing: {default: {days: weekend, at: 25:00, timezone: Europe/Berln, close: now}}}\n",
     ["defaults.timing.default.close (line 4): 'now' is no way to close; write all-in or deadline;"
      " for example: close: all-in",
      "defaults.timing.default.at (line 4): '25:00' is no time of day; write hours and minutes, for example 18:00",
      "defaults.timing.default.days (line 4): 'weekend' are no days; write a list or range of mon, tue, wed, thu, fri,"
      " sat, sun, for example mon-fri",
      "defaults.timing.default.timezone (line 4): 'Europe/Berln' is no time zone; did you mean Europe/Berlin or"
      " Europe/Dublin?; for example: timezone: Europe/Berlin"]),
    ("timing of a phase", HEAD + "defaults: {timing: {bid: {length: 1h}}}\n",
     ["defaults.timing.bid (line 4): unknown key; known here: default"]),
    ("a bad rate", HEAD + "  smtp: {rate: 10}\n",
     ["mail.smtp.rate (line 4): must be a number of mails in a second, minute or hour, like 10/s or 600/m, or none;"
      " for example: rate: 10/s"]),
    ("another database", HEAD + "database: mysql://pbm@db/pbm\n",
     ["database (line 4): 'mysql' is no database that is known here; use sqlite:///FILE or postgresql://user@host/db;"
      " for example: database: sqlite:///pbm.db"]),
    ("a database without a name", HEAD + "database: postgresql://pbm@db\n",
     ["database (line 4): the name of the PostgreSQL database is missing, as in postgresql://user@host/db;"
      " for example: database: sqlite:///pbm.db"]),
    ("a database without a file", HEAD + "database: sqlite://\n",
     ["database (line 4): the file of a SQLite database is missing; for example: database: sqlite:///pbm.db"]),
    ("a URL for a host", HEAD + "  smtp: {host: 'smtp://mail.example.org:25'}\n",
     ["mail.smtp.host (line 4): 'smtp://mail.example.org:25' is no host name; write it without port or scheme, like"
      " mx.example.org; for example: host: smtp.example.org"]),
    ("an authority that isn't there", HEAD + "  smtp: {ca: /nowhere/ca.pem}\n",
     ["mail.smtp.ca (line 4): there is no file /nowhere/ca.pem; for example: ca: /etc/ssl/our-ca.pem"]),
    ("read and processed in one folder", "mail:\n  address: a@b.org\n  imap: {password: pw, processed: INBOX}\n",
     ["mail.imap.processed (line 3): must be another folder than those that are read, not 'INBOX';"
      " for example: processed: Processed"]),
    ("approve later", HEAD + "defaults: {approve: later}\n",
     ["defaults.approve (line 4): must be no, yes, or a length after which results go out by themselves, like 24h;"
      " for example: approve: no"]),
    ("a level that isn't one", HEAD + "log: {level: loud}\n",
     ["log.level (line 4): must be one of debug, info, warning, error, not 'loud'; for example: level: info"]),
    ("plugins that are no list", HEAD + "plugins: {a: b}\n",
     ["plugins (line 4): must be a list, not a section; for example: plugins: [our_game]"]),
    ("no YAML", "mail: [1\nlog: 2",
     ["line 2, column 4: not readable as YAML: while parsing a flow sequence: expected ','"
      " or ']', but got ':'"]),
    ("a tab", "mail:\n\taddress: a@b.org", ["line 2, column 1: not readable as YAML: while scanning for the next token:"
                                            " found character '\\t' that cannot start any token; indent with blanks"]),
    ("a key twice", HEAD + "mail: {}\n", ["mail (line 4): stands twice, first in line 1; keep one of them"]),
    ("a list", "- a\n", ["line 1: the file must be made of `key: value` lines"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "right"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_wrong_configurations(tmp_path: Path, content: str, right: list[str]) -> None:
    assert told(tmp_path, content) == right


def test_all_faults_come_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    content = "mail:\n  imap: {prot: 1, tls: no}\n  smtp: {rate: x}\nmoderator: x\nlog: {level: x}\ntemplate: y\n"
    assert [line.partition(" ")[0] for line in told(tmp_path, content)] == [
        *("mail.address", "mail.imap.tls", "mail.imap.password", "mail.imap.prot", "mail.smtp.rate"),
        *("moderator[0]", "log.level", "template"),
    ]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (None, "there is no such file"),
        (b"mail: a\nname: \xff", "line 2: is not in UTF-8; save it in that encoding"),
        (b"mail: \x07", "line 1: a character that YAML doesn't allow"),
        (b"#" * 1_000_001, "is longer than 1000000 bytes"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, raw: bytes | None, reason: str) -> None:
    path = tmp_path / "config.yaml"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(ConfigFaults) as caught:
        load_config(path, {})
    assert str(caught.value) == f"{path}: 1 fault\n  {reason}"


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigFaults, match="can't be read: Is a directory"):
        load_config(tmp_path, {})


@pytest.mark.parametrize(
    ("host", "ours"),
    [("localhost", True), ("127.0.0.7", True), ("::1", True), ("mail.localhost", True), ("10.0.0.1", False),
     ("localhost.example.org", False), ("127.0.0.1.example.org", False)],
)  # fmt: skip
def test_loopback(tmp_path: Path, host: str, ours: bool) -> None:
    assert is_loopback(host) is ours
    content = small(imap={"host": host, "tls": "none"})
    if ours:
        assert load(tmp_path, content).mail.imap.host == host
    else:
        assert len(told(tmp_path, content)) == 1
    assert load(tmp_path, small(imap={"host": host, "tls": "none", "allow_plain": True})).mail.imap.tls == "none"


def test_smtp_in_clear_is_for_loopback_or_without_a_login(tmp_path: Path) -> None:
    relay = {"host": "relay.example.org", "tls": "none"}
    assert load(tmp_path, small(smtp=relay)).mail.smtp.host == "relay.example.org"
    assert told(tmp_path, small(smtp=relay | {"password": "pw"}))[0].startswith("mail.smtp.tls (line ")
    assert load(tmp_path, small(smtp=relay | {"password": "pw", "allow_plain": True})).mail.smtp.port == 25


# --- the example that ships ------------------------------------------------------------------------------------------

EXAMPLE = Path(__file__).parent.parent / "config.yaml"


def keys_of(model: type[BaseModel], path: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kind = next((arg for arg in (field.annotation, *get_args(field.annotation)) if isinstance(arg, type)), None)
        if kind is not None and issubclass(kind, BaseModel):
            yield from keys_of(kind, f"{path}{name}.")
        else:
            yield path + name


def flat(tree: dict[str, Any], path: str = "") -> Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{name}.")
        else:
            yield path + name


def test_the_example_that_ships_has_every_key() -> None:
    load_config(EXAMPLE, {})
    text = EXAMPLE.read_text(encoding="utf-8")
    shown = set(flat(yaml.safe_load(text.replace("# ca:", "ca:").replace("# at:", "at:").replace("# days:", "days:"))))
    assert shown == set(keys_of(Config))
