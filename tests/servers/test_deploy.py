"""What deploy/ ships: the configurations do what their comments say, and the unit is as hard as it claims to be."""

import imaplib
import re
import shutil
import smtplib
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.servers.mailhost import MailHost

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
BOB = "p1@home.test"


def _render(out: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(DEPLOY / "render.py"), *options, str(out)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_the_shipped_values_fill_every_place(tmp_path: Path) -> None:
    assert _render(tmp_path).returncode == 0
    for path in (tmp_path / "dovecot" / "dovecot.conf", tmp_path / "postfix" / "main.cf"):
        assert not re.search(r"@\w+@", path.read_text())
    assert "pbm@games.example.org:{SHA512-CRYPT}" in (tmp_path / "dovecot" / "users").read_text()
    assert r"mx\.example\.org" in (tmp_path / "postfix" / "header_checks").read_text()


def test_values_that_are_missing_or_unknown_are_named(tmp_path: Path) -> None:
    values = tmp_path / "site.conf"
    values.write_text("DOMAIN = x.test\n")
    missing = _render(tmp_path / "out", "--values", str(values))
    assert (missing.returncode, "no value for LISTEN" in missing.stderr) == (1, True)
    unknown = _render(tmp_path / "out", "--set", "DOMIAN=x.test")
    assert (unknown.returncode, "DOMIAN" in unknown.stderr) == (2, True)
    values.write_text("DOMAIN x.test\n")
    assert "site.conf:1" in _render(tmp_path / "out", "--values", str(values)).stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing (Debian: systemd)")
def test_the_unit_is_hardened() -> None:
    """systemd's own measure, from 0 (safe) to 100; network access alone makes 7 of it."""
    unit = str(DEPLOY / "pbm.service")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", unit]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def _arrived(host: MailHost, address: str, mark: str) -> str:
    for _ in range(100):
        with imaplib.IMAP4(host.host, host.imap_port, timeout=10) as client:
            client.login(address, host.password)
            client.select("INBOX")
            for number in client.search(None, "ALL")[1][0].split():
                part = client.fetch(number.decode(), "(BODY[])")[1][0]
                if isinstance(part, tuple) and mark in part[1].decode():
                    return str(part[1].decode())
        time.sleep(0.1)
    raise AssertionError(f"{mark} did not arrive\n{host.log()}")


def _submit(host: MailHost, login: str, sender: str, recipient: str) -> None:
    with smtplib.SMTP("localhost", host.submission_port, timeout=10) as client:
        client.starttls(context=ssl.create_default_context(cafile=host.ca))
        client.login(login, host.password)
        client.sendmail(sender, [recipient], "Subject: x\r\n\r\n")


@pytest.mark.servers
def test_results_of_authentication_that_bear_our_name_are_removed(mail_servers: MailHost) -> None:
    """Else anybody could claim to be authentic (MAIL.md, "Without a token")."""
    mark = f"forged-{time.time_ns()}"
    forged = (
        f"Authentication-Results: {mail_servers.hostname}; dmarc=pass header.from=example.org\r\n"
        f"Authentication-Results:\r\n\t(really) {mail_servers.hostname.upper()} 1;\r\n\tdmarc=pass\r\n"
        "Authentication-Results: mx-play.test; spf=pass\r\n"
        f"Authentication-Results: other.test; dkim=pass\r\nSubject: {mark}\r\n\r\nhello\r\n"
    )
    with smtplib.SMTP(mail_servers.host, mail_servers.smtp_port, timeout=10) as client:
        client.sendmail(BOB, ["pbm@play.test"], forged)
    text = _arrived(mail_servers, "pbm@play.test", mark)
    assert [line for line in text.splitlines() if line.startswith("Authentication-Results")] == [
        "Authentication-Results: mx-play.test; spf=pass",
        "Authentication-Results: other.test; dkim=pass",
    ]
    assert "dmarc" not in text


@pytest.mark.servers
def test_a_token_stays_in_delivered_to(mail_servers: MailHost) -> None:
    token = f"t{time.time_ns()}"
    with smtplib.SMTP(mail_servers.host, mail_servers.smtp_port, timeout=10) as client:
        client.sendmail(BOB, [f"pbm+{token}@play.test"], "Subject: x\r\n\r\nPASS\r\n")
    assert f"Delivered-To: pbm+{token}@play.test" in _arrived(mail_servers, "pbm@play.test", token)


@pytest.mark.servers
def test_who_submits_must_log_in_and_be_who_they_say(mail_servers: MailHost) -> None:
    _submit(mail_servers, BOB, BOB, "pbm@play.test")
    with pytest.raises(smtplib.SMTPRecipientsRefused, match="not owned by user"):
        _submit(mail_servers, BOB, "p2@home.test", "pbm@play.test")
    with smtplib.SMTP(mail_servers.host, mail_servers.submission_port, timeout=10) as client:
        client.ehlo()
        assert not client.has_extn("auth")
        assert client.docmd("MAIL", f"FROM:<{BOB}>")[0] == 530


@pytest.mark.servers
def test_an_unknown_mailbox_is_refused_at_once(mail_servers: MailHost) -> None:
    with smtplib.SMTP(mail_servers.host, mail_servers.smtp_port, timeout=10) as client:
        client.ehlo()
        client.mail(BOB)
        assert client.rcpt("nobody@play.test")[0] == 550


@pytest.mark.servers
def test_every_mailbox_has_a_folder_for_junk(mail_servers: MailHost) -> None:
    with imaplib.IMAP4(mail_servers.host, mail_servers.imap_port, timeout=10) as client:
        client.login("mod@play.test", mail_servers.password)
        assert client.select("Junk")[0] == "OK"


@pytest.mark.servers
def test_imap_over_tls_shows_the_certificate(mail_servers: MailHost) -> None:
    context = ssl.create_default_context(cafile=mail_servers.ca)
    with imaplib.IMAP4_SSL("localhost", mail_servers.imaps_port, ssl_context=context, timeout=10) as client:
        client.login("mod@play.test", mail_servers.password)
