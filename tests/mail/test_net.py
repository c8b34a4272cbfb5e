"""TLS and the words for faults."""

import errno
import socket
import ssl

import pytest

from pbm.mail.net import client_context, fault, printable


def test_certificate_and_host_name_are_always_verified() -> None:
    context = client_context(None)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)"), "connection refused"),
        (socket.gaierror(-2, "Name or service not known"), "the host name can't be resolved"),
        (TimeoutError(), "no answer in time"),
        (
            ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
            "connection lost (Connection reset by peer)",
        ),
        (OSError(), "connection lost (OSError)"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"), "TLS failure: handshake failed"),
    ],
)
def test_faults_in_words(error: OSError, words: str) -> None:
    assert fault(error) == words


def test_a_servers_words_are_made_fit_for_one_line() -> None:
    assert printable(" a\r\nb\x1b[31m\udc80 ") == "a  b [31m"
    assert printable("x" * 400) == "x" * 300
