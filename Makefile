# The commands of the README. Everything behind them is CMake; presets are in CMakePresets.json.
PRESET ?= dev
# A file with torch headers takes about 1 GB to compile, so not every core may be used everywhere.
JOBS ?= $(shell scripts/build-jobs.sh)
EXAMPLE ?= resources/examples/gpt2-tiny.yaml

.PHONY: run test setup build configure format tidy clean

run: build
	build/$(PRESET)/bin/batchpeak --start $(EXAMPLE)

test: build
	QT_QPA_PLATFORM=offscreen ctest --preset $(PRESET)

build: configure
	cmake --build --preset $(PRESET) --parallel $(JOBS)

configure: setup
	cmake --preset $(PRESET)

setup:
	scripts/setup.sh

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

# Both must be clean; needs a configured build folder.
tidy:
	git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror
	scripts/run-clang-tidy.sh build/$(PRESET)

clean:
	rm -rf build
