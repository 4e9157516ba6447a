# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other people's trainers, asked what they read of configs that a size was written into."""
