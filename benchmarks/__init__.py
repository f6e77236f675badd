"""Benchmarks of minijax beside jax; `python -m benchmarks --help` says how to run them.

One file makes one claim. A body is written once, over a namespace `J`, and runs under
both libraries in alternating fresh processes.
"""
