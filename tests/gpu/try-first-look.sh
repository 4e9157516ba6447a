#!/bin/sh
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: try-first-look.sh BUILD SUITE
#
# Packs the GPU suite of a build folder into the folder SUITE and takes the first look from there, without its tests,
# which ctest runs apart. Ends with 1 where a part of it failed.
set -eu
scripts=$(dirname -- "$(readlink -f -- "$0")")/../../scripts
"$scripts/make-gpu-suite.sh" "$1" "$2"
exec "$2/gpu-first-look.sh" --tiny --without-suite
