import pytest


@pytest.fixture
def minijax():
    """The whole library, for what a node type must be good for in other rooms."""
    import minijax

    return minijax
