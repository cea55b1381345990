# Everything runs in .venv, which the first target that needs it creates. Needs Python 3.11+ only.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TOOLS := $(VENV)/.tools
COMPILED := $(VENV)/.compiled
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
CPUS := $(shell nproc)
# Twice the processors, as tests wait for deadlines and for other processes.
WORKERS ?= $(shell expr 2 \* $(CPUS))
PARALLEL := -n $(WORKERS) --dist worksteal
PYTEST := $(BIN)/python -m pytest -q
FIRST_DB ?= first.db

# Collecting the tests takes seconds: the last pass of `make test` reads only the files it needs.
TIMED = $$(grep -rl --include='*.py' 'mark.timed' tests)

# Without __pycache__, each of the tests' thousand processes would compile the sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install run test test-fast test-slow test-exhaustive coverage check docs size bench clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: $(TOOLS) ## Create .venv with the project and its tools

# Running the program needs no tools. --no-compile: modules are compiled when first imported, and most
# never are.
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

# Once: in a new clone each of the tests' workers would compile the same modules beside the others.
# The players compile beside them; targets that need them look again.
$(COMPILED): $(TOOLS)
	@$(PYTEST) --collect-only -qq > /dev/null & $(BIN)/python -m bots.warm; wait
	@touch $@

run: $(STAMP) ## Play a short ladder, print its table, write first.html
	$(BIN)/ladder run --bots v1,v2,v3,v4,flat-mc,random --games 60 --time 20ms --db $(FIRST_DB)
	@echo
	@$(BIN)/ladder report --db $(FIRST_DB) --html $(FIRST_DB:.db=.html)
	@echo "The games are in $(FIRST_DB). Play more with: $(BIN)/ladder run --db $(FIRST_DB) --time 20ms"

test: $(COMPILED) ## Run the tests: everything but long sweeps and fuzzing; those that judge time alone, at the end
	$(BIN)/python -m bots.warm
	$(PYTEST) $(PARALLEL) -m 'not timed and not very_slow and not exhaustive'
	$(PYTEST) -m timed $(TIMED)

test-fast: $(COMPILED) ## Run the tests that take a moment each: the loop of editing
	$(PYTEST) $(PARALLEL) -m 'not slow and not timed and not very_slow and not exhaustive'

test-slow: $(COMPILED) ## Run sweeps of kills and stops, clusters under faults, long fuzzing
	$(BIN)/python -m bots.warm
	$(PYTEST) $(PARALLEL) -m 'very_slow and not timed and not exhaustive'

test-exhaustive: $(TOOLS) ## Run what takes minutes to prove what quick tests prove by samples
	$(PYTEST) -m exhaustive

coverage: $(COMPILED) ## Measure branch coverage by module
	$(BIN)/python -m bots.warm
	$(PYTEST) $(PARALLEL) -m 'not exhaustive' --cov --cov-branch --cov-report=term:skip-covered

check: $(TOOLS) ## Run what CI runs: format, lint, strict types, then all tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test
	$(MAKE) test-slow

docs: $(TOOLS) ## Write the generated parts of docs/architecture.md, commands.md and players.md
	$(BIN)/python -m tests.tools.packages_table
	$(BIN)/python -m tests.tools.commands_page
	$(BIN)/python -m tests.tools.players_page

size: ## Print the lines of code of each package
	@$(PYTHON) -m tests.tools.count_code

bench: $(STAMP) ## Measure the harness
	$(BIN)/ladder bench harness --games 2000 --concurrency 1

clean: ## Remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
