#!/bin/sh
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: gpu-first-look.sh [--tiny]
#
# Checks the essentials on a computer with a GPU in ten minutes, with the programs of the GPU suite in its own folder.
# Prints a report, and saves it with the output of the programs in results/first-look/.
set -eu
suite=$(dirname -- "$(readlink -f -- "$0")")
. "$suite/gpu-suite-libraries.sh"
exec python3 "$suite/first_look.py" --suite "$suite" --results "$suite/results/first-look" "$@"
