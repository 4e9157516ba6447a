# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One module for each trainer, which runs in the trainer's environment. `read` returns the batches of a text
according to the trainer's code."""
