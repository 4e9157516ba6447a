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

# Prints the number of steps, and how many of them compile a file, that no build in this folder has run yet. It does not
# count steps that are out of date; those are few.
new_steps() {
  local log=build/$preset/.ninja_log known=/dev/null
  [ ! -f "$log" ] || known=$log
  ninja -C "build/$preset" -t commands "$@" |
    awk -F '\t' 'part == 1 { if (!($5 in seen)) { seen[$5]; known++; compiled += $4 ~ /\.(o|gch)$/ } next }
                 { all++; compiles += / -o [^ ]*\.(o|gch) -c / }
                 END { all -= known; compiles -= compiled; print (all > 0 ? all : 0), (compiles > 0 ? compiles : 0) }' \
      part=1 "$known" part=2 -
}

# On average, compiling a file takes 10.7 times as long as the small file, on one core: the programs took 560 s for 131
# files, and the tests 900 s for 188, where the small file took 0.42 s.
announce() {
  local steps compiles milliseconds
  read -r steps compiles < <(new_steps "$@")
  if [ "$steps" -gt 40 ]; then
    milliseconds=$((compiles * $(small_file_milliseconds) * 107 / 10 / jobs))
    printf 'build: %s, %s steps, %s at a time: about %s min\n' "$what" "$steps" "$jobs" $(((milliseconds + 59999) / 60000))
  else
    printf 'build: %s, %s at a time\n' "$what" "$jobs"
  fi
}

announce "$@"
began=$SECONDS
NINJA_STATUS='[%f of %t, %p, %e s] ' cmake --build --preset "$preset" --parallel "$jobs" ${*:+--target "$@"}
printf 'build: %s ready in %s\n' "$what" "$(duration $((SECONDS - began)))"
