"""Fixtures for every test."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.mailhost import MailHost

_ROOT = str(Path(__file__).resolve().parents[1])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)


@pytest.fixture(scope="session")
def mail_servers() -> Iterator["MailHost"]:
    """Real Dovecot and Postfix on loopback, one pair for each process of tests.

    Mark the tests that use it with `servers`. Where something is missing they are skipped, with CI=true they fail.
    """
    from tests.servers import mailhost

    if reason := mailhost.missing():
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    host = mailhost.start_mail_host()
    try:
        yield host
    finally:
        host.stop()
