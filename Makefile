# Every target sets up what it needs by itself. Python 3.11 or newer is all that must be there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: play test tests test-slow lint lock docs clean browser

play: $(VENV)/ready
	@$(BIN)/outflank serve --open

# The sources are checked beside the tests: mypy takes one core, and many tests wait.
test: $(VENV)/ready-to-test
	@$(MAKE) --no-print-directory --jobs 2 lint tests

# Two files of tests at a time: many of them wait for a browser or a clock. In their order, those of the browser come one
# after the other and share a server.
tests: browser
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

# The long proofs: millions of positions, and OpenSpiel as an independent oracle.
test-slow: $(VENV)/ready-to-test browser
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,oracle]'
	@$(BIN)/python -m pytest -m 'slow or not slow'

lint: $(VENV)/ready-to-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Outflank needs Python 3.11 or newer; say which with: make PYTHON=python3.12 …")'
	@echo "Setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/ready: $(VENV)/bin/python pyproject.toml
	@echo "Installing the packages …"
	@began=$$(date +%s); $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . \
	    && echo "Installed in $$(($$(date +%s) - began)) s."
	@touch $@

$(VENV)/ready-to-test: $(VENV)/ready constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@$(BIN)/outflank warmup
	@touch $@

# The documents as a site, with a search, a dark side and the Python interface: open docs/_build/index.html.
docs: $(VENV)/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@$(BIN)/python -m sphinx -q -W --keep-going docs docs/_build
	@echo "docs/_build/index.html"

# Pins what the tests have just passed with, for every developer: after an upgrade of anything, and before a release.
lock:
	@{ echo '# The versions that `make test` installs, written by `make lock`.'; \
	    $(BIN)/python -m pip freeze --exclude-editable; } > constraints.txt

# What the page's tests need beside Python packages. Where it cannot be had, they are left out, and say so.
browser: $(VENV)/ready-to-test
	@.ci/browser $(VENV)

clean:
	rm -rf $(VENV) dist build docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
