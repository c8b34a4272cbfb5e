# `make help` lists what there is. Everything sets itself up in .venv on first use.

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint bench clean distclean
SHELL := /bin/sh
BIN := .venv/bin
PYTEST_FLAGS ?=
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check --no-input install

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1	/' | expand -t 12

demo: .venv/.ready-demo ## whole games between demo players, by real mail on an embedded server
	@$(BIN)/pbm demo

test: .venv/.ready-test ## style, types and all tests but the slow ones
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist loadgroup $(PYTEST_FLAGS)

test-slow: .venv/.ready-test ## the long tests
	$(BIN)/python -m pytest -m slow -n 2 --dist loadgroup $(PYTEST_FLAGS)

lint: .venv/.ready-test ## style and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.ready-demo ## speed and memory beside the raw limits of the parts
	@$(BIN)/pbm bench

clean: ## removes what tests and builds have left
	rm -rf build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find pbm tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## removes .venv too
	rm -rf .venv

.venv/.ready-%: pyproject.toml .venv/.made
	@echo "Installing what $* needs into .venv …" >&2
	@$(PIP) --editable '.[$*]' || { \
	  command -v cc >/dev/null || command -v gcc >/dev/null || \
	    echo "A package had to be compiled, and there is no C compiler: apt-get install gcc python3-dev" >&2; \
	  exit 1; }
	@touch $@

# The first Python of 3.11 or later that can make a virtual environment; PYTHON=… names another.
.venv/.made:
	@old=; bare=; \
	for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
	  command -v $$python >/dev/null && $$python -c '' 2>/dev/null || continue; \
	  $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { old=$$python; continue; }; \
	  $$python -c 'import venv, ensurepip' 2>/dev/null || { bare=$$python; continue; }; \
	  echo "Making .venv with $$python …" >&2; \
	  $$python -m venv .venv && touch $@; exit; \
	done; \
	if [ -n "$$bare" ]; then \
	  echo "$$bare can't make a virtual environment: apt-get install python3-venv" >&2; \
	elif [ -n "$$old" ]; then \
	  echo "$$old is too old: pbm needs Python 3.11 or later (Debian 12 and later: apt-get install python3 python3-venv)" >&2; \
	else \
	  echo "There is no Python 3.11 or later: apt-get install python3 python3-venv, or make PYTHON=/path/to/python" >&2; \
	fi; exit 1
