# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts batchpeak_trial.transformers from the folder that this file is in.

Python looks for modules in the folder of the script that it runs; of "python3 -m" it would do so in the folder
that it is started in, which may be that of a hostile config.
"""

import sys

from batchpeak_trial.transformers import main

if __name__ == "__main__":
    sys.exit(main())
