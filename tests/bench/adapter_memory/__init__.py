# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later

import os

# The profiler, which counts memory here, complains on every computer without a GPU.
os.environ.setdefault("KINETO_LOG_LEVEL", "5")
