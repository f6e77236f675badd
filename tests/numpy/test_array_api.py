"""What the array API asks of a namespace."""

import pytest

import minijax.numpy as jnp
from tests.numpy.expressions import evaluate

INFO = "jnp.__array_namespace_info__()"
CASES = [
    f"{INFO}.capabilities()",
    f"{INFO}.default_dtypes()",
    f"sorted({INFO}.dtypes(kind='integral').items())",
    f"sorted({INFO}.dtypes(kind=('bool', 'real floating')).items())",
    f"sorted({INFO}.dtypes().items())",
    f"{INFO}.default_device()",
    f"{INFO}.devices()[0]",
    "jnp.__array_api_version__",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


def test_unknown_kind():
    with pytest.raises(ValueError, match="A kind is one of"):
        jnp.__array_namespace_info__().dtypes(kind="bogus")
