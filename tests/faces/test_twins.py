"""The tests mirror the tree.

`minijax/<room>/<file>.py` has its twin `tests/<room>/test_<file>.py`.
A package inside a room may have one test file, `test_<package>.py`, for all its files.
"""

from tests.faces.sources import PACKAGE, ROOT, files, is_package


def twin(path):
    place = path.relative_to(PACKAGE)
    return ROOT / "tests" / place.parent / f"test_{place.name}"


def has_test(path):
    nested = path.parent.parent != PACKAGE
    return twin(path).exists() or (
        nested and twin(path.parent.with_suffix(".py")).exists()
    )


def test_every_file_has_its_test():
    missing = [
        f"{path.relative_to(ROOT)} has no {twin(path).relative_to(ROOT)}"
        for module, path in files().items()
        if not is_package(module) and path.parent != PACKAGE and not has_test(path)
    ]
    assert not missing, "\n".join(missing)
