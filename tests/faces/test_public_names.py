"""Faces re-export and define nothing; what they export is there, and is jax's name."""

import ast
import importlib

import pytest

from tests.faces.sources import PACKAGE, files, is_package, tree

FACES = [m for m, path in files().items() if is_package(m) or path.parent == PACKAGE]

# Public modules of both libraries, compared name by name.
# The classes of `errors` are finer than jax's: there jax's must be among ours instead.
COMPARED = ("", "numpy", "lax", "random", "nn", "tree", "tree_util", "dtypes")

# Names that only we have; `docs/differences.md` speaks of each.
OURS = {"": {"__version__", "caches", "explain"}}


def error_classes(J):
    """The names of jax's public exception classes."""
    every = vars(J.errors).items()
    return sorted(n for n, c in every if isinstance(c, type) and not n.startswith("_"))


def there(J, name, wanted):
    """Those of `wanted` that the module has."""
    module = J
    for part in filter(None, name.split(".")):
        module = getattr(module, part)
    return sorted(w for w in wanted if hasattr(module, w))


def _defined(module: ast.Module) -> list[str]:
    """What a face defines beside `__all__` and the lazy `__getattr__`, `__dir__`."""
    allowed = {"__getattr__", "__dir__", "__all__", "__version__"}
    found = []
    for node in module.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign):
            # `x = module.x` gives a name of a lower floor its public place.
            plain = isinstance(node.value, ast.Name | ast.Attribute)
            found += [
                t.id for t in node.targets if isinstance(t, ast.Name) and not plain
            ]
    return [
        name for name in found if name not in allowed and not name.startswith("_LAZY")
    ]


@pytest.mark.parametrize("face", FACES)
def test_a_face_defines_nothing(face):
    assert _defined(tree(files()[face])) == []


@pytest.mark.parametrize("face", FACES)
def test_a_face_lists_what_it_exports_and_has_it(face):
    module = importlib.import_module(face)
    names = module.__all__
    assert len(set(names)) == len(names)
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", COMPARED)
def test_every_public_name_is_one_of_jax(oracle, name):
    module = importlib.import_module(f"minijax.{name}" if name else "minijax")
    ours = sorted(set(module.__all__) - OURS.get(name, set()))
    record = oracle.run_jax(there, name, ours)
    assert sorted(set(ours) - {r.facts["value"] for _, r in record.children}) == []


def test_the_error_classes_of_jax_are_among_ours(oracle):
    errors = importlib.import_module("minijax.errors")
    record = oracle.run_jax(error_classes)
    wanted = [r.facts["value"] for _, r in record.children]
    assert len(wanted) > 5
    assert [name for name in wanted if not hasattr(errors, name)] == []
