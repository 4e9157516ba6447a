# The commands of the README. Everything behind them is CMake; presets are in CMakePresets.json.
PRESET ?= dev
BUILD := scripts/build.sh $(PRESET)
# Tests that run at the same time: half of them wait for a program or a clock.
TEST_JOBS ?= $(shell expr 3 '*' $$(nproc) / 2)
EXAMPLE ?= resources/examples/gpt2-tiny.yaml

# Options of the bench programs, such as BENCH="--searches 4 --families"; --help lists them.
BENCH ?=
# Options of test-parity, such as PARITY="--only LLaMA".
PARITY ?=
# Options of test-trainers, such as TRAINERS="--only axolotl".
TRAINERS ?=

.PHONY: run test test-asan test-gpu test-kernels test-tsan test-weekly test-hub-models test-parity test-python test-trainers test-yaml-readers
.PHONY: fuzz setup setup-examples setup-fuzz setup-parity setup-readers setup-tidy setup-trainers build programs configure bundle
.PHONY: bench-adapter-memory bench-calibration bench-config bench-corpus bench-dequantizing bench-frames bench-live bench-pictures bench-repeats bench-search bench-step-time bench-sweep-truth bench-time-left bench-training bench-transfer bench-waiting calibrate-search
.PHONY: architecture screenshots format soak tidy clean

run: programs
	build/$(PRESET)/bin/batchpeak --start $(EXAMPLE)

test: build
	QT_QPA_PLATFORM=offscreen ctest --preset $(PRESET) --parallel $(TEST_JOBS)

# What no test may depend on: the kernels that ATen and oneDNN choose for the processor, and the number of threads.
test-kernels: configure
	$(BUILD) network_tests
	scripts/test-kernels.sh build/$(PRESET) $(TEST_JOBS)

# By hand, once a week: the window and the search under sanitizers too; and every test beside a program that keeps a
# processor busy, with a failure at every allocation of a step in place of those at each site once, every power loss of
# a history, and 240 searches whose sentences are compared with their tables.
test-weekly: build
	$(MAKE) test-asan ROOMS=without-torch
	BATCHPEAK_EVERY_ALLOCATION=1 BATCHPEAK_EVERY_POWER_LOSS=1 BATCHPEAK_MANY_SEARCHES=1 \
	QT_QPA_PLATFORM=offscreen scripts/beside-busy-processor.sh \
		ctest --preset $(PRESET) --parallel $(TEST_JOBS)

# The tests under sanitizers: test-asan finds errors of memory and undefined behavior, test-tsan races of threads. With
# ROOMS=without-torch only those that need no libtorch, which take a quarter of the time; with ROOMS=core those of core
# among them, half of that again, as CI does.
ROOMS ?= all
test-asan: setup
	scripts/test-sanitized.sh asan $(ROOMS) $(TEST_JOBS)
test-tsan: setup
	scripts/test-sanitized.sh tsan $(ROOMS) $(TEST_JOBS)

# Loss and gradients of our networks against those of transformers and torchvision, of adapters against those of PEFT and
# bitsandbytes. Options go into PARITY.
test-parity: configure setup-parity
	$(BUILD) batchpeak-parity-step
	PYTHONPATH=tests .venv-parity/bin/python -m parity --program build/$(PRESET)/bin/batchpeak-parity-step $(PARITY)

# Parameters of every network that is known by its name on the hub against those that transformers gives it.
test-hub-models: configure setup-parity
	$(BUILD) batchpeak-list-hub-models
	PYTHONPATH=tests .venv-parity/bin/python -m parity.hub_models --program build/$(PRESET)/bin/batchpeak-list-hub-models

# The package in python/, spoken to as Batchpeak does, the networks that it makes by transformers, whole explorations with
# it, and its examples.
test-python: configure setup-parity setup-examples
	$(BUILD) batchpeak batchpeak-worker
	cd tests && OMP_NUM_THREADS=1 BATCHPEAK_PROGRAM="$(CURDIR)/build/$(PRESET)/bin/batchpeak" \
		BATCHPEAK_WORKER="$(CURDIR)/build/$(PRESET)/bin/batchpeak-worker" \
		"$(CURDIR)/.venv-examples/bin/python" -m unittest discover --start-directory python --top-level-directory .

# Configs with a size written into them, read by PyYAML and ruamel.yaml as trainers read them.
test-yaml-readers: configure setup-readers
	$(BUILD) batchpeak-write-sizes
	PYTHONPATH=tests .venv-readers/bin/python -m readers --program build/$(PRESET)/bin/batchpeak-write-sizes \
		tests/data/configs resources/examples ../shared/configs

# Configs with a size written into them, read by the trainers' own code. Options go into TRAINERS.
test-trainers: configure setup-trainers
	$(BUILD) batchpeak-write-sizes
	PYTHONPATH=tests python3 -m trainers --program build/$(PRESET)/bin/batchpeak-write-sizes $(TRAINERS) \
		tests/trainers/configs ../shared/configs ../shared/corpus

# What only a GPU can prove; skips without one. The folder can be carried to a computer that has one: docs/servers.md.
test-gpu: configure
	$(BUILD) batchpeak_gpu_tests batchpeak-worker
	scripts/make-gpu-suite.sh build/$(PRESET) build/gpu-suite
	PATH="$(CURDIR)/.venv/bin:$$PATH" build/gpu-suite/run-gpu-suite.sh

# The two programs alone: what `make run` needs.
programs: configure
	$(BUILD) batchpeak batchpeak-worker

build: configure
	$(BUILD)

configure: setup
	cmake --preset $(PRESET)

# The window in every state, light and dark, in two sizes, and each dialog: once as on a usual screen and once with
# twice as many pixels.
screenshots: configure
	$(BUILD) batchpeak-render-window
	QT_QPA_PLATFORM=offscreen build/$(PRESET)/bin/batchpeak-render-window build/screenshots/1x
	QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=2 build/$(PRESET)/bin/batchpeak-render-window build/screenshots/2x

setup:
	scripts/setup.sh

# YAML readers (1 MB), which only test-yaml-readers needs.
setup-readers:
	scripts/setup-venv.sh readers tests/readers/requirements.txt

# The spelling checker of tidy.
setup-tidy:
	scripts/setup-venv.sh tidy scripts/tidy-requirements.txt

# Only test-trainers needs it.
setup-trainers: setup-parity
	scripts/setup-trainers.sh

# Seconds that each fuzz target runs.
SECONDS := 60

# Configs made at random by libFuzzer, for every reader and for writing; what is found lies in build/fuzz/fuzz/work.
fuzz: setup setup-fuzz
	cmake --preset fuzz
	scripts/build.sh fuzz
	scripts/run-fuzz.sh build/fuzz $(SECONDS)

# Only fuzzing needs it.
setup-fuzz:
	scripts/setup-fuzz.sh

# A folder, and an archive of it, that runs on computers where nothing can be installed: docs/servers.md.
bundle: configure
	$(BUILD) batchpeak batchpeak-worker batchpeak_icons
	scripts/pack-bundle.sh build/$(PRESET) build/bundle

# What our networks are compared with, in numbers, in bytes and in time: the whole torch wheel set, torchvision,
# transformers, PEFT, trl, bitsandbytes and torchao (5 GB).
setup-parity:
	scripts/setup-venv.sh parity tests/parity/requirements.txt

# What the examples in python/examples need beside them, JAX and Lightning (600 MB), which only test-python needs.
# Lightning would draw a torch of its own.
setup-examples: setup-parity
	scripts/setup-venv.sh examples tests/python/requirements.txt parity

# What every search strategy costs, and how right and how honest it is, on devices that are formulas or tables.
bench-search: configure
	$(BUILD) batchpeak-bench-search
	build/$(PRESET)/bin/batchpeak-bench-search $(BENCH)

# How often two trials of the same size agree within the errors that they state. Nothing else should run.
bench-repeats: configure
	$(BUILD) batchpeak-bench-repeats batchpeak-worker
	build/$(PRESET)/bin/batchpeak-bench-repeats $(EXAMPLE) $(BENCH)

# Whether the stated confidence can be believed on this computer: explorations and visits of a grid of sizes in turn.
bench-live: configure
	$(BUILD) batchpeak-bench-live batchpeak-disturb batchpeak batchpeak-worker
	build/$(PRESET)/bin/batchpeak-bench-live $(BENCH)

# Time and memory for configs of megabytes, and for texts made to take all of either. BENCH is how often each is opened.
bench-config: configure
	$(BUILD) batchpeak-bench-config
	build/$(PRESET)/bin/batchpeak-bench-config $(BENCH)

# What becomes of the configs that people have: which can be explored, why others cannot, and whether trials of every
# kind of run among them end well, with networks made smaller. CORPUS is a folder of repositories.
CORPUS ?= ../shared/corpus
bench-corpus: configure
	$(BUILD) batchpeak-bench-corpus batchpeak batchpeak-worker
	build/$(PRESET)/bin/batchpeak-bench-corpus $(CORPUS) $(BENCH)

# Work of the window's thread for one picture of an exploration of 400 trials. Nothing else should run.
bench-frames: configure
	$(BUILD) batchpeak-bench-frames
	build/$(PRESET)/bin/batchpeak-bench-frames $(BENCH)

# A thousand explorations and two hundred trainings in one process, on workers that break down at random.
soak: configure
	$(BUILD) batchpeak-soak
	build/$(PRESET)/bin/batchpeak-soak $(BENCH)

# One search on each family of devices as a picture: the true curve, what was believed, the trials in order.
bench-pictures: configure
	$(BUILD) batchpeak-draw-searches
	build/$(PRESET)/bin/batchpeak-draw-searches --folder build/pictures $(BENCH)

# How often stated confidences are right, on calm and restless devices, as a picture for the docs.
bench-calibration: configure
	$(BUILD) batchpeak-draw-calibration
	build/$(PRESET)/bin/batchpeak-draw-calibration --file docs/calibration.svg $(BENCH)

# Whether what the visits of a sweep leave possible holds the truth as often as it states. BENCH is how many sweeps.
bench-sweep-truth: configure
	$(BUILD) batchpeak-bench-sweep-truth
	build/$(PRESET)/bin/batchpeak-bench-sweep-truth $(BENCH)

# How well a search tells the time that it still needs, and what a perfect forecaster would be off by. BENCH=--fit
# prints the weights for core/search/strategies/trial_forecast.cpp.
bench-time-left: configure
	$(BUILD) batchpeak-bench-time-left
	build/$(PRESET)/bin/batchpeak-bench-time-left $(BENCH)

# Fits the map behind the stated confidence; prints its weights for core/search/strategies/calibration.cpp.
calibrate-search: configure
	$(BUILD) batchpeak-calibrate-search
	build/$(PRESET)/bin/batchpeak-calibrate-search $(BENCH)

# Time and memory of our worker's step beside those of transformers, torchvision and PEFT.
bench-step-time: configure setup-parity
	$(BUILD) batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.step_time --worker build/$(PRESET)/bin/batchpeak-worker $(BENCH)

# Time of bringing matrices in 4 bits back to wide numbers, beside bitsandbytes.
bench-dequantizing: configure setup-parity
	$(BUILD) batchpeak-time-dequantizing
	PYTHONPATH=tests .venv-parity/bin/python -m bench.step_time.dequantizing \
		--program build/$(PRESET)/bin/batchpeak-time-dequantizing $(BENCH)

# Bytes of our worker's step of adapters beside those of PEFT and bitsandbytes.
bench-adapter-memory: configure setup-parity
	$(BUILD) batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.adapter_memory --worker build/$(PRESET)/bin/batchpeak-worker $(BENCH)

# Whether the sizes that batchpeak-worker finds for the example networks are right in the stack of transformers. Nothing
# else should run.
bench-transfer: configure setup-parity
	$(BUILD) batchpeak batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.transfer --batchpeak build/$(PRESET)/bin/batchpeak $(BENCH) \
		resources/examples/*.yaml

# How the threads of a worker on the processor had best wait for each other, alone and beside other programs.
bench-waiting: configure setup-parity
	$(BUILD) batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.waiting --worker build/$(PRESET)/bin/batchpeak-worker $(BENCH)

# Our size beside those of Composer's and torchtune's ways: samples/s at the same batch, and what finding them took.
bench-training: configure
	$(BUILD) batchpeak batchpeak-worker
	PYTHONPATH=tests python3 -m bench.training --program build/$(PRESET)/bin/batchpeak $(BENCH)

# The picture of the rooms in docs/architecture.md, out of the CMake files.
architecture:
	scripts/draw-rooms.py

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

# All must be clean. clang-tidy takes the compile commands of the preset that compiles each file by itself.
tidy: setup setup-tidy
	cmake --preset edit
	git ls-files '*.cpp' '*.h' '*.py' '*.sh' '*.md' '*.cmake' '*.1' | xargs .venv-tidy/bin/codespell
	git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror
	scripts/run-clang-tidy.sh build/edit

clean:
	rm -rf build
