"""Dovecot and Postfix on loopback, with the configurations of deploy/: started for tests, gone after them."""

import imaplib
import os
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = "play.test"
HOME = "home.test"
PASSWORD = "secret"
PLAYERS = tuple(f"p{n}" for n in range(1, 13))
ACCOUNTS = tuple(f"{name}@{DOMAIN}" for name in ("pbm", "archive", "mod", *PLAYERS)) + tuple(
    f"{name}@{HOME}" for name in PLAYERS
)
_MASTER = Path("/usr/lib/postfix/sbin/master")
_WATCH = """
cat > /dev/null
for leader; do kill -TERM "$leader"; done
sleep 3
for leader; do kill -KILL "-$leader"; done
rm -rf "$0"
"""
"""A shell that reads to the end of its input, which comes when the tests die, however they die; then it clears up."""


def missing() -> str | None:
    """Why the servers can't be started here, or None."""
    if os.geteuid() != 0:
        return "Postfix can only be started by root"
    if shutil.which("dovecot", path=_path()) is None or not _lmtp().exists():
        return "Dovecot is missing (Debian: dovecot-core dovecot-imapd dovecot-lmtpd)"
    if shutil.which("postfix", path=_path()) is None or not _MASTER.exists():
        return "Postfix is missing (Debian: postfix)"
    if shutil.which("openssl") is None:
        return "openssl is missing (Debian: openssl)"
    return None


@dataclass
class MailHost:
    """A running mail host: every account of ACCOUNTS has the password PASSWORD, and its address as login.

    Mail to any other domain is refused by Postfix: nothing leaves the machine.
    """

    folder: Path
    imap_port: int
    imaps_port: int
    smtp_port: int
    submission_port: int
    submissions_port: int
    host: str = "127.0.0.1"
    domain: str = DOMAIN
    hostname: str = f"mx.{DOMAIN}"
    password: str = PASSWORD
    accounts: tuple[str, ...] = ACCOUNTS
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _watch: subprocess.Popen[bytes] | None = None

    @property
    def ca(self) -> str:
        """The file of the authority that signed the servers' certificate (for localhost and 127.0.0.1)."""
        return str(self.folder / "cert.pem")

    def maildir(self, address: str) -> Path:
        local, _, domain = address.partition("@")
        return self.folder / "mail" / domain / local / "Maildir"

    def log(self) -> str:
        """The tails of both logs, for a failure's report."""
        logs = [self.folder / name for name in ("dovecot.log", "postfix.log")]
        return "\n".join(path.read_text(errors="replace")[-4000:] for path in logs if path.exists())

    def start(self) -> None:
        _make_certificate(self.folder)
        self._render()
        for name in ("run", "state", "spool", "data", "mail"):
            (self.folder / name).mkdir()
        shutil.chown(self.folder / "data", "postfix")
        shutil.chown(self.folder / "mail", "mail", "mail")
        environment = {**os.environ, "PATH": _path()}
        dovecot = str(shutil.which("dovecot", path=_path()))
        self._spawn([dovecot, "-F", "-c", str(self.folder / "dovecot" / "dovecot.conf")], environment)
        postfix = str(self.folder / "postfix")
        # The check makes the queue's folders; `master` is then started itself, so that it is our own child.
        subprocess.run(
            ["postfix", "-c", postfix, "check"], env=environment, check=True, capture_output=True, timeout=60
        )
        self._spawn([str(_MASTER), "-c", postfix, "-d"], {**environment, "MAIL_CONFIG": postfix})
        self._watch = subprocess.Popen(
            ["sh", "-c", _WATCH, str(self.folder), *(str(child.pid) for child in self._children)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        _until(self._takes_logins, "Dovecot takes no login", self.log)
        _until(self._takes_mails, "Postfix takes no mail", self.log)

    def stop(self) -> None:
        """End both with all their processes, and remove the folder."""
        for child in self._children:
            child.terminate()
        for child in self._children:
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait(10)
            # Each was the leader of its own session: what it may have left behind is in its process group.
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._children.clear()
        if self._watch is not None:
            self._watch.kill()
            self._watch.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _render(self) -> None:
        values = {
            "DOMAIN": DOMAIN,
            "MORE_DOMAINS": HOME,
            "HOSTNAME": self.hostname,
            "CERT": self.folder / "cert.pem",
            "KEY": self.folder / "key.pem",
            "PBM_PASSWORD": f"{{PLAIN}}{PASSWORD}",
            "MAIL_USER": "mail",
            "MAIL_GROUP": "mail",
            "MAIL_DIR": self.folder / "mail",
            "LISTEN": self.host,
            "INTERFACES": self.host,
            "PROTOCOLS": "ipv4",
            "SMTP_PORT": self.smtp_port,
            "SUBMISSION_PORT": self.submission_port,
            "SUBMISSIONS_PORT": self.submissions_port,
            "IMAP_PORT": self.imap_port,
            "IMAPS_PORT": self.imaps_port,
            "RELAY": "error:nothing leaves the machine in tests",
            "DOVECOT_DIR": self.folder / "dovecot",
            "DOVECOT_RUN": self.folder / "run",
            "DOVECOT_STATE": self.folder / "state",
            "DOVECOT_LOG": self.folder / "dovecot.log",
            "POSTFIX_DIR": self.folder / "postfix",
            "POSTFIX_SPOOL": self.folder / "spool",
            "POSTFIX_DATA": self.folder / "data",
            "POSTFIX_LOG": self.folder / "postfix.log",
        }
        options = [part for name, value in values.items() for part in ("--set", f"{name}={value}")]
        subprocess.run([sys.executable, str(ROOT / "deploy" / "render.py"), *options, str(self.folder)], check=True)
        others = [account for account in ACCOUNTS if account != f"pbm@{DOMAIN}"]
        with (self.folder / "dovecot" / "users").open("a") as users:
            users.writelines(f"{account}:{{PLAIN}}{PASSWORD}::::::\n" for account in others)
        with (self.folder / "postfix" / "mailboxes").open("a") as mailboxes:
            mailboxes.writelines(f"{account} {account}\n" for account in others)

    def _spawn(self, command: list[str], environment: dict[str, str]) -> None:
        # Output goes to a file: a pipe would be held open by every daemon below.
        with (self.folder / f"{Path(command[0]).name}.out").open("wb") as output:
            child = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._children.append(child)

    def _takes_logins(self) -> None:
        with imaplib.IMAP4(self.host, self.imap_port, timeout=5) as client:
            client.login(f"pbm@{DOMAIN}", PASSWORD)

    def _takes_mails(self) -> None:
        with smtplib.SMTP(self.host, self.smtp_port, timeout=5) as client:
            client.noop()


def start_mail_host() -> MailHost:
    """A started mail host in a new folder on free ports; tried anew where a port was taken meanwhile."""
    for attempt in range(3):
        # Under /var, where Postfix may log to; a short name, since paths of sockets are short.
        folder = Path(tempfile.mkdtemp(prefix="pbm-", dir="/var/tmp"))
        folder.chmod(0o755)
        imap, imaps, smtp, submission, submissions = _free_ports(5)
        host = MailHost(folder, imap, imaps, smtp, submission, submissions)
        try:
            host.start()
        except BaseException:
            host.stop()
            if attempt == 2:
                raise
        else:
            return host
    raise AssertionError("unreachable")


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def _lmtp() -> Path:
    return Path("/usr/lib/dovecot/lmtp")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _make_certificate(folder: Path) -> None:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )


def _until(probe: Callable[[], None], complaint: str, log: Callable[[], str]) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            probe()
        except (OSError, imaplib.IMAP4.error, smtplib.SMTPException) as error:
            if time.monotonic() > end:
                raise RuntimeError(f"{complaint}: {error}\n{log()}") from error
            time.sleep(0.05)
        else:
            return
