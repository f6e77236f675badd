"""The picture of the floors is true: every import of minijax is read and checked.

A file imports from lower floors and from its own room. From another room it imports the
face. Siblings do not know each other. No file imports minijax inside a function, and no
imports form a loop.
"""

import graphlib

import pytest

from tests.faces.sources import PACKAGE, exported, files, imports, is_package, ours

FLOORS = {
    "base": 1,
    "tree": 2,
    "sharding": 2,
    "core": 3,
    "interpreters": 4,
    "lowering": 4,
    "runtime": 5,
    "lax": 6,
    "transforms": 7,
    "numpy": 8,
    "random": 8,
    "scipy": 8,
    "nn": 8,
    "extend": 9,
    "experimental": 9,
}
FACE = 9

# A public module whose name in JAX lies in a room: it shows what the sibling room has.
FACES_INSIDE_ROOMS = {"minijax.interpreters.mlir"}

# The arrows inside the floor of the libraries.
INSIDE = {
    ("nn", "random"),
    ("nn", "numpy"),
    ("random", "numpy"),
    ("scipy", "numpy"),
}

# The engine is spoken to by its one adapter; the rooms below it use helpers in C++.
MAY_USE_JAXLIB = {"base", "tree", "sharding", "core", "lowering", "runtime"}
MAY_USE_MLIR = {"lowering", "runtime"}


def room(module: str) -> str | None:
    """The room a module stands in; None for the public modules at the top."""
    parts = module.split(".")
    if len(parts) == 1 or module in FACES_INSIDE_ROOMS:
        return None
    return parts[1] if (PACKAGE / parts[1]).is_dir() else None


def floor(module: str) -> int:
    return FLOORS.get(room(module), FACE)


def allowed(source: str, target: str) -> bool:
    """Whether the floors let `source` import `target`."""
    mine, other = room(source), room(target)
    if mine is not None and mine == other:
        return True
    if floor(source) == floor(target):
        return (mine, other) in INSIDE or floor(source) == FACE
    return floor(target) < floor(source)


OUR_IMPORTS = [i for i in imports() if ours(i.target)]


def test_every_room_has_a_floor():
    rooms = {room(module) for module in files()} - {None}
    assert rooms <= FLOORS.keys(), f"no floor is given for {rooms - FLOORS.keys()}"


def test_every_folder_has_a_face():
    folders = {path.parent for path in files().values()}
    assert not [
        str(folder) for folder in folders if not (folder / "__init__.py").exists()
    ]


def test_no_import_points_upward_or_at_a_sibling():
    bad = [str(i) for i in OUR_IMPORTS if not allowed(i.source, i.target)]
    assert not bad, "\n".join(bad)


def test_another_room_is_entered_through_its_face():
    bad = []
    for i in OUR_IMPORTS:
        if is_package(i.target):
            continue
        home = i.target.rpartition(".")[0]
        package = i.source if is_package(i.source) else i.source.rpartition(".")[0]
        # A file's siblings are those of its own package and of the packages around it.
        if is_package(home) and i.target.rpartition(".")[2] in exported(home):
            continue  # the face shows this file as a whole
        sibling = home != "minijax" and (package + ".").startswith(home + ".")
        if not sibling and floor(i.source) != FACE:
            bad.append(str(i))
    assert not bad, "\n".join(bad)


def test_no_file_imports_the_face_it_stands_behind():
    bad = [str(i) for i in OUR_IMPORTS if i.source.startswith(i.target + ".")]
    assert not bad, "\n".join(bad)


def test_nothing_of_ours_is_imported_inside_a_function():
    bad = [str(i) for i in OUR_IMPORTS if i.inside_function]
    assert not bad, "\n".join(bad)


def test_no_imports_form_a_loop():
    graph = {module: set() for module in files()}
    for i in OUR_IMPORTS:
        if i.source != i.target:
            graph[i.source].add(i.target)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail("a loop of imports: " + " <- ".join(error.args[1]))


def test_every_import_of_ours_names_a_module_that_exists():
    bad = [str(i) for i in OUR_IMPORTS if i.target not in files()]
    assert not bad, "\n".join(bad)


def test_jax_is_never_imported():
    bad = [str(i) for i in imports() if i.target.partition(".")[0] == "jax"]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize(
    "prefix, rooms", [("jaxlib", MAY_USE_JAXLIB), ("jaxlib.mlir", MAY_USE_MLIR)]
)
def test_the_engine_is_spoken_to_from_few_rooms(prefix, rooms):
    bad = [
        str(i)
        for i in imports()
        if (i.target + ".").startswith(prefix + ".") and room(i.source) not in rooms
    ]
    assert not bad, "\n".join(bad)


# -- the checker notices what it should ------------------------------------------------


@pytest.mark.parametrize(
    "source, target, answer",
    [
        ("minijax.base.x", "minijax.core", False),
        ("minijax.core.x", "minijax.base", True),
        ("minijax.tree.x", "minijax.sharding", False),
        ("minijax.interpreters.ad.jvp", "minijax.lowering", False),
        ("minijax.random.x", "minijax.numpy", True),
        ("minijax.numpy.x", "minijax.random", False),
        ("minijax.numpy.x", "minijax.numpy.y", True),
        ("minijax", "minijax.lax", True),
        ("minijax.lax.x", "minijax", False),
    ],
)
def test_the_floors_are_as_drawn(monkeypatch, source, target, answer):
    import tests.faces.test_layers as this

    monkeypatch.setattr(this, "room", lambda m: [*m.split("."), None][1])
    assert this.allowed(source, target) is answer
