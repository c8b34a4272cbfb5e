"""What IMAP and SMTP share on the network: verified TLS, and faults in an operator's words."""

import socket
import ssl


def client_context(ca: str | None) -> ssl.SSLContext:
    """A context that verifies certificate and host name; `ca`: file of a private authority, then believed alone.

    Errors: OSError (ssl.SSLError is one) where the file can't be read.
    """
    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def fault(error: OSError) -> str:
    """Why a connection failed, in words of an operator; never holds what was sent."""
    match error:
        case ssl.SSLCertVerificationError():
            why = getattr(error, "verify_message", "") or "no reason given"
            return f"TLS failure: the server's certificate isn't accepted ({why})"
        case ssl.SSLError():
            # Made by asyncio rather than by OpenSSL, an SSLError has no reason.
            return f"TLS failure: {(getattr(error, 'reason', None) or 'handshake failed').replace('_', ' ').lower()}"
        case ConnectionRefusedError():
            return "connection refused"
        case socket.gaierror():
            return "the host name can't be resolved"
        case TimeoutError():
            return "no answer in time"
        case _:
            return f"connection lost ({error.strerror or type(error).__name__})"


def printable(text: str, limit: int = 300) -> str:
    """A server's words for a log line: one line, no control characters, cut at `limit`."""
    return "".join(c if c.isprintable() else " " for c in text).strip()[:limit]
