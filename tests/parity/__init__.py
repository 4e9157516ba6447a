# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares our networks with those of transformers and torchvision: same weights, same batch, same gradients."""

import logging
import os
import warnings

# transformers reads these when it is imported. Networks are made from configurations: no hub is needed, and warnings
# about missing tokens are of no use.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
# When imported, it warns that a kernel for inference is missing.
logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)
# PEFT warns about properties that the cases have on purpose, such as GPT-2's convolutions and untied embeddings.
warnings.filterwarnings("ignore", module="peft")
warnings.filterwarnings("ignore", message="`is_gradient_checkpointing`")
