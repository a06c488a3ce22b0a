"""A session with the language server, which all tests here share."""

from collections.abc import Iterator

import pytest

from tests.serve.client import Client


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    """A session; the test of its end is that the server ends well."""
    pytest.importorskip("pygls", reason="the extra leadline[lsp] is not installed")
    client = Client()
    yield client
    assert client.end() == 0
