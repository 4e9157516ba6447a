# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our networks beside those of transformers and torchvision: same weights, same batch, same gradients."""

import logging
import os
import warnings

# Read when transformers is imported. Networks are made from their configurations: no hub is to be asked,
# and that they hold no tokens of a vocabulary is no news.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
# It asks for a kernel of inference where it is imported.
logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)
# PEFT warns of what the cases are made of, such as GPT-2's convolutions and embeddings that come apart.
warnings.filterwarnings("ignore", module="peft")
warnings.filterwarnings("ignore", message="`is_gradient_checkpointing`")
