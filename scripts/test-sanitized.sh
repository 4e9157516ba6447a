#!/usr/bin/env bash
# Usage: test-sanitized.sh PRESET ROOMS JOBS
#
# Builds the tests of a preset with sanitizers, and runs JOBS at a time. ROOMS is "all"; "without-torch", the tests that
# need no libtorch; or "core", those of core among them, except those that compute for minutes.
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
