"""The source of minijax as data: its modules, who imports whom, how long things are."""

import ast
import dataclasses
import functools
import pathlib
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "minijax"


@dataclasses.dataclass(frozen=True)
class Import:
    """One import statement, resolved: `source` imports `target` (dotted names)."""

    source: str
    target: str
    line: int
    inside_function: bool

    def __str__(self) -> str:
        return f"{self.source}:{self.line} imports {self.target}"


@functools.cache
def files() -> dict[str, pathlib.Path]:
    """Every module of minijax by its dotted name; a package stands for its face."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def is_package(module: str) -> bool:
    return module in files() and files()[module].name == "__init__.py"


@functools.cache
def tree(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _base(module: str, node: ast.ImportFrom) -> str:
    """The dotted name that a `from` import starts from."""
    if node.level == 0:
        return node.module or ""
    parts = module.split(".")
    keep = len(parts) - node.level + (1 if is_package(module) else 0)
    return ".".join([*parts[:keep], *filter(None, [node.module])])


def _targets(module: str, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _base(module, node)
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            # `from . import x` names a file if there is one, else something in the
            # face.
            yield whole if whole in files() else base


def _walk(node: ast.AST, inside: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        deeper = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield child, inside
        yield from _walk(child, inside or deeper)


@functools.cache
def imports() -> tuple[Import, ...]:
    """Every import in minijax, of whatever it imports."""
    found = []
    for module, path in files().items():
        for node, inside in _walk(tree(path), False):
            for target in dict.fromkeys(_targets(module, node)):
                found.append(Import(module, target, node.lineno, inside))
    return tuple(found)


@functools.cache
def exported(face: str) -> frozenset[str]:
    """The names that a face lists in its `__all__`, the literal ones."""
    for node in tree(files()[face]).body:
        if isinstance(node, ast.Assign) and "__all__" in map(ast.unparse, node.targets):
            names = filter(lambda n: isinstance(n, ast.Constant), node.value.elts)
            return frozenset(name.value for name in names)
    return frozenset()


def ours(name: str) -> bool:
    return name == "minijax" or name.startswith("minijax.")


@dataclasses.dataclass(frozen=True)
class Function:
    """A function or method and how many lines it has, its docstring left out."""

    path: pathlib.Path
    name: str
    line: int
    length: int

    def __str__(self) -> str:
        place = f"{self.path.relative_to(ROOT)}:{self.line}"
        return f"{place} {self.name} has {self.length} lines"


def functions(path: pathlib.Path) -> Iterator[Function]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                length -= first.end_lineno - first.lineno + 1
            yield Function(path, node.name, node.lineno, length)
