#!/usr/bin/env bash
# Prints how many compile jobs this machine can run in parallel: one per core, if each has at least 1.5 GiB of memory.
# A file with torch headers needs about 1 GiB.
set -euo pipefail
cores=$(nproc)
byMemory=$(awk '/MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo)
jobs=$(( cores < byMemory ? cores : byMemory ))
echo $(( jobs > 0 ? jobs : 1 ))
