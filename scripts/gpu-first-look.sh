#!/bin/sh
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: gpu-first-look.sh [--tiny]
#
# The first ten minutes on a computer with a GPU, from the folder of the GPU suite that it lies in: prints a page, and
# keeps it with all that the programs said in results/first-look/.
set -eu
suite=$(dirname -- "$(readlink -f -- "$0")")
. "$suite/gpu-suite-libraries.sh"
exec python3 "$suite/first_look.py" --suite "$suite" --results "$suite/results/first-look" "$@"
