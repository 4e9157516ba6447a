#!/bin/sh
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: run-gpu-suite.sh [TEST...]
#
# Runs the programs of the GPU suite that lie beside it, or those named, with the torch of TORCH_DIR or else of
# python3, and prints a line for each; what they said is in results/. Ends with 1 where a test failed.
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
  # Where nothing ran, why; else how many did what.
  summary=$(sed -n 's/^Totals: //p' "$results/$test.txt" 2>/dev/null || true)
  reason=$(grep -A 1 '^SKIP.*initTestCase' "$results/$test.txt" 2>/dev/null | sed -n '1s/^.*initTestCase() //p')
  printf '%-18s %s%s\n' "$test" "${summary:-did not run to its end}" "${reason:+ (skipped: $reason)}"
  grep -E '^(FAIL|XPASS)' "$results/$test.txt" 2>/dev/null || true
done
exit $failed
