#!/usr/bin/env bash
# Usage: build.sh PRESET [TARGET...]
#
# Builds the targets of a configured preset; without a TARGET, all of them. Prints first the number of steps and an
# estimate of the time, then the progress, and finally the time that it took.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/duration.sh
preset=$1
shift
# Memory may not allow one job per core: compiling a file with torch headers takes about 1 GB.
jobs=${JOBS:-$(scripts/build-jobs.sh)}
what=${*:-programs and tests}

# Prints the milliseconds that this machine takes to compile a small file. The estimate of a step is a multiple of it.
small_file_milliseconds() {
  local began=${EPOCHREALTIME/[.,]/}
  printf '#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n' |
    "${CXX:-c++}" -std=c++20 -O2 -x c++ -c -o /dev/null -
  echo $(((${EPOCHREALTIME/[.,]/} - began) / 1000))
}

# Prints the number of steps that no build in this folder has run yet. It does not count steps that are out of date;
# those are few.
new_steps() {
  local all known=0 log=build/$preset/.ninja_log
  all=$(ninja -C "build/$preset" -t commands "$@" | grep -c .)
  [ ! -f "$log" ] || known=$(tail -n +2 "$log" | cut -f 5 | sort -u | wc -l)
  echo $((all > known ? all - known : 0))
}

# On average, a step takes 8.1 times as long as the small file: the 197 steps of the programs took 534 s on two cores,
# where the small file took 0.33 s.
announce() {
  local steps milliseconds
  steps=$(new_steps "$@")
  if [ "$steps" -gt 40 ]; then
    milliseconds=$((steps * $(small_file_milliseconds) * 81 / 10 / jobs))
    printf 'build: %s, %s steps, %s at a time: about %s min\n' "$what" "$steps" "$jobs" $(((milliseconds + 59999) / 60000))
  else
    printf 'build: %s, %s at a time\n' "$what" "$jobs"
  fi
}

announce "$@"
began=$SECONDS
NINJA_STATUS='[%f of %t, %p, %e s] ' cmake --build --preset "$preset" --parallel "$jobs" ${*:+--target "$@"}
printf 'build: %s ready in %s\n' "$what" "$(duration $((SECONDS - began)))"
