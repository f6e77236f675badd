"""The golden vectors of random numbers: what a case asks, and whether we answer it.

Format: spec/random.md §1. The level is the strict one, every case bit for bit, but for
float16 results that hosts round differently and the cases of `_LOOSE`.
"""

import contextlib
import hashlib
import json
import pathlib

import numpy as np

import minijax
from minijax import extend, lax, random, runtime
from minijax.base import flags

_FILE = pathlib.Path(__file__).parents[1] / "golden" / "random_vectors.json"
CASES = json.loads(_FILE.read_text())["cases"]
_WORDS = frozenset(
    ("low", "high", "highest", "exact", "approximate", "cholesky", "eigh", "svd")
)
# Long programs of floats, in which the processor decides what is fused: jax itself
# gives other bits here than where the vectors were made. 606 rejects by lgamma, where
# ours and jax's differ in the last place. 575, 665, 666 are evaluated operation by
# operation.
_LOOSE = frozenset({459, 474, 508, 512, 518, 575, 606, 625, 665, 666})


def cases(*functions):
    """The cases of these functions, as parameters of a test."""
    return [case for case in CASES if case["fn"] in functions]


def name_of(case):
    return f"{case['id']}"


# --- what is asked --------------------------------------------------------------------


def _argument(x):
    if isinstance(x, dict):
        return runtime.put(np.array(x["array"], x["dtype"]))
    if isinstance(x, list):
        return tuple(x)
    if isinstance(x, str) and x.startswith("RNG_"):
        return lax.RandomAlgorithm[x]
    return x


def _seed(spec):
    dtype = spec.get("seed_dtype")
    return spec["seed"] if dtype is None else np.dtype(dtype).type(spec["seed"])


def _key(spec):
    make = random.PRNGKey if spec.get("raw") else random.key
    key = make(_seed(spec), impl=spec.get("impl"))
    for step, *args in spec.get("chain", ()):
        if step == "split":
            count, place = args
            key = random.split(key, count)[place]
        else:
            key = random.fold_in(key, *args)
    return key


def _stateful(seed, calls):
    generator = minijax.experimental.random.stateful_rng(seed)
    out = []
    for method, *args in calls:
        args = [_argument(x) for x in args]
        if method == "key":
            out.append(random.key_data(generator.key(*args)))
        elif method == "integers":
            low, high, size = args
            out.append(generator.integers(low, high, size))
        else:
            out.append(getattr(generator, method)(*args))
    return out


def _plain(case):
    """The function of the key and the arguments that the case is about."""
    fn, kw = case["fn"], {k: _argument(v) for k, v in case.get("kw", {}).items()}
    if fn in ("key", "PRNGKey"):
        return lambda key: key
    if fn == "random_gamma_grad":
        return lambda *args: lax.random_gamma_grad(*args, **kw)
    if fn == "erf_inv":
        return lambda x: lax.erf_inv(x)
    if fn == "threefry_2x32":
        return lambda *args: extend.random.threefry_2x32(*args)
    if fn == "rng_bit_generator":
        return lambda *args: list(lax.rng_bit_generator(*args, **kw))
    return lambda key, *args: getattr(random, fn)(key, *args, **kw)


def _transformed(case, fun, key, args):
    how = case.get("transform")
    if how is None:
        return fun(*key, *args)
    if isinstance(how, dict):
        ((how, number),) = how.items()
    if how == "jit":
        return minijax.jit(lambda *key: fun(*key, *args))(*key)
    if how == "vmap_split":
        keys = random.split(*key, number)
        return minijax.vmap(lambda k: fun(k, *args))(keys)
    if how == "vmap_data":
        numbers = lax.iota("uint32", number)
        return minijax.vmap(lambda n: fun(*key, n))(numbers)
    first = how == "grad_first"

    def scalar(*xs):
        out = fun(*xs)
        return out.ravel()[0] if first else out.sum()

    return minijax.grad(scalar, number)(*key, *args)


def answer(case):
    """What we say, as NumPy arrays."""
    with contextlib.ExitStack() as stack:
        for flag, value in case.get("flags", {}).items():
            state = getattr(flags, flag.removeprefix("jax_"))
            stack.enter_context(state(value))
        stack.enter_context(flags.enable_x64(bool(case.get("x64"))))
        if case["fn"] == "stateful":
            out = _stateful(case["key"]["seed"], case["args"])
        else:
            spec = case["key"]
            key = [] if spec.get("data") == "none" else [_key(spec)]
            args = [_argument(x) for x in case.get("args", ())]
            out = _transformed(case, _plain(case), key, args)
        outs = out if isinstance(out, list) else [out]
        return [np.asarray(_words(x)) for x in outs]


def _words(x):
    return random.key_data(x) if isinstance(x, random.key_arrays.PRNGKeyArray) else x


# --- whether it is right --------------------------------------------------------------


def difference(case):
    """What is wrong with our answer, in words; empty if nothing is."""
    wanted = case["out"] if isinstance(case["out"], list) else [case["out"]]
    found = answer(case)
    assert len(found) == len(wanted)
    texts = [_difference(case, x, y) for x, y in zip(found, wanted)]
    return "; ".join(filter(None, texts))


def _difference(case, found, wanted):
    shape = tuple(wanted["shape"])
    if (found.dtype.name, found.shape) != (wanted["dtype"], shape):
        return f"{found.dtype}{found.shape} for {wanted['dtype']}{shape}"
    data = found.tobytes()
    if "sha256" in wanted:
        same = hashlib.sha256(data).hexdigest() == wanted["sha256"]
        return "" if same else "another SHA-256"
    expected = bytes.fromhex(wanted["hex"])
    if data == expected:
        return ""
    theirs = np.frombuffer(expected, found.dtype).reshape(shape)
    return _of_values(case, found, theirs)


def _of_values(case, found, theirs):
    near = np.zeros(found.shape, bool)
    loose = case["id"] in _LOOSE
    if found.dtype == np.float16 and not case.get("stable"):
        loose = True
    if loose and case["kind"] == "float":
        near = _near(found, theirs, case.get("ulp", 0), case.get("atol", 0))
    wrong = ~(near | (found == theirs) | ((found != found) & (theirs != theirs)))
    allowed = case.get("flips", 0) if loose and case["kind"] == "discrete" else 0
    if wrong.sum() <= allowed:
        return ""
    where = tuple(int(i) for i in np.argwhere(np.atleast_1d(wrong))[0])
    ours, right = np.atleast_1d(found)[where], np.atleast_1d(theirs)[where]
    return f"{wrong.sum()} of {found.size} differ, first {ours!r} for {right!r}"


def _near(x, y, ulp, atol):
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    spacing = np.abs(np.spacing(y)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap = np.abs(wide_x - wide_y)
        return (gap <= ulp * spacing) | (gap <= atol)
