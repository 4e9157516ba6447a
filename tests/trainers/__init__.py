# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks other people's trainers what they read from configs that a size was written into."""
