# Everything starts from .venv/, made here from the two requirements files. Only Python 3.11 or newer is needed.
PYTHON ?= python3
BIN := .venv/bin
SHELL := /bin/sh
.SHELLFLAGS := -ec
# Parallel test processes; 0 runs them in one.
JOBS ?= auto

.PHONY: help setup demo test test-whole lint format bench clean

help:
	@echo "make demo        start RITE with example content"
	@echo "make test        run the tests; what needs a service that is not there is named at the end"
	@echo "make test-whole  run also the tests marked 'whole', in full size"
	@echo "make lint        format, lint, types, import contract, missing migrations"
	@echo "make bench       measure (tests/bench); prints figures"
	@echo "make setup       only make .venv/"

setup: .venv/installed

.venv/installed: requirements.txt requirements-dev.txt Makefile
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; say which with: make PYTHON=python3.11 ...") if sys.version_info < (3, 11) else 0'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || (echo "Python's venv module is missing. Debian: apt-get install python3-venv"; exit 1)
	@echo "Installing packages into .venv (about a minute the first time) ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps -r requirements.txt -r requirements-dev.txt
	@touch $@

demo: setup
	@exec $(BIN)/python manage.py demo $(ARGS)

test: setup
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(ARGS)

test-whole: setup
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --whole $(ARGS)

bench: setup
	$(BIN)/python -m tests.bench $(ARGS)

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
