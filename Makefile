PYTHON ?= python3
VENV ?= .venv
GRID ?= benchmarks/grids/main.toml
STORE ?= build/store/main
REPORT ?= build/report.html

BIN := $(VENV)/bin
RUN_GRID = $(BIN)/leadline grid $(GRID) --store $(STORE)
RUN_REPORT = $(BIN)/leadline report $(STORE) --out $(REPORT)
# Running needs half of what the tests need, so each has a stamp.
INSTALLED := $(VENV)/.installed
EQUIPPED := $(VENV)/.equipped
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --editable
# A worker keeps to the files that it began, so that what a file makes once (a site, a Spark) is not made by both workers.
# Tests start many processes, which share their bytecode also where the environment asks for none.
TESTS = env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n 2 --dist worksteal

.PHONY: setup test test-slow run java lint format docs clean
.DEFAULT_GOAL := test

setup: $(EQUIPPED)

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	    { echo 'Leadline needs Python 3.11 or newer: apt-get install python3 python3-venv (or set PYTHON)' >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo 'Leadline needs the venv module of Python: apt-get install python3-venv' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) .
	@touch $@

$(EQUIPPED): $(INSTALLED)
	@$(PIP) '.[test]'
	@touch $@

test: lint
	@$(TESTS)

test-slow: setup
	@$(TESTS) -m slow

# Before the installation, so that a machine without Java hears of it at once.
java:
	@test -n "$$JAVA_HOME" || command -v java >/dev/null || \
	    { echo 'Leadline grids need Java 17 or newer: apt-get install default-jre-headless (or set JAVA_HOME)' >&2; exit 2; }

# The report also where a query has no answer: on a slow machine one may reach its time limit. Make ends as the grid did.
run: java $(INSTALLED)
	@$(RUN_GRID); answer=$$?; $(RUN_REPORT) && exit $$answer

lint: setup
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary

format: setup
	@$(BIN)/ruff check --fix --quiet
	@$(BIN)/ruff format --quiet

docs: setup
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -j auto docs build/docs
	@echo 'build/docs/index.html'

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
