#!/usr/bin/env bash
# Usage: test-sanitized.sh PRESET ROOMS JOBS
#
# Builds the tests of a preset with sanitizers, and runs so many at a time. Of the ROOMS "without-torch" only those that
# need no libtorch, of "core" those of core among them, which read what others write: not the search.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
rooms=$2
jobs=$3
targets=()
labels=()
if [ "$rooms" != all ]; then
  targets=("batchpeak_tests_${rooms//-/_}")
  labels=(--label-regex "^$rooms\$")
fi
cmake --preset "$preset"
scripts/build.sh "$preset" "${targets[@]}"
QT_QPA_PLATFORM=offscreen ctest --preset "$preset" --parallel "$jobs" "${labels[@]}"
