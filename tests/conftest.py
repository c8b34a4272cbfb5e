"""Fixtures for every test."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.servers import mailhost

# No example has a time limit, since the machine may be busy; in CI the examples are always the same ones.
settings.register_profile("pbm", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("pbm")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests on real servers share one worker, and with it one mail host; alone they come last, since they take long.

    Among several workers they come first, so that the others have time to do all the rest meanwhile.
    """
    for item in items:
        if item.get_closest_marker("servers"):
            item.add_marker(pytest.mark.xdist_group("servers"))
    parallel = hasattr(config, "workerinput")
    items.sort(key=lambda item: (item.get_closest_marker("servers") is None) == parallel)


@pytest.fixture(scope="session")
def mail_servers() -> Iterator[mailhost.MailHost]:
    """Real Dovecot and Postfix on loopback, one pair for each process of tests.

    Mark the tests that use it with `servers`. Where something is missing they are skipped, with CI=true they fail.
    """
    if reason := mailhost.missing():
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    host = mailhost.start_mail_host()
    try:
        yield host
    finally:
        host.stop()
