#!/usr/bin/env bash
# Usage: build.sh PRESET [TARGET...]
#
# Builds targets of a configured preset, all of them without a name. Says how far it is, and how long it took.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/duration.sh
preset=$1
shift
# A file with torch headers takes about 1 GB to compile, so not every core may be used everywhere.
jobs=${JOBS:-$(scripts/build-jobs.sh)}
what=${*:-programs and tests}
printf 'build: %s, %s at a time\n' "$what" "$jobs"
began=$SECONDS
NINJA_STATUS='[%f of %t, %p, %e s] ' cmake --build --preset "$preset" --parallel "$jobs" ${*:+--target "$@"}
printf 'build: %s ready in %s\n' "$what" "$(duration $((SECONDS - began)))"
