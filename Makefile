# Two commands matter: `make demo` and `make test`. Both make .venv first, and install nothing outside this folder.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# more than there are processors: many tests wait for a lab or a terminal, and the others run meanwhile
BESIDE := 12

# Without compiled files every process of the tests compiles the program anew. MAKEFLAGS (-j) is for this make alone.
PYTEST := env -u PYTHONDONTWRITEBYTECODE -u MAKEFLAGS $(BIN)/python -m pytest

# labs keep real time: what failed beside other work is run once more with nothing beside it, and both runs are shown
# ("=": FreeBSD's make would expand what is left of $$? after ":=")
AGAIN   = { test $$? -eq 1 && echo "=== once more, alone: what failed" && $(PYTEST) -x --last-failed --last-failed-no-failures none; }

.PHONY: demo test check bench clean

demo: $(STAMP)
	$(BIN)/fwdtui demo

test: $(STAMP)
	$(PYTEST) --beside $(BESIDE) || $(AGAIN)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# takes many minutes, installs its peers, and rewrites docs/performance.md
bench: $(STAMP)
	$(BIN)/python benchmarks/rows.py

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "fwdtui needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
