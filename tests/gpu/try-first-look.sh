#!/bin/sh
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: try-first-look.sh BUILD SUITE
#
# Makes the GPU suite of the build folder BUILD in the folder SUITE and runs its gpu-first-look.sh there, without the
# test programs, which ctest runs separately. Exits with 1 if a part failed.
set -eu
scripts=$(dirname -- "$(readlink -f -- "$0")")/../../scripts
"$scripts/make-gpu-suite.sh" "$1" "$2"
exec "$2/gpu-first-look.sh" --tiny --without-suite
