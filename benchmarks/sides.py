"""One side: a fresh process that measures some benchmarks under one library.

Run by the table (`python -m benchmarks`), which gives it a JSON request and reads a
JSON answer: what each benchmark took, or how it failed.
"""

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from typing import Any

from benchmarks import dispatch, eager, lowering, memory, models, startup, tracing
from benchmarks.harness import Benchmark, measure_call, measure_fresh, measure_process

GROUPS = {
    "dispatch": dispatch.GROUP,
    "eager": eager.GROUP,
    "tracing": tracing.GROUP,
    "lowering": lowering.GROUP,
    "models": models.GROUP,
    "startup": startup.GROUP,
    "memory": memory.GROUP,
}
BY_NAME: dict[str, Benchmark] = {b.name: b for g in GROUPS.values() for b in g}

BATCHES = {True: 15, False: 40}
REPETITIONS = {True: 2, False: 4}


def _environment(cache: str) -> dict[str, str]:
    """The caller's, on a CPU, with an empty cache for the library that has it on."""
    env = dict(os.environ, JAX_PLATFORMS="cpu", PYTHONPATH=os.getcwd())
    env.pop("JAX_COMPILATION_CACHE_DIR", None)
    # An installed library has its bytecode; ours must be allowed to keep it too.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env["MINIJAX_BENCHMARK_CACHE_DIR"] = cache
    return env


def _library(name: str) -> Any:
    """The namespace; ours with a cache directory that nobody filled before."""
    if name == "minijax":
        cache = os.environ["MINIJAX_BENCHMARK_CACHE_DIR"]
        os.environ["JAX_COMPILATION_CACHE_DIR"] = cache
    library = importlib.import_module(name)
    for part in ("numpy", "lax", "nn", "tree_util"):
        importlib.import_module(f"{name}.{part}")
    return library


def run(library: str, names: list[str], quick: bool) -> dict[str, Any]:
    """Measures `names` under `library`, each by its kind: seconds, or an error."""
    cache = tempfile.mkdtemp(prefix="minijax-bench-")
    env = _environment(cache)
    try:
        scripts = [n for n in names if BY_NAME[n].kind == "process"]
        found: dict[str, Any] = {n: _script(library, n, env) for n in scripts}
        rest = [n for n in names if n not in scripts]
        if rest:
            found |= _bodies(library, rest, quick, env)
        return found
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def _script(library: str, name: str, env: dict[str, str]) -> Any:
    if library == "minijax":
        cache = tempfile.mkdtemp(dir=env["MINIJAX_BENCHMARK_CACHE_DIR"])
        env = dict(env, JAX_COMPILATION_CACHE_DIR=cache)
    try:
        return measure_process(library, BY_NAME[name], env)
    except RuntimeError as error:
        return {"error": str(error)}


def _bodies(
    library: str, names: list[str], quick: bool, env: dict[str, str]
) -> dict[str, Any]:
    request = json.dumps({"library": library, "names": names, "quick": quick})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.sides"],
        input=request,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        return {n: {"error": f"the process ended: {done.returncode}"} for n in names}
    return json.loads(done.stdout.splitlines()[-1])


def _measure(J: Any, benchmark: Benchmark, quick: bool) -> Any:
    try:
        if benchmark.kind == "call":
            return measure_call(J, benchmark, BATCHES[quick])
        return measure_fresh(J, benchmark, REPETITIONS[quick])
    except Exception:
        return {"error": traceback.format_exc()}


def main() -> None:
    """Answers the request on stdin, in this process."""
    request = json.load(sys.stdin)
    J = _library(request["library"])
    found = {n: _measure(J, BY_NAME[n], request["quick"]) for n in request["names"]}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
