import importlib
import subprocess
import sys

import pytest

from tests.extend.name_lists import NAMES


@pytest.mark.parametrize("library", ["minijax", "jax"])
@pytest.mark.parametrize("module", NAMES)
def test_check_50_every_name_is_there(library, module):
    names = NAMES[module].split()
    if library == "minijax":
        found = importlib.import_module(f"minijax.{module}")
        assert [name for name in names if not hasattr(found, name)] == []
        return
    # The list is of names that jax has: a wrong one would go unnoticed for ever.
    program = (
        f"import jax.{module} as m; print([n for n in {names} if not hasattr(m, n)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_check_50_extend_is_not_imported_by_itself():
    program = "import minijax, sys; print('minijax.extend' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_check_50_primitives_are_those_of_the_library():
    import minijax as mj
    from minijax.extend.core import primitives

    (eqn,) = mj.make_jaxpr(mj.lax.sin)(1.0).eqns
    assert eqn.primitive is primitives.sin_p
    assert all(hasattr(primitives, name) for name in primitives.__all__)
    assert len(primitives.__all__) >= 148
