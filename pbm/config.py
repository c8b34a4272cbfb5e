"""config.yaml → checked settings (INTERFACE.md). All faults at once, each with its path, the reason and an example."""

import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from pbm.addresses import address_fault, is_host
from pbm.faults import ConfigFaults, Loc, model_faults
from pbm.fields import Address, Addresses, Approve, Section, Span, Spans, Timing, Whole, split_list
from pbm.overlay import overlay
from pbm.timewords import DAY, HOUR
from pbm.yamlfile import Document, read_yaml

TOKEN_LETTERS = 26  # of a token in reply addresses, MAIL.md


def is_loopback(host: str) -> bool:
    """Whether this host name or address is this machine itself, so that nobody can listen on the way."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host(text: str) -> str:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        # Container networks have underscores in the names of hosts.
        if not is_host(text.replace("_", "-")):
            raise ValueError(
                f"'{text}' is no host name; write it without port or scheme, like mx.example.org"
            ) from None
    return text


def _rate(value: object) -> object:
    if value is None or (isinstance(value, str) and value.strip().lower() == "none"):
        return None
    found = re.fullmatch(r"([0-9]{1,6}) ?/ ?([smh])", value.strip().lower()) if isinstance(value, str) else None
    if found is None or not int(found[1]):
        raise ValueError("must be a number of mails in a second, minute or hour, like 10/s or 600/m, or none")
    return int(found[1]) / {"s": 1, "m": 60, "h": 3600}[found[2]]


def _path(text: str | Path, info: ValidationInfo) -> Path:
    if not text:
        raise ValueError("must be a path")
    base: Path = (info.context or {}).get("base", Path())
    return base / text


def _readable(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path


def _database(url: str, info: ValidationInfo) -> str:
    scheme, sep, rest = url.partition("://")
    if scheme == "sqlite" and sep:
        path = rest.removeprefix("/")
        if not rest.startswith("/") or not path or "?" in path:
            raise ValueError("the file of a SQLite database is missing")
        return "sqlite:///" + (path if path == ":memory:" else str(_path(path, info)))
    if scheme == "postgresql" and sep:
        if not rest.partition("/")[2]:
            raise ValueError("the name of the PostgreSQL database is missing, as in postgresql://user@host/db")
        return url
    shown = f"'{scheme}' is" if sep and re.fullmatch(r"[a-z0-9+.-]{1,20}", scheme) else "this has"
    raise ValueError(f"{shown} no database that is known here; use sqlite:///FILE or postgresql://user@host/db")


Host = Annotated[str, AfterValidator(_host)]
Port = Annotated[Whole, Field(ge=1, le=65535)]
Rate = Annotated[float | None, BeforeValidator(_rate)]
FilePath = Annotated[Path, BeforeValidator(_path)]
Names = Annotated[tuple[str, ...], BeforeValidator(split_list)]
Hosts = Annotated[tuple[Host, ...], BeforeValidator(split_list)]
Ca = Annotated[Path | None, BeforeValidator(lambda v, info: None if v is None else _readable(_path(str(v), info)))]


def _clear_text(tls: str, info: ValidationInfo, *, login: bool = True) -> str:
    host = info.data.get("host")
    if tls == "none" and login and host and not info.data.get("allow_plain") and not is_loopback(host):
        raise ValueError(
            f"tls: none would send the password to {host} for all to read; use TLS, or say allow_plain: true if the way"
            " there is safe"
        )
    return tls


class Imap(Section):
    """`mail.imap`. `poll` and `timeout` are seconds; `ca` is a file with a private authority."""

    host: Host = Field(default="localhost", examples=["host: imap.example.org"])
    allow_plain: bool = Field(default=False, examples=["allow_plain: true"])
    tls: Literal["implicit", "none"] = Field(default="implicit", validate_default=True, examples=["tls: implicit"])
    port: Port = Field(default=993, examples=["port: 993"])
    ca: Ca = Field(default=None, examples=["ca: /etc/ssl/our-ca.pem"])
    user: str = Field(min_length=1, examples=["user: pbm@example.org"])
    password: SecretStr = Field(examples=["password: {file: /run/secrets/imap}"])
    folder: str = Field(default="INBOX", min_length=1, examples=["folder: INBOX"])
    also: Names = Field(default=("Junk",), examples=["also: [Junk]"])
    processed: str = Field(default="Processed", min_length=1, examples=["processed: Processed"])
    poll: Span = Field(default=60, examples=["poll: 60s"])
    timeout: Span = Field(default=30, examples=["timeout: 30s"])

    @field_validator("tls")
    @classmethod
    def _never_in_clear(cls, tls: str, info: ValidationInfo) -> str:
        return _clear_text(tls, info)

    @field_validator("processed")
    @classmethod
    def _another_folder(cls, processed: str, info: ValidationInfo) -> str:
        if processed in (info.data.get("folder"), *info.data.get("also", ())):
            raise ValueError(f"must be another folder than those that are read, not '{processed}'")
        return processed

    @model_validator(mode="before")
    @classmethod
    def _port_of(cls, value: Any) -> Any:
        return _with_port(value, {"none": 143}, 993)


class Smtp(Section):
    """`mail.smtp`. `rate`: mails a second, None without limit; `timeout` is seconds; `user` None: no log-in."""

    host: Host = Field(default="localhost", examples=["host: smtp.example.org"])
    allow_plain: bool = Field(default=False, examples=["allow_plain: true"])
    user: str | None = Field(default=None, min_length=1, examples=["user: pbm@example.org"])
    tls: Literal["implicit", "starttls", "none"] = Field(
        default="starttls", validate_default=True, examples=["tls: starttls"]
    )
    port: Port = Field(default=587, examples=["port: 587"])
    ca: Ca = Field(default=None, examples=["ca: /etc/ssl/our-ca.pem"])
    password: SecretStr | None = Field(
        default=None, validate_default=True, examples=["password: {file: /run/secrets/smtp}"]
    )
    connections: Annotated[Whole, Field(ge=1, le=100)] = Field(default=4, examples=["connections: 4"])
    rate: Rate = Field(default=10.0, examples=["rate: 10/s"])
    timeout: Span = Field(default=30, examples=["timeout: 30s"])

    @field_validator("tls")
    @classmethod
    def _never_in_clear(cls, tls: str, info: ValidationInfo) -> str:
        return _clear_text(tls, info, login=info.data.get("user") is not None)

    @field_validator("password")
    @classmethod
    def _both_or_none(cls, password: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if password is None and info.data.get("user") is not None:
            raise ValueError("is missing, though there is a user")
        return password

    @model_validator(mode="before")
    @classmethod
    def _port_of(cls, value: Any) -> Any:
        return _with_port(value, {"none": 25, "implicit": 465}, 587)


def _with_port(value: Any, ports: Mapping[str, int], usual: int) -> Any:
    """The port that goes with `tls`, where none is given."""
    if isinstance(value, dict) and "port" not in value:
        return {**value, "port": ports.get(str(value.get("tls")), usual)}
    return value


class Mail(Section):
    """`mail`: the one mailbox, how it is read and sent from, and what is believed of a mail's headers."""

    address: Address = Field(examples=["address: pbm@example.org"])
    name: str = Field(default="Play by Mail", examples=["name: Play by Mail"])
    imap: Imap = Field(examples=["imap: {host: imap.example.org, password: {file: /run/secrets/imap}}"])
    smtp: Smtp = Field(
        default_factory=Smtp, examples=["smtp: {host: smtp.example.org, password: {file: /run/secrets/smtp}}"]
    )
    reply_pattern: str = Field(examples=['reply_pattern: "pbm+{token}@example.org"'])
    authserv_id: Host | None = Field(default=None, examples=["authserv_id: mx.example.org"])
    own_hosts: Hosts = Field(default=(), validate_default=True, examples=["own_hosts: [mx.example.org]"])

    @model_validator(mode="before")
    @classmethod
    def _from_the_address(cls, value: Any) -> Any:
        """The log-in is the address where none is given, and the reply pattern is made of it."""
        if value is not None and not isinstance(value, dict):
            return value
        filled = dict(value or {})
        address = filled.get("address")
        usable = isinstance(address, str) and address_fault(address) is None
        filled.setdefault("imap", None)
        for part in ("imap", "smtp"):
            section = {} if part in filled and filled[part] is None else filled.get(part)
            if isinstance(section, dict) and (part == "imap" or "password" in section):
                # A bad address has its own fault; a missing log-in beside it would only repeat it.
                filled[part] = {"user": address if usable else "-", **section}
        if filled.get("reply_pattern") is None:
            local, _, host = str(address).rpartition("@")
            filled["reply_pattern"] = f"{local}+{{token}}@{host}" if usable else "{token}@localhost"
        return filled

    @field_validator("name")
    @classmethod
    def _printable(cls, name: str) -> str:
        if not name.isprintable() or len(name) > 100:
            raise ValueError("must be one line of at most 100 characters")
        return name

    @field_validator("reply_pattern")
    @classmethod
    def _pattern(cls, pattern: str) -> str:
        if pattern.count("{token}") != 1:
            raise ValueError("must have {token} in it, once: the place of the key that says whose reply it is")
        if "{token}" in pattern.rpartition("@")[2]:
            raise ValueError("must have {token} before the @")
        if fault := address_fault(pattern.replace("{token}", "a" * TOKEN_LETTERS)):
            raise ValueError(f"must be an address with {{token}} in it: {fault}")
        return pattern

    @field_validator("own_hosts")
    @classmethod
    def _own(cls, hosts: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        """The default of MAIL.md: the authserv_id and the IMAP host."""
        if hosts:
            return hosts
        imap = info.data.get("imap")
        found = (info.data.get("authserv_id"), imap.host if imap is not None else None)
        return tuple(dict.fromkeys(host for host in found if host))


class DefaultTiming(Section):
    """`defaults.timing`: the last of the layers that a phase's timing is made of."""

    default: Timing = Field(
        default_factory=lambda: Timing.model_validate({"length": "24h"}), examples=["default: {length: 24h}"]
    )

    @field_validator("default")
    @classmethod
    def _has_length(cls, timing: Timing) -> Timing:
        """No phase is without a length, whatever a plug-in's rule set leaves out."""
        return timing if "length" in timing.model_fields_set else timing.model_copy(update={"length": DAY})


class Defaults(Section):
    """`defaults`: what games have that don't say otherwise. `reminders`: seconds before a deadline."""

    timing: DefaultTiming = Field(default_factory=DefaultTiming, examples=["timing: {default: {length: 24h}}"])
    reminders: Spans = Field(default=(DAY, 3 * HOUR), examples=["reminders: [24h, 3h]"])
    approve: Approve = Field(default="no", examples=["approve: no"])


class Log(Section):
    level: Literal["debug", "info", "warning", "error"] = Field(default="info", examples=["level: info"])
    format: Literal["console", "json"] = Field(default="console", examples=["format: console"])


class Config(Section):
    """All settings. Paths and the SQLite file are relative to the configuration file's directory, made absolute."""

    mail: Mail = Field(examples=["mail: {address: pbm@example.org, imap: {…}, smtp: {…}}"])
    archive: Address | None = Field(default=None, examples=["archive: games@lists.example.org"])
    moderator: Addresses = Field(default=(), examples=["moderator: [moderator@example.org]"])
    database: Annotated[str, AfterValidator(_database)] = Field(
        default="sqlite:///pbm.db", validate_default=True, repr=False, examples=["database: sqlite:///pbm.db"]
    )
    templates: FilePath = Field(default=Path("templates"), validate_default=True, examples=["templates: templates"])
    defaults: Defaults = Field(default_factory=Defaults, examples=["defaults: {reminders: [24h, 3h]}"])
    plugins: Names = Field(default=(), examples=["plugins: [our_game]"])
    log: Log = Field(default_factory=Log, examples=["log: {level: info, format: console}"])

    @model_validator(mode="before")
    @classmethod
    def _mail_is_looked_into(cls, value: Any) -> Any:
        """Where `mail` is left out, what is missing in it is named."""
        return {"mail": None, **value} if isinstance(value, dict) else value


def load_config(path: Path | None, environ: Mapping[str, str]) -> Config:
    """The settings of a file (None: of the environment alone). Raises ConfigFaults with every fault there is."""
    document = read_yaml(path) if path is not None else Document({}, {}, "environment")
    base = path.absolute().parent if path is not None else Path.cwd()
    laid = overlay(document.data, environ, base, Config.model_fields)

    def where(loc: Loc) -> str:
        if loc in document.lines and not laid.where(loc):
            return document.where(loc)
        return laid.where(loc) or laid.inside(loc) or document.where(loc)

    faults = list(laid.faults)
    try:
        config = Config.model_validate(laid.data, context={"base": base})
    except ValidationError as error:
        unread = {fault.path for fault in laid.faults}
        faults += [fault for fault in model_faults(error, Config, where=where) if fault.path not in unread]
    if faults:
        raise ConfigFaults(faults, document.source)
    return config
