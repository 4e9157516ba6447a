#!/usr/bin/env bash
# Usage: test-kernels.sh BUILD_FOLDER JOBS
#
# Runs the tests of core/network again with the kernels of other processors and with other numbers of threads: ATen and
# oneDNN choose kernels by both, and no test may depend on the choice. ctest runs them with the processor's own
# kernels and one thread; each run below has another choice of kernels, or other threads.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1/tests/network_tests
jobs=$2
failed=0
files=(tests/core/network/tst_*.cpp tests/core/network/{networks,kernels,optimizers}/tst_*.cpp)

# NAME=VALUE...: runs the test files with these variables, several files at a time, those that take longest first, which
# are the last of the alphabet. MKL would leave four threads only as many as there are processors, and libtorch with it;
# and threads that wait for each other would spin away the time of other tests.
run_with() {
  local start=$SECONDS
  printf '%s\n' "${files[@]}" | sort -r |
    xargs -P "$jobs" -I{} env OMP_NUM_THREADS=1 MKL_DYNAMIC=FALSE OMP_WAIT_POLICY=PASSIVE "$@" bash -c '
      name=$(basename "$1" .cpp)
      output=$("$0" "$name" -silent 2>&1) || { printf "%s\ntest-kernels: %s failed\n" "$output" "$name"; exit 1; }
    ' "$program" {} || failed=1
  printf 'test-kernels: %s: %d s\n' "$*" $((SECONDS - start))
}

run_with ONEDNN_MAX_CPU_ISA=AVX2 OMP_NUM_THREADS=4
run_with OMP_NUM_THREADS=4
run_with ATEN_CPU_CAPABILITY=default
# As on a Skylake or Cascade Lake, whose kernels take other memory: of those alone whose bounds hang on that.
files=(tests/core/network/tst_step_{memory,recovery}.cpp)
run_with ONEDNN_MAX_CPU_ISA=AVX512_CORE
exit "$failed"
