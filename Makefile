# make help lists the targets; scripts in tools/ hold what is longer than a line.
PYTHON ?= python3
PORT   ?= 8888
PY     := .venv/bin/python
WHEELS ?=
.PHONY: help lab update test test-all quick notebooks new-lesson table site book solutions wheels zip release lock newest oldest checkpoint paper paper-quick record clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z%-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z%-]+):.*## /  make \1|/' | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

lab: .venv/lab ## open JupyterLab on the first lesson (PORT=8888; WHEELS=folder: no network)
	@$(PYTHON) tools/setup.py lab --port $(PORT)

update: ## fetch new lessons into work/; what you wrote there stays
	@$(PYTHON) tools/setup.py update

test: .venv/dev ## lint, the tests that are not slow, every notebook (what CI runs)
	$(PY) tools/check.py

test-all: .venv/dev .venv/nbgrader ## the same with the slow tests, before a release
	$(PY) tools/check.py --all

quick: .venv/dev ## the two-minute part: lint and the fast tests
	$(PY) tools/check.py --quick

notebooks: .venv/dev ## run every notebook in place and store its outputs
	$(PY) -m tools.notebooks sync notebooks/*.ipynb notebooks/deeper/*.ipynb && $(PY) -m tools.notebooks run notebooks/*.ipynb notebooks/deeper/*.ipynb && $(PY) -m tools.readme && $(PY) -m tools.teaching

new-lesson: .venv/dev ## begin a lesson from the template (TITLE="Words as sums")
	$(PY) -m tools.notebooks new "$(TITLE)"

lesson-%: .venv/dev ## after a change to one lesson: run it, renew what follows from it, test it
	$(PY) -m tools.notebooks sync notebooks/[0-9]*.ipynb
	$(PY) -m tools.notebooks run notebooks/$*_*.ipynb
	$(PY) -m tools.readme && $(PY) -m tools.teaching
	$(PY) tools/check.py --lesson $*

table: .venv/dev ## every lesson beside what a lesson aims at: cells, words, minutes ...
	$(PY) -m tools.notebooks table notebooks/[0-9]*.ipynb

site: .venv/dev ## the course as one offline book in build/site, to read and to present
	$(PY) -m tools.site

book: .venv/dev ## the lessons to print and for a reader: build/gpt1-course.pdf and .epub, build/formulas.pdf
	$(PY) -m tools.book

solutions: .venv/lab ## solved copies of all lessons in build/solutions, with their full marks
	@$(PY) -m gpt1course solve notebooks/[0-9]*.ipynb --out build/solutions
	@GPT1_STRICT=1 $(PY) -m gpt1course grade build/solutions --out build/solutions/marks.csv

wheels: zip ## all packages and the course in build/wheels, for a room without a network
	@$(PYTHON) tools/setup.py wheels --out build/wheels
	@cp build/gpt1-course.zip build/wheels

zip: ## the committed course as build/gpt1-course.zip, for those without git
	@test -z "$$(git status --porcelain)" || echo "Not in the zip: changes that are not committed (git status lists them)"
	@mkdir -p build && git archive --format=zip --prefix=gpt1-course/ -o build/gpt1-course.zip HEAD

release: ## tag this commit with the version; pushing the tag publishes it
	@$(PY) tools/release.py tag

lock: ## requirements.lock again, with the newest versions (needs uv)
	$(PYTHON) tools/lock.py --upgrade

newest: ## the short tests with the newest packages that pyproject.toml allows
	$(PYTHON) tools/bounds.py newest

oldest: ## the same with the oldest (needs uv)
	$(PYTHON) tools/bounds.py oldest

checkpoint: .venv/lab ## train the shipped model again (an hour on two cores; goes on if interrupted)
	$(PY) -m gpt1lib.pretrain --recipe novelist --out runs/novelist

paper: .venv/lab ## Table 5, Figure 2, our own questions and learning curves, all seeds (about a day on two cores; goes on if interrupted)
	$(PY) -m gpt1course.paper

paper-quick: .venv/lab ## one cell of each of them again, beside the stored one (minutes)
	$(PY) -m gpt1course.paper --quick

record: .venv/lab ## how low in eight minutes on two cores? rules in docs/record.md (ARGS="--lr 2e-3 --seed 1")
	@$(PY) benchmarks/record.py $(ARGS)

clean: ## remove .venv and build products
	rm -rf .venv node_modules build .pytest_cache .ruff_cache .hypothesis gpt1_course.egg-info

.venv/lab: pyproject.toml requirements.lock tools/setup.py
	@$(PYTHON) tools/setup.py install $(if $(WHEELS),--wheels "$(WHEELS)")

.venv/dev: pyproject.toml requirements.lock tools/setup.py
	@$(PYTHON) tools/setup.py install --dev

.venv/nbgrader: pyproject.toml  # an environment of its own, because it adds itself to JupyterLab
	@$(PY) -m venv $@ && $@/bin/python -m pip install -q -c requirements.lock nbgrader \
	  || { rm -rf $@; echo "No nbgrader could be installed: its test is skipped"; }
