#!/usr/bin/env bash
# Usage: build.sh PRESET [TARGET...]
#
# Builds targets of a configured preset, all of them without a name. Says at once how much there is to do and about how
# long it will take here, then how far it is, and how long it took.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/duration.sh
preset=$1
shift
# A file with torch headers takes about 1 GB to compile, so not every core may be used everywhere.
jobs=${JOBS:-$(scripts/build-jobs.sh)}
what=${*:-programs and tests}

# Milliseconds that this machine takes to compile a small file: what a step takes is a multiple of it.
small_file_milliseconds() {
  local began=${EPOCHREALTIME/[.,]/}
  printf '#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n' |
    "${CXX:-c++}" -std=c++20 -O2 -x c++ -c -o /dev/null -
  echo $(((${EPOCHREALTIME/[.,]/} - began) / 1000))
}

# Steps that no build in this folder has run yet. Those that are out of date again are few.
new_steps() {
  local all known=0 log=build/$preset/.ninja_log
  all=$(ninja -C "build/$preset" -t commands "$@" | grep -c .)
  [ ! -f "$log" ] || known=$(tail -n +2 "$log" | cut -f 5 | sort -u | wc -l)
  echo $((all > known ? all - known : 0))
}

# A step takes 8.1 times as long in the mean: 534 s on two cores for the 197 steps of the programs, where the small file
# takes .33 s.
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
