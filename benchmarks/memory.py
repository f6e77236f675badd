"""Claim: a program that is being traced takes less memory."""

from benchmarks.harness import Group

GROUP = Group()

# The peak of the resident set is monotonic, so what it grew by is what tracing took.
# The kernel's own field for it starts anew at exec, unlike `ru_maxrss`, that is
# inherited.
TRACE = """
import {J} as J, {J}.lax
from benchmarks.tracing import lax_chain

def peak():
    with open("/proc/self/status") as status:
        return next(int(l.split()[1]) for l in status if l.startswith("VmHWM")) / 1024

J.make_jaxpr(WRAP(lax_chain(J, 30)))(1.0)
before = peak()
program = J.make_jaxpr(WRAP(lax_chain(J, 30_000)))(1.0)
print(peak() - before)
"""

GROUP.process(
    "peak memory, trace of 30000 equations",
    TRACE.replace("WRAP", ""),
    unit="MiB",
)
GROUP.process(
    "peak memory, grad-trace of 30000 equations",
    TRACE.replace("WRAP", "J.grad"),
    unit="MiB",
    quick=False,
)
