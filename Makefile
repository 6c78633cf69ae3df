# Every target sets up what it needs; nothing outside this folder is touched.
PYTHON ?= python3
VENV := .venv
MINIMAL := .venv-minimal
ENGINES := .venv-engines
BIN := $(VENV)/bin
INSTALL := -m pip install --quiet --disable-pip-version-check -c constraints.txt
# One BLAS thread: the tests run one process per core, and for matrices of this size idle BLAS threads
# cost more than they help (20 times more on a small virtual machine).
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
NEEDS := pyproject.toml constraints.txt
# Commands that tests start would compile samelaw and the tests anew, every time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-minimal test-long test-heavy test-dbt test-engines check doctests docs-examples bench docs clean

help:
	@echo "make demo | test | test-long | test-heavy | test-dbt | test-engines | check | docs-examples | bench | docs | clean"

$(VENV)/.created:
	@echo "Creating the virtual environment $(VENV)."
	@$(PYTHON) -m venv $(VENV) && touch $@

$(VENV)/.cli: $(VENV)/.created $(NEEDS)
	@echo "Installing samelaw with its command line extras."
	@$(BIN)/python $(INSTALL) -e ".[cli]" && touch $@

$(VENV)/.dev: $(VENV)/.created $(NEEDS)
	@echo "Installing samelaw with every extra and the development tools (about 2 GB, once)."
	@$(BIN)/python $(INSTALL) -e ".[all,dev,docs]" && touch $(VENV)/.cli $(VENV)/.docs $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the libraries we measure ourselves against."
	@$(BIN)/python $(INSTALL) vendi-score hyppo && touch $@

$(VENV)/.docs: $(VENV)/.created $(NEEDS)
	@echo "Installing samelaw with the documentation tools."
	@$(BIN)/python $(INSTALL) -e ".[docs,cli,torch,jax,sklearn,river,dask]" && touch $@

$(MINIMAL)/.ready: $(NEEDS)
	@echo "Creating $(MINIMAL): the base dependencies and the test runner, nothing else."
	@$(PYTHON) -m venv $(MINIMAL)
	@$(MINIMAL)/bin/python $(INSTALL) -e . pytest hypothesis && touch $@

# dbt asks for older versions of what the tools use, Spark and Ray are large: they stay apart.
$(ENGINES)/.dbt: $(NEEDS)
	@echo "Creating $(ENGINES): the base dependencies, the test runner and dbt with DuckDB."
	@$(PYTHON) -m venv $(ENGINES)
	@$(ENGINES)/bin/python $(INSTALL) -e . pytest hypothesis dbt-core dbt-duckdb && touch $@

$(ENGINES)/.clusters: $(ENGINES)/.dbt
	@echo "Installing Spark and Ray (about 800 MB, once)."
	@$(ENGINES)/bin/python $(INSTALL) pyarrow pandas pyspark ray && touch $@

demo: $(VENV)/.cli
	@echo "Comparing two tables of a shop; the page to look at is build/report.html."
	@mkdir -p build
	@$(ONE_THREAD) $(BIN)/samelaw compare examples/data/changed_a.csv examples/data/changed_b.csv \
	  --seed 2 --report build/report.html; code=$$?; test $$code -le 1 # 1 means different, not broken

test: $(VENV)/.dev test-minimal
	@echo "Running the tests, on every array library. Left out: repetitions, compilers, browsers and \
	memory (make test-long), hours of simulation (make test-heavy), the documents (make docs-examples)."
	@$(ONE_THREAD) $(BIN)/python -m pytest -q -n auto -m "not heavy and not long and not documents" tests

test-minimal: $(MINIMAL)/.ready
	@echo "Running what can break without optional dependencies, without any of them."
	@SAMELAW_MINIMAL=1 $(ONE_THREAD) $(MINIMAL)/bin/python -m pytest -q tests/minimal

test-long: $(VENV)/.dev
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || echo "No chromium and \
	chromedriver here: whether the report opens without errors and requests, draws its figures, fits \
	a phone and has a dark and a printed form is NOT checked (Debian: apt-get install chromium \
	chromium-driver)."
	@echo "Running what takes repetitions, compilers, browsers and measurements of memory."
	@$(ONE_THREAD) $(BIN)/python -m pytest -q -n auto -m "long and not heavy and not documents" tests

test-heavy: $(VENV)/.dev
	@echo "Running the heavy statistical tests: this takes a while."
	@$(ONE_THREAD) $(BIN)/python -m pytest -q -n auto -m heavy tests

test-dbt: $(ENGINES)/.dbt
	@echo "Running the example project of dbt."
	@SAMELAW_ENGINES=1 SAMELAW_MINIMAL=1 $(ONE_THREAD) $(ENGINES)/bin/python -m pytest -q tests/engines/test_dbt_project.py

test-engines: $(ENGINES)/.clusters
	@echo "Running dbt, Spark (needs Java 17) and Ray."
	@SAMELAW_ENGINES=1 SAMELAW_MINIMAL=1 $(ONE_THREAD) $(ENGINES)/bin/python -m pytest -q tests/engines

check: $(VENV)/.dev
	@echo "Checking style, types, the direction of imports and the public surface."
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict
	@$(BIN)/mypy --config-file tests/mypy.ini tests
	@$(BIN)/lint-imports
	@$(ONE_THREAD) $(BIN)/python -m pytest -q tests/test_public_surface.py tests/core/test_version.py

doctests: $(VENV)/.dev
	@echo "Running every example in the docstrings."
	@$(ONE_THREAD) $(BIN)/python -m pytest -q --doctest-modules src

docs-examples: doctests
	@echo "Running every example in the README, the documentation and the gallery."
	@$(ONE_THREAD) $(BIN)/python -m pytest -q -n auto -m "documents and not heavy" tests/end_to_end

bench: $(VENV)/.bench
	@echo "Running every benchmark; each writes JSON."
	@set -e; for file in $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py)); do $(ONE_THREAD) $(BIN)/python $$file; done

docs: $(VENV)/.docs
	@echo "Building the documentation into build/docs; a warning is an error."
	@$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/docs

clean:
	@echo "Removing the environments, the caches and everything built."
	@rm -rf $(VENV) $(MINIMAL) $(ENGINES) build dist docs/gallery docs/generated \
	  .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
