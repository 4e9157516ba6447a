#!/usr/bin/env bash
# Usage: test-kernels.sh BUILD JOBS
#
# Runs the tests of core/network with the kernels of other CPUs and with four threads. ATen and oneDNN choose kernels by
# CPU and number of threads, and no test may depend on the choice. ctest runs the same tests with the kernels of this
# CPU and one thread, and BATCHPEAK_EVERY_KERNEL=1 also with those and four threads.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1/tests/network_tests
jobs=$2
failed=0
files=(tests/core/network/tst_*.cpp tests/core/network/{networks,kernels,optimizers}/tst_*.cpp)

# run_with NAME=VALUE... runs the test files with these variables, JOBS files at a time. The files that take longest run
# first; their names come last in the alphabet. Without MKL_DYNAMIC=FALSE, MKL, and libtorch with it, would use no more
# threads than there are cores. Without OMP_WAIT_POLICY=PASSIVE, waiting threads would spin and slow down other tests.
run_with() {
  local start=$SECONDS
  printf '%s\n' "${files[@]}" | sort -r |
    xargs -P "$jobs" -I{} env OMP_NUM_THREADS=1 MKL_DYNAMIC=FALSE OMP_WAIT_POLICY=PASSIVE "$@" bash -c '
      name=$(basename "$1" .cpp)
      output=$("$0" "$name" -silent 2>&1) || { printf "%s\ntest-kernels: %s failed\n" "$output" "$name"; exit 1; }
    ' "$program" {} || failed=1
  printf 'test-kernels: %s: %d s\n' "$*" $((SECONDS - start))
}

run_with ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=default OMP_NUM_THREADS=4
[ -z "${BATCHPEAK_EVERY_KERNEL:-}" ] || run_with OMP_NUM_THREADS=4
# The kernels of Skylake and Cascade Lake use different amounts of memory: run only the tests whose bounds depend on it.
files=(tests/core/network/tst_step_{memory,recovery}.cpp)
run_with ONEDNN_MAX_CPU_ISA=AVX512_CORE
exit "$failed"
