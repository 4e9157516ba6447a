# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later

import os

# The profiler, which measures memory here, warns on every computer without a GPU.
os.environ.setdefault("KINETO_LOG_LEVEL", "5")
