# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# For scripts to source, setup.sh and the bundle's worker among them: which torch lies in a folder.

# torch_version_in FOLDER: prints the version of the torch package in FOLDER, the one with lib/ in it; nothing where
# there is none. It is read, not imported: that takes seconds, and fails where Python's half of torch cannot load.
torch_version_in() {
  if [ -e "$1/include/torch/headeronly/version.h" ]; then
    tr -d '\\\n' <"$1/include/torch/headeronly/version.h" | sed -n 's/.*#define TORCH_VERSION *"\([0-9.]*\).*/\1/p'
  elif [ -e "$1/version.py" ]; then
    sed -n "s/^__version__ *= *['\"]\([0-9.]*\).*/\1/p" "$1/version.py"
  fi
}
