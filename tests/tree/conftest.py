import pytest


@pytest.fixture
def minijax():
    """The whole library, for what a node type must be good for in other rooms."""
    import minijax

    if not hasattr(minijax, "jit"):
        pytest.skip("minijax.jit is not there: only the rooms below it are")
    return minijax
