#!/usr/bin/env bash
# Usage: test-kernels.sh BUILD_FOLDER JOBS
#
# Runs the tests of core/network again with the kernels of other processors and with other numbers of threads: ATen and
# oneDNN choose kernels by both, and no test may depend on the choice. ctest has run them once, with the processor's own
# kernels and one thread; each run below has another choice of kernels, and one of them other threads too.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1/tests/network_tests
jobs=$2

# NAME=VALUE...: runs every test file with these variables, several files at a time.
run_with() {
  printf 'test-kernels: %s\n' "$*"
  printf '%s\n' tests/core/network/tst_*.cpp | xargs -P "$jobs" -I{} env OMP_NUM_THREADS=1 "$@" bash -c '
    name=$(basename "$1" .cpp)
    output=$("$0" "$name" -silent 2>&1) || { printf "%s\ntest-kernels: %s failed\n" "$output" "$name"; exit 1; }
  ' "$program" {}
}

run_with ONEDNN_MAX_CPU_ISA=AVX2 OMP_NUM_THREADS=4
run_with ATEN_CPU_CAPABILITY=default
