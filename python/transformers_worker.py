# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts batchpeak_trial.transformers from the folder of this file.

Python looks for modules in the folder of the script that it runs. With "python3 -m" it would look in the working
directory, which may contain a hostile config.
"""

import sys

from batchpeak_trial.transformers import main

if __name__ == "__main__":
    sys.exit(main())
