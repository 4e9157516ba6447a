#!/bin/sh
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: run-gpu-suite.sh [TEST...]
#
# Runs the test programs of the GPU suite in its own folder, or the TESTs, with the torch of TORCH_DIR or else of
# python3. Prints a line for each program; their output is in results/. Exits with 1 if a test failed.
set -eu
suite=$(dirname -- "$(readlink -f -- "$0")")
. "$suite/gpu-suite-libraries.sh"
results=$suite/results
mkdir -p "$results"

cd "$suite"
[ $# -gt 0 ] || set -- tst_gpu_*
failed=0
for test in "$@"; do
  "./$test" -o "$results/$test.txt,txt" || failed=1
  # The totals of the program, and the reason if it skipped all its tests.
  summary=$(sed -n 's/^Totals: //p' "$results/$test.txt" 2>/dev/null || true)
  reason=$(grep -A 1 '^SKIP.*initTestCase' "$results/$test.txt" 2>/dev/null | sed -n '1s/^.*initTestCase() //p')
  printf '%-18s %s%s\n' "$test" "${summary:-did not run to its end}" "${reason:+ (skipped: $reason)}"
  grep -E '^(FAIL|XPASS)' "$results/$test.txt" 2>/dev/null || true
done
exit $failed
