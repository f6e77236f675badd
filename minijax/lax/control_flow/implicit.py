"""custom_root and custom_linear_solve: values defined by the equation they solve.

How a solution is found does not matter for its derivative. If f(x, a) = 0, then
(∂f/∂x) x_dot + (∂f/∂a) a_dot = 0: the derivative is one linear solve at the solution.

Source: spec/control_flow.md §9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import tree
from ...base.errors import ArgumentTypeError, ArgumentValueError
from ...base.util import split_list
from ...core import (
    Jaxpr,
    custom_jvp_call_p,
    debug_info,
    eval_jaxpr,
    source_of,
    stage,
)
from ...interpreters import ad
from ..arithmetic import neg
from .solving import Solvers, bind_solve, transposed_program
from .tracing import as_array, avals_of, check_callable


class _Closed(NamedTuple):
    """A function as a program: consts ++ leaves -> leaves; out_tree of the result."""

    jaxpr: Jaxpr
    consts: tuple[Any, ...]
    out_tree: Any


def _close(
    api: str, fun: Callable[..., Any], run: Callable[..., Any], in_tree: Any, avals: Any
) -> _Closed:
    """`run(x)` as a program, where `fun` is the user's function behind it."""
    out_tree = None

    def flat(*leaves: Any) -> list[Any]:
        nonlocal out_tree
        out, out_tree = tree.flatten(run(tree.unflatten(in_tree, leaves)))
        return out

    jaxpr = stage(flat, avals, debug_info=debug_info(api, fun))
    return _Closed(jaxpr.with_consts(()), jaxpr.consts, out_tree)


def _arguments(
    api: str, what: str, value: Any
) -> tuple[list[Any], Any, tuple[Any, ...]]:
    leaves, structure = tree.flatten(value)
    avals = avals_of(api, what, value, leaves)
    return [as_array(x) for x in leaves], structure, avals


def _solution_tree(api: str, solve: Any, out_tree: Any, has_aux: bool) -> Any:
    """The tree of the solution, which is all of the result or the first of a pair."""
    if not has_aux:
        return out_tree
    node = out_tree.node_data()
    if node is None or node[0] is not tuple or len(out_tree.children()) != 2:
        raise ArgumentValueError(
            f"With has_aux, `solve` of {api} must return a pair (solution, aux).",
            f"Found {out_tree} from {source_of(solve)}.",
        )
    return out_tree.children()[0]


# --- custom_root ----------------------------------------------------------------------


def custom_root(
    f: Callable[..., Any],
    initial_guess: Any,
    solve: Callable[..., Any],
    tangent_solve: Callable[..., Any],
    has_aux: bool = False,
) -> Any:
    """A root of `f`, found by `solve(f, initial_guess)`.

    Its derivative with respect to what `f` closes over is that of the equation
    f(x) = 0: `tangent_solve(g, y)` solves g(x) = y for the linear function g that `f`
    is near the root. has_aux: `solve` returns (root, aux).

    >>> import minijax as mj
    >>> def square_root(a):
    ...     newton = lambda f, x: mj.lax.fori_loop(
    ...         0, 10, lambda i, x: 0.5 * (x + a / x), x)
    ...     return mj.lax.custom_root(
    ...         lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> print(mj.grad(square_root)(4.0))
    0.25

    Raises:
      TypeError: an argument is no function, or `f` or `solve` returns another structure
        than that of the guess. ValueError: with has_aux, `solve` returns no pair.
    """
    for name, fun in (("f", f), ("solve", solve), ("tangent_solve", tangent_solve)):
        check_callable("custom_root", f"`{name}`", fun)
    leaves, in_tree, avals = _arguments("custom_root", "initial_guess", initial_guess)
    residual = _close("custom_root", f, f, in_tree, avals)
    _same_structure("f", residual.out_tree, in_tree)
    solver = _close("custom_root", solve, lambda x: solve(f, x), in_tree, avals)
    root_tree = _solution_tree("custom_root", solve, solver.out_tree, has_aux)
    _same_structure("solve", root_tree, in_tree)

    def linear_solve(pair: Any) -> Any:
        x, y = pair
        return tangent_solve(_linear_map(residual, tree.leaves(x), in_tree), y)

    both = tree.structure((initial_guess, initial_guess))
    backward = _close("custom_root", tangent_solve, linear_solve, both, avals * 2)
    counts = len(solver.consts), len(residual.consts), len(backward.consts)
    rule = _RootRule(solver.jaxpr, residual.jaxpr, backward.jaxpr, counts)
    outs = custom_jvp_call_p.bind(
        *solver.consts,
        *residual.consts,
        *backward.consts,
        *leaves,
        call=rule.solve,
        jvp=rule,
        name="custom_root",
        symbolic_zeros=True,
    )
    return tree.unflatten(solver.out_tree, outs)


def _same_structure(what: str, found: Any, wanted: Any) -> None:
    if found != wanted:
        raise ArgumentTypeError(
            f"`{what}` of custom_root must return the structure of the initial guess, "
            f"{wanted}.",
            f"Found {found}.",
        )


def _linear_map(f: _Closed, x: Sequence[Any], in_tree: Any) -> Callable[[Any], Any]:
    """What `f` does to small changes of its argument near `x`."""
    count = len(f.consts)
    moves = (*[False] * count, *[True] * len(x))
    halves = ad.linearize_jaxpr(f.jaxpr, moves, True)
    given = [*f.consts, *x]
    outs = eval_jaxpr(halves.forward, halves.forward.consts, *given)
    residuals = halves.residuals(given, outs[len(f.jaxpr.outvars) :])

    def apply(x_dot: Any) -> Any:
        moving = tree.leaves(x_dot)
        y_dots = eval_jaxpr(halves.tangent, halves.tangent.consts, *residuals, *moving)
        return tree.unflatten(in_tree, y_dots)

    return apply


class _RootRule:
    """The jvp rule of one root. Operands: constants of solve, of f, of the linear
    solve, and the guess."""

    __name__ = "implicit_function_theorem"

    def __init__(
        self, solver: Jaxpr, residual: Jaxpr, linear: Jaxpr, counts: Sequence[int]
    ) -> None:
        self.solver, self.residual, self.linear = solver, residual, linear
        self.counts = list(counts)

    def solve(self, *operands: Any) -> list[Any]:
        consts, _, _, guess = split_list(operands, self.counts)
        return eval_jaxpr(self.solver, (), *consts, *guess)

    def __call__(
        self, primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        outs = self.solve(*primals)
        _, f_consts, linear_consts, guess = split_list(primals, self.counts)
        const_dots = split_list(tangents, self.counts)[1]
        still = [ad.Zero.from_primal(y) for y in outs]
        moves = tuple([x_dot.__class__ is not ad.Zero for x_dot in const_dots])
        if not any(moves):
            return outs, still
        root = outs[: len(guess)]
        flags = (*moves, *[False] * len(root))
        program, _ = ad.jvp_jaxpr(self.residual, flags, True)
        moving = [x_dot for x_dot, does in zip(const_dots, moves, strict=True) if does]
        pushed = eval_jaxpr(program, program.consts, *f_consts, *root, *moving)
        right = [neg(y_dot) for y_dot in pushed[len(root) :]]
        root_dots = eval_jaxpr(self.linear, (), *linear_consts, *root, *right)
        return outs, [*root_dots, *still[len(root) :]]


# --- custom_linear_solve --------------------------------------------------------------


def custom_linear_solve(
    matvec: Callable[..., Any],
    b: Any,
    solve: Callable[..., Any],
    transpose_solve: Callable[..., Any] | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
) -> Any:
    """The x with `matvec(x) = b`, found by `solve(matvec, b)`.

    `matvec` is linear; derivatives are those of the equation, also with respect to what
    `matvec` closes over. Reverse mode needs `transpose_solve(vecmat, b)`, which solves
    with the transpose; with `symmetric` it is `solve` itself. has_aux: the solvers
    return (x, aux).

    >>> import minijax as mj
    >>> f = lambda a, b: mj.lax.custom_linear_solve(
    ...     lambda x: a * x, b, lambda matvec, b: b / a, symmetric=True)
    >>> x_bar = mj.grad(f, (0, 1))(2.0, 3.0)
    >>> print(*x_bar)
    -0.75 0.5

    Raises:
      TypeError: an argument is no function; in reverse mode, `transpose_solve` is
        missing. ValueError: a function returns other shapes than those of `b`.
    """
    check_callable("custom_linear_solve", "`matvec`", matvec)
    check_callable("custom_linear_solve", "`solve`", solve)
    leaves, in_tree, avals = _arguments("custom_linear_solve", "b", b)
    api = "custom_linear_solve"

    forward = _close(api, matvec, matvec, in_tree, avals)
    _same_shapes("matvec", forward.jaxpr.out_avals, avals)
    solver = _close(api, solve, lambda x: solve(matvec, x), in_tree, avals)
    solution = _solution_tree(api, solve, solver.out_tree, has_aux)
    _same_shapes("solve", solver.jaxpr.out_avals[: solution.num_leaves], avals)
    back, back_solver = forward, solver if symmetric else None
    if not symmetric:
        vecmat = transposed_program(forward.jaxpr, len(forward.consts))
        back = forward._replace(jaxpr=vecmat)
    if transpose_solve is not None:
        check_callable(api, "`transpose_solve`", transpose_solve)
        run = _transposed_run(transpose_solve, back, in_tree)
        back_solver = _close(api, transpose_solve, run, in_tree, avals)
    programs = forward, back, solver, back_solver
    backwards = None if back_solver is None else back_solver.jaxpr
    solvers = Solvers(forward.jaxpr, back.jaxpr, solver.jaxpr, backwards)
    consts = [() if p is None else p.consts for p in programs]
    return tree.unflatten(solver.out_tree, bind_solve(solvers, consts, leaves))


def _transposed_run(
    transpose_solve: Callable[..., Any], vecmat: _Closed, in_tree: Any
) -> Callable[..., Any]:
    def apply(x: Any) -> Any:
        outs = eval_jaxpr(vecmat.jaxpr, (), *vecmat.consts, *tree.leaves(x))
        return tree.unflatten(in_tree, outs)

    return lambda x: transpose_solve(apply, x)


def _same_shapes(what: str, avals: Sequence[Any], b_avals: Sequence[Any]) -> None:
    found, wanted = [a.shape for a in avals], [a.shape for a in b_avals]
    if found != wanted:
        raise ArgumentValueError(
            f"`{what}` of custom_linear_solve must return the shapes of b, "
            f"{', '.join(map(str, wanted))}.",
            f"Found {', '.join(map(str, found))}.",
        )
