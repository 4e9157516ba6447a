# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the scripts of the GPU suite, with the suite's folder in $suite: finds torch for its programs, in TORCH_DIR
# or else with python3.
torch=${TORCH_DIR:-$(python3 -c '
import importlib.util
print(importlib.util.find_spec("torch").submodule_search_locations[0])' 2>/dev/null | tail -n 1)}
[ -e "$torch/lib/libtorch_cpu.so" ] || {
  echo "$0: set TORCH_DIR to the folder of a torch package (the one that contains lib/), or put its python3 first in PATH." >&2
  exit 2
}
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$suite/lib:$torch/lib"
export QT_QPA_PLATFORM=offscreen
