# Everything runs in .venv, which the first target that needs it creates. Needs Python 3.11+ only.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TOOLS := $(VENV)/.tools
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
CPUS := $(shell nproc)
# No more than there are processors: tests of deadlines share them with whatever else is tested.
WORKERS ?= $(CPUS)
FIRST_DB ?= first.db

# Where Python may keep nothing that it compiled, each of some thousand processes of the tests compiles
# the sources for itself, and pytest the tests.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install run test test-fast test-exhaustive coverage check docs bench clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: $(TOOLS) ## Create .venv with the project and its tools

# Whoever runs the program needs no tools. What pip would compile, most of it never used, is compiled
# when it is first imported.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "This project needs Python 3.11 or later: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --no-compile -e .
	@touch $@

$(TOOLS): $(STAMP)
	$(PIP) --upgrade pip
	$(PIP) --no-compile -e . --group dev
	@touch $@

run: $(STAMP) ## Play a short ladder, print its table, write first.html
	$(BIN)/ladder run --bots v1,v2,v3,v4,flat-mc,random --games 60 --time 20ms --db $(FIRST_DB)
	@echo
	@$(BIN)/ladder report --db $(FIRST_DB) --html $(FIRST_DB:.db=.html)
	@echo "The games are in $(FIRST_DB). Go on with: $(BIN)/ladder run --db $(FIRST_DB) --time 20ms"

test: $(TOOLS) ## Run all tests, the slow ones included
	$(BIN)/python -m bots.warm
	$(BIN)/python -m tests.tools.second_round -n $(WORKERS) --dist worksteal

test-fast: $(TOOLS) ## Run the tests that take no more than a moment each: the loop of editing
	$(BIN)/python -m pytest -q -n $(CPUS) --dist worksteal -m 'not slow'

test-exhaustive: $(TOOLS) ## Run what takes minutes to prove what quick tests prove by samples
	$(BIN)/python -m pytest -q -m exhaustive

coverage: $(TOOLS) ## Measure branch coverage by package
	$(BIN)/python -m bots.warm
	$(BIN)/python -m tests.tools.coverage_by_package -n $(WORKERS)

check: $(TOOLS) ## What CI runs: format, lint, strict types, then the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test

docs: $(TOOLS) ## Write the generated parts of docs/architecture.md and docs/commands.md
	$(BIN)/python -m tests.tools.packages_table
	$(BIN)/python -m tests.tools.commands_page

bench: $(STAMP) ## Measure the harness
	$(BIN)/ladder bench harness --games 2000 --concurrency 1

clean: ## Remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
