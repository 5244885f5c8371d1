# Every verb sets itself up: the first one makes .venv and installs what constraints.txt names.

PYTHON ?= python3
VENV   ?= .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/.installed
PEERS  := .venv-peers
SITE   := .venv-docs

# The versions to install: also constraints-oldest.txt, or /dev/null for the newest, each in a VENV of its own.
CONSTRAINTS ?= constraints.txt
INSTALL      = install --quiet --disable-pip-version-check

GAME   ?= elfern
DEALS  ?= 20000
JOBS   ?= 2
ARGS   ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help train baselines test lint format type docs dist bench bench-peers oracle mutations clean

help:  ## this list
	@awk -F ':.*##' '/^[a-z-]+:.*##/ { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  ARGS="..." is handed on, e.g. make test ARGS="-k elfern -x"'

$(READY): pyproject.toml $(CONSTRAINTS) examples/briscola/pyproject.toml
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip $(INSTALL) -c $(CONSTRAINTS) -e ".[dev]"
	$(PY) -m pip $(INSTALL) --no-deps --no-build-isolation -e examples/briscola
	@touch $@

train: $(READY)  ## train by self-play, evaluate, draw the curve (GAME=elfern or konchinka)
	$(PY) scripts/train.py $(GAME) $(ARGS)

baselines: $(READY)  ## train the players that come with the library anew, which takes hours
	$(PY) scripts/baselines.py $(ARGS)

# one torch thread for each test process: several of them with two threads on two cores train ten times slower
test: export OMP_NUM_THREADS ?= 1
test: $(READY)  ## all tests and docstring examples, JOBS=2 at a time
	$(PY) -m card_envs warmup
	$(PY) -m pytest -n $(JOBS) --dist worksteal $(ARGS)

lint: $(READY)  ## look for mistakes and stray formatting
	$(PY) -m ruff check $(ARGS)
	$(PY) -m ruff format --check $(ARGS)

format: $(READY)  ## mend what can be mended, lay the code out
	$(PY) -m ruff check --fix-only $(ARGS)
	$(PY) -m ruff format $(ARGS)

type: $(READY)  ## check the types
	$(PY) -m mypy $(ARGS)

docs: $(SITE)/.installed  ## build the documentation site in build/site (ARGS="-b linkcheck" follows links to other sites)
	$(SITE)/bin/python -m sphinx -E -W --keep-going -n -q -d build/doctrees docs build/site $(ARGS)

$(SITE)/.installed: pyproject.toml $(CONSTRAINTS)
	@test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip $(INSTALL) -c $(CONSTRAINTS) -e ".[docs]"
	@touch $@

dist: $(READY)  ## build sdist and wheel in dist/, and try each in an empty environment
	rm -rf dist build/lib
	$(PY) -m build --no-isolation
	@for file in dist/*.whl dist/*.tar.gz; do \
	  echo "trying $$file"; \
	  rm -rf build/empty && $(PYTHON) -m venv build/empty && \
	  build/empty/bin/python -m pip $(INSTALL) -c $(CONSTRAINTS) $$file && \
	  build/empty/bin/python -P tests/smoke.py || exit 1; \
	done

bench: $(READY)  ## measure speed against C written by hand, eight minutes (ARGS="--only engine" for a part)
	$(PY) scripts/benchmark.py $(ARGS)

bench-peers: $(READY) $(PEERS)/.installed  ## the same beside other libraries, in an environment of their own
	$(PY) scripts/benchmark.py $(ARGS)

$(PEERS)/.installed:
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip $(INSTALL) open_spiel rlcard "pettingzoo[classic]" pgx jax
	@touch $@

oracle: $(READY)  ## play DEALS=20000 deals a game beside the independent oracle
	$(PY) -m tests.differential --deals $(DEALS) $(ARGS)

mutations: $(READY)  ## plant deliberate faults, each of which some test must see; takes hours
	$(PY) -m tests.mutations $(ARGS)

clean:  ## remove caches and build products (environments and runs/ stay)
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path './.venv*' -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -type d -prune -exec rm -rf {} +
