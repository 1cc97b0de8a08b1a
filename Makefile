# make help lists the targets; scripts in tools/ hold what is longer than a line.
PYTHON ?= python3
PORT   ?= 8888
PY     := .venv/bin/python
.PHONY: help lab test quick notebooks site checkpoint paper paper-quick clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

lab: .venv/lab ## open JupyterLab on the first lesson (PORT=8888)
	@$(PYTHON) tools/setup.py lab --port $(PORT)

test: .venv/dev ## lint, all tests, every notebook (what CI runs)
	$(PY) tools/check.py

quick: .venv/dev ## the two-minute part: lint and the fast tests
	$(PY) tools/check.py --quick

notebooks: .venv/dev ## run every notebook in place and store its outputs
	$(PY) -m gpt1lib.lessons sync notebooks/*.ipynb && $(PY) -m gpt1lib.lessons run notebooks/*.ipynb && $(PY) tools/readme.py && $(PY) tools/errata.py

site: .venv/dev ## static HTML copies of the lessons in build/site, for slides
	$(PY) tools/site.py

checkpoint: .venv/lab ## train the shipped model again (an hour on two cores; goes on if interrupted)
	$(PY) -m gpt1lib.pretrain --recipe novelist --out runs/novelist

paper: .venv/lab ## Table 5, Figure 2, our own questions and learning curves, all seeds (half a day on two cores; goes on if interrupted)
	$(PY) -m gpt1lib.paper

paper-quick: .venv/lab ## one cell of each of them again, beside the stored one (minutes)
	$(PY) -m gpt1lib.paper --quick

clean: ## remove .venv and build products
	rm -rf .venv node_modules build .pytest_cache .ruff_cache .hypothesis gpt1_course.egg-info

.venv/lab: pyproject.toml tools/setup.py
	@$(PYTHON) tools/setup.py install

.venv/dev: pyproject.toml tools/setup.py
	@$(PYTHON) tools/setup.py install --dev
