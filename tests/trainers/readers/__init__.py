# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One module for each trainer, for the interpreter that has it: `read` states the batches of a text by its code."""
