# Every target works on a fresh clone: it makes .venv and installs what it needs, once.
#
#   make demo      train a real model on real data, and look inside the compiler
#   make test      the default test-suite, beside real jax (at most 15 minutes)
#   make test-all  everything, the long tests too
#   make bench     minijax and jax side by side
#   make lint      ruff and mypy
#   make docs      run every code block of README.md and docs/
#
# Choose an interpreter with `make PYTHON=/path/to/python3.13 ...`.

VENV ?= .venv
RUN := $(VENV)/bin/python
WORKERS ?= 2

.PHONY: demo test test-all bench lint docs clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed-demo
	$(RUN) -m examples.digits

test: $(VENV)/.installed-test
	$(RUN) -m pytest -n $(WORKERS)

test-all: $(VENV)/.installed-test
	$(RUN) -m pytest -n $(WORKERS) -m ""

bench: $(VENV)/.installed-bench
	$(RUN) -m benchmarks $(BENCH)

lint: $(VENV)/.installed-lint
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

docs: $(VENV)/.installed-docs
	$(RUN) -m pytest tests/docs

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache

# The interpreter is looked for only when there is no environment yet.
$(VENV)/bin/python:
	python=$$(PYTHON="$(PYTHON)" tools/find-python) && "$$python" -m venv $(VENV)

# One stamp for each extra: it is remade when pyproject.toml changes, and only then.
# The environment is order-only, for the time stamp of its python is that of the system's.
$(VENV)/.installed-%: pyproject.toml | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@
