# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by scripts, such as setup.sh and the start script of the bundle's worker: finds the version of torch.

# torch_version_in FOLDER prints the version of the torch package in FOLDER, the one that contains lib/, or nothing if
# there is none. It reads the version instead of importing torch: an import takes seconds, and fails if torch's Python
# part cannot be loaded.
torch_version_in() {
  if [ -e "$1/include/torch/headeronly/version.h" ]; then
    tr -d '\\\n' <"$1/include/torch/headeronly/version.h" | sed -n 's/.*#define TORCH_VERSION *"\([0-9.]*\).*/\1/p'
  elif [ -e "$1/version.py" ]; then
    sed -n "s/^__version__ *= *['\"]\([0-9.]*\).*/\1/p" "$1/version.py"
  fi
}
