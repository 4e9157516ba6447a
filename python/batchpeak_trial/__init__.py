# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets Batchpeak find the micro-batch size of your own training script: see serve()."""

from .ranks import Ranks
from .serving import serve

__all__ = ["Ranks", "serve"]
__version__ = "0.1.0"
