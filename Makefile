# The commands of the README. CMake does the work; its presets are in CMakePresets.json.
PRESET ?= dev
BUILD := scripts/build.sh $(PRESET)
# Number of tests that run in parallel: more than the cores, since half of the tests wait for a program or a clock.
TEST_JOBS ?= $(shell expr 3 '*' $$(nproc) / 2)
EXAMPLE ?= resources/examples/gpt2-tiny.yaml

# Options of the bench programs, such as BENCH="--searches 4 --families"; --help lists them.
BENCH ?=
# Options of test-parity, such as PARITY="--only LLaMA".
PARITY ?=
# Options of test-cluster, such as CLUSTER="-k links --repeat 100".
CLUSTER ?=
# Options of test-trainers, such as TRAINERS="--only axolotl".
TRAINERS ?=

.PHONY: run core-tests test test-asan test-cluster test-gpu test-kernels test-tsan test-weekly test-hub-models test-parity test-python test-trainers test-yaml-readers
.PHONY: fuzz setup setup-examples setup-fuzz setup-parity setup-readers setup-tidy setup-trainers build programs configure bundle
.PHONY: bench-adapter-memory bench-calibration bench-cluster bench-config bench-corpus bench-dequantizing bench-frames bench-live bench-pictures bench-ranks bench-repeats bench-search bench-step-time bench-sweep-truth bench-time-left bench-training bench-transfer bench-waiting calibrate-search
.PHONY: architecture screenshots format soak tidy clean

# Preset whose tests of core run in the place of those of PRESET. CI runs those of asan-quick.
CORE_TESTS ?=

run: programs
	build/$(PRESET)/bin/batchpeak --start $(EXAMPLE)

test: $(if $(CORE_TESTS),core-tests) build
	QT_QPA_PLATFORM=offscreen ctest --preset $(PRESET) --parallel $(TEST_JOBS)

# Runs the tests of networks with the kernels of other CPUs and with four threads: no test may depend on the kernels
# that ATen and oneDNN choose for the CPU, or on the number of threads.
test-kernels: configure
	$(BUILD) network_tests
	scripts/test-kernels.sh build/$(PRESET) $(TEST_JOBS)

# Takes too long for CI; run it by hand once a week. It adds the window and the search to the sanitized tests. Then it
# runs every test on a busy CPU: each allocation of a step fails once instead of one per call site, every power loss of
# a history is tried, and the sentences of 240 searches are compared with their tables. test-kernels runs once more with
# this CPU's kernels and four threads.
test-weekly: build
	$(MAKE) test-asan ROOMS=without-torch
	BATCHPEAK_EVERY_KERNEL=1 $(MAKE) test-kernels
	BATCHPEAK_EVERY_ALLOCATION=1 BATCHPEAK_EVERY_POWER_LOSS=1 BATCHPEAK_MANY_SEARCHES=1 \
	QT_QPA_PLATFORM=offscreen scripts/beside-busy-processor.sh \
		ctest --preset $(PRESET) --parallel $(TEST_JOBS)

# Run the tests under sanitizers: test-asan finds memory errors and undefined behavior, test-tsan finds data races.
# ROOMS=without-torch runs only tests that need no libtorch, in a quarter of the time. ROOMS=core runs only those of
# core among them, in half of that.
ROOMS ?= all
test-asan: setup
	scripts/test-sanitized.sh asan $(ROOMS) $(TEST_JOBS)
test-tsan: setup
	scripts/test-sanitized.sh tsan $(ROOMS) $(TEST_JOBS)

# Compares loss and gradients of our networks with transformers and torchvision, and of our adapters with PEFT and
# bitsandbytes. PARITY passes options.
test-parity: configure setup-parity
	$(BUILD) batchpeak-parity-step
	PYTHONPATH=tests .venv-parity/bin/python -m parity --program build/$(PRESET)/bin/batchpeak-parity-step $(PARITY)

# Compares the parameters of every network that Batchpeak knows by its name on the hub with transformers.
test-hub-models: configure setup-parity
	$(BUILD) batchpeak-list-hub-models
	PYTHONPATH=tests .venv-parity/bin/python -m parity.hub_models --program build/$(PRESET)/bin/batchpeak-list-hub-models

# Tests the package in python/ over the trial protocol: its networks from transformers, whole explorations, and its
# examples.
test-python: configure setup-parity setup-examples
	$(BUILD) batchpeak batchpeak-worker
	cd tests && OMP_NUM_THREADS=1 BATCHPEAK_PROGRAM="$(CURDIR)/build/$(PRESET)/bin/batchpeak" \
		BATCHPEAK_WORKER="$(CURDIR)/build/$(PRESET)/bin/batchpeak-worker" \
		"$(CURDIR)/.venv-examples/bin/python" -m unittest discover --start-directory python --top-level-directory .

# Tests explorations over real servers, sshd and Slurm, which run in namespaces of their own: as root in a container
# without systemd; skipped elsewhere. CLUSTER passes options.
test-cluster: configure
	scripts/setup-cluster.sh
	$(BUILD) batchpeak batchpeak-worker batchpeak-fake-worker
	PYTHONPATH=tests python3 -m cluster --programs build/$(PRESET) $(CLUSTER) || [ $$? -eq 77 ]

# Writes a size into configs and reads them with PyYAML and ruamel.yaml, as trainers do.
test-yaml-readers: configure setup-readers
	$(BUILD) batchpeak-write-sizes
	PYTHONPATH=tests .venv-readers/bin/python -m readers --program build/$(PRESET)/bin/batchpeak-write-sizes \
		tests/data/configs resources/examples ../shared/configs

# Writes a size into configs and reads them with the trainers' own code. TRAINERS passes options.
test-trainers: configure setup-trainers
	$(BUILD) batchpeak-write-sizes
	PYTHONPATH=tests python3 -m trainers --program build/$(PRESET)/bin/batchpeak-write-sizes $(TRAINERS) \
		tests/trainers/configs ../shared/configs ../shared/corpus

# Runs the tests that need a GPU; without one, they are skipped. The folder build/gpu-suite can be copied to a computer
# with a GPU: docs/servers.md.
test-gpu: configure
	$(BUILD) batchpeak_gpu_tests batchpeak-worker
	scripts/make-gpu-suite.sh build/$(PRESET) build/gpu-suite
	PATH="$(CURDIR)/.venv/bin:$$PATH" build/gpu-suite/run-gpu-suite.sh

# Builds only the two programs, for `make run`.
programs: configure
	$(BUILD) batchpeak batchpeak-worker

build: configure
	$(BUILD)

configure: setup
	cmake --preset $(PRESET) -DBATCHPEAK_CORE_TESTS=$(if $(CORE_TESTS),$(CURDIR)/build/$(CORE_TESTS))

core-tests: setup
	cmake --preset $(CORE_TESTS)
	scripts/build.sh $(CORE_TESTS) batchpeak_tests_core

# Draws the window in every state, light and dark, in two sizes, and each dialog: for device pixel ratios 1 and 2.
screenshots: configure
	$(BUILD) batchpeak-render-window
	QT_QPA_PLATFORM=offscreen build/$(PRESET)/bin/batchpeak-render-window build/screenshots/1x
	QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=2 build/$(PRESET)/bin/batchpeak-render-window build/screenshots/2x

setup:
	scripts/setup.sh

# Installs YAML readers (1 MB), which only test-yaml-readers needs.
setup-readers:
	scripts/setup-venv.sh readers tests/readers/requirements.txt

# Installs the spelling checker of tidy.
setup-tidy:
	scripts/setup-venv.sh tidy scripts/tidy-requirements.txt

# Only test-trainers needs it.
setup-trainers: setup-parity
	scripts/setup-trainers.sh

# Seconds that each fuzz target runs.
SECONDS := 60

# Fuzzes every config reader and the writing of sizes with libFuzzer. Findings are in build/fuzz/fuzz/work.
fuzz: setup setup-fuzz
	cmake --preset fuzz
	scripts/build.sh fuzz
	scripts/run-fuzz.sh build/fuzz $(SECONDS)

# Only fuzzing needs it.
setup-fuzz:
	scripts/setup-fuzz.sh

# Makes a folder, and an archive of it, that runs on computers where nothing can be installed: docs/servers.md.
bundle: configure
	$(BUILD) batchpeak batchpeak-worker batchpeak_icons
	scripts/pack-bundle.sh build/$(PRESET) build/bundle

# Installs the packages that our networks are compared with in numbers, memory and time: torch with all its wheels,
# torchvision, transformers, PEFT, trl, bitsandbytes and torchao (5 GB).
setup-parity:
	scripts/setup-venv.sh parity tests/parity/requirements.txt

# Installs what the examples in python/examples need in addition: JAX and Lightning (600 MB). Only test-python needs
# them. They use the torch of .venv-parity, since Lightning would install its own.
setup-examples: setup-parity
	scripts/setup-venv.sh examples tests/python/requirements.txt parity

# Measures the cost, the accuracy and the calibration of every search strategy on simulated and recorded devices.
bench-search: configure
	$(BUILD) batchpeak-bench-search
	build/$(PRESET)/bin/batchpeak-bench-search $(BENCH)

# Measures how often two trials of the same size agree within their stated errors. Nothing else should run.
bench-repeats: configure
	$(BUILD) batchpeak-bench-repeats batchpeak-worker
	build/$(PRESET)/bin/batchpeak-bench-repeats $(EXAMPLE) $(BENCH)

# Checks whether the stated confidence is right on this computer: explorations alternate with sweeps of a grid of
# sizes.
bench-live: configure
	$(BUILD) batchpeak-bench-live batchpeak-disturb batchpeak batchpeak-worker
	build/$(PRESET)/bin/batchpeak-bench-live $(BENCH)

# Measures time and memory for configs of megabytes, and for texts made to exhaust either. BENCH is how often each is
# opened.
bench-config: configure
	$(BUILD) batchpeak-bench-config
	build/$(PRESET)/bin/batchpeak-bench-config $(BENCH)

# Surveys real configs: which can be explored, why others cannot, and whether trials succeed for every kind of run
# among them, with smaller networks. CORPUS is a folder of repositories.
CORPUS ?= ../shared/corpus
bench-corpus: configure setup-parity
	$(BUILD) batchpeak-bench-corpus batchpeak batchpeak-worker
	.venv-parity/bin/python tests/bench/corpus/default_hub.py build/$(PRESET)/bin/batchpeak-bench-corpus \
		--python $(CURDIR)/.venv-parity/bin/python $(CORPUS) $(BENCH)

# Measures what a place adds to a trial, and how much faster four devices on two nodes are than one: tests/cluster.
# Nothing else should run. BENCH is the number of rounds.
bench-cluster: configure
	scripts/setup-cluster.sh
	$(BUILD) batchpeak batchpeak-fake-worker
	PYTHONPATH=tests python3 -m cluster --programs build/$(PRESET) --bench $(or $(BENCH),5)

# Measures how long the GUI thread works for one frame of an exploration of 400 trials. Nothing else should run.
bench-frames: configure
	$(BUILD) batchpeak-bench-frames
	build/$(PRESET)/bin/batchpeak-bench-frames $(BENCH)

# Runs a thousand explorations and two hundred trainings in one process, with workers that fail at random.
soak: configure
	$(BUILD) batchpeak-soak
	build/$(PRESET)/bin/batchpeak-soak $(BENCH)

# Draws one search on each family of simulated devices: the true curve, the estimate, and the trials in order.
bench-pictures: configure
	$(BUILD) batchpeak-draw-searches
	build/$(PRESET)/bin/batchpeak-draw-searches --folder build/pictures $(BENCH)

# Draws for the docs how often stated confidences are right, on devices with little and with much noise.
bench-calibration: configure
	$(BUILD) batchpeak-draw-calibration
	build/$(PRESET)/bin/batchpeak-draw-calibration --file docs/calibration.svg $(BENCH)

# Checks on synthetic sweeps whether the intervals inferred from their visits contain the truth as often as stated.
# BENCH is the number of sweeps.
bench-sweep-truth: configure
	$(BUILD) batchpeak-bench-sweep-truth
	build/$(PRESET)/bin/batchpeak-bench-sweep-truth $(BENCH)

# Measures how well a search forecasts its remaining time, and the error of a perfect forecaster. BENCH=--fit prints
# the weights for core/search/strategies/trial_forecast.cpp and the constants for core/plan/plan_forecast.cpp.
bench-time-left: configure
	$(BUILD) batchpeak-bench-time-left
	build/$(PRESET)/bin/batchpeak-bench-time-left $(BENCH)

# Fits the calibration of the stated confidence and prints its weights for core/search/strategies/calibration.cpp.
calibrate-search: configure
	$(BUILD) batchpeak-calibrate-search
	build/$(PRESET)/bin/batchpeak-calibrate-search $(BENCH)

# Compares time and memory of our worker's step with transformers, torchvision and PEFT.
bench-step-time: configure setup-parity
	$(BUILD) batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.step_time --worker build/$(PRESET)/bin/batchpeak-worker $(BENCH)

# Compares the time to dequantize 4-bit matrices with bitsandbytes.
bench-dequantizing: configure setup-parity
	$(BUILD) batchpeak-time-dequantizing
	PYTHONPATH=tests .venv-parity/bin/python -m bench.step_time.dequantizing \
		--program build/$(PRESET)/bin/batchpeak-time-dequantizing $(BENCH)

# Compares the memory of our worker's step with adapters with PEFT and bitsandbytes.
bench-adapter-memory: configure setup-parity
	$(BUILD) batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.adapter_memory --worker build/$(PRESET)/bin/batchpeak-worker $(BENCH)

# Checks whether the sizes that batchpeak-worker finds for the example networks are right with transformers, too.
# Nothing else should run.
bench-transfer: configure setup-parity
	$(BUILD) batchpeak batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.transfer --batchpeak build/$(PRESET)/bin/batchpeak $(BENCH) \
		resources/examples/*.yaml

# Compares ways in which the threads of a worker on the CPU wait for each other, on an idle and on a busy computer.
bench-waiting: configure setup-parity
	$(BUILD) batchpeak-worker
	PYTHONPATH=tests .venv-parity/bin/python -m bench.waiting --worker build/$(PRESET)/bin/batchpeak-worker $(BENCH)

# Compares samples/s of trials of two processes with a plain training script under torchrun. Nothing else should run.
bench-ranks: setup-parity
	PYTHONPATH=tests .venv-parity/bin/python -m bench.ranks $(BENCH)

# Compares our size with those that Composer's and torchtune's ways find: samples/s at the same batch, and the time to
# find them.
bench-training: configure
	$(BUILD) batchpeak batchpeak-worker
	PYTHONPATH=tests python3 -m bench.training --program build/$(PRESET)/bin/batchpeak $(BENCH)

# Draws the diagram of the rooms in docs/architecture.md from the CMake files.
architecture:
	scripts/draw-rooms.py

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

# All checks must pass. clang-tidy uses the preset "edit", which compiles each file by itself.
tidy: setup setup-tidy
	cmake --preset edit
	git ls-files '*.cpp' '*.h' '*.py' '*.sh' '*.md' '*.cmake' '*.1' | xargs .venv-tidy/bin/codespell
	git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror
	scripts/run-clang-tidy.sh build/edit

clean:
	rm -rf build
