#!/usr/bin/env bash
# Prints how many compile jobs this machine can run: one per core, and at least 1.5 GiB of memory
# for each, since a file with torch headers needs about 1 GiB.
set -euo pipefail
cores=$(nproc)
byMemory=$(awk '/MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo)
jobs=$(( cores < byMemory ? cores : byMemory ))
echo $(( jobs > 0 ? jobs : 1 ))
