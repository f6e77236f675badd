"""Claim: a program that imports minijax starts in less than half the time."""

from benchmarks.harness import Group

GROUP = Group()

IMPORT = """
import time
start = time.perf_counter()
import {J}, {J}.numpy
print(time.perf_counter() - start)
"""

FIRST_RESULT = """
import time
start = time.perf_counter()
import {J}, {J}.numpy
float({J}.jit(lambda x: {J}.numpy.sin(x) * 2)(1.0))
print(time.perf_counter() - start)
"""

GROUP.process("import", IMPORT, target=0.4)
GROUP.process("import, then a first compiled result", FIRST_RESULT)
