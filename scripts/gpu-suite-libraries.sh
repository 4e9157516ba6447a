# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# To be read by the scripts of the GPU suite, with its folder in $suite: finds torch, that of TORCH_DIR or else of python3,
# for the programs that lie there.
torch=${TORCH_DIR:-$(python3 -c '
import importlib.util
print(importlib.util.find_spec("torch").submodule_search_locations[0])' 2>/dev/null | tail -n 1)}
[ -e "$torch/lib/libtorch_cpu.so" ] || {
  echo "$0: set TORCH_DIR to the folder of a torch package (the one with lib/ in it), or put its python3 first in PATH." >&2
  exit 2
}
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$suite/lib:$torch/lib"
export QT_QPA_PLATFORM=offscreen
