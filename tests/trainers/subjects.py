# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainers that are asked, and those that cannot be asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Subject:
    name: str
    # Batchpeak's name of the config format.
    format: str
    # Module of `readers`.
    reader: str
    # Folder of .venv-trainers, and suffix of the requirements file.
    environment: str
    # Package on PyPI, whose version is printed.
    package: str


SUBJECTS = (
    Subject("transformers", "Hugging Face TrainingArguments", "transformers", "transformers", "transformers"),
    Subject("TRL", "Hugging Face TrainingArguments", "trl", "trl", "trl"),
    Subject("LLaMA-Factory", "LLaMA-Factory", "llama_factory", "llama-factory", "llamafactory"),
    Subject("LLaMA-Factory v1", "LLaMA-Factory v1", "llama_factory_v1", "llama-factory", "llamafactory"),
    Subject("torchtune", "torchtune", "torchtune", "torchtune", "torchtune"),
    Subject("axolotl", "axolotl", "axolotl", "axolotl", "axolotl"),
    Subject("DeepSpeed", "DeepSpeed", "deepspeed", "deepspeed", "deepspeed"),
    Subject("LLM-Foundry, Composer", "LLM-Foundry", "llm_foundry", "llm-foundry", "llm-foundry"),
    Subject("Megatron-LM", "Megatron-LM launch script", "megatron", "megatron", "megatron-core"),
    Subject("NeMo", "NeMo", "nemo", "nemo", "nemo-toolkit"),
)

ABSENT = {
    "Cerebras ModelZoo": (
        "pip install cerebras-modelzoo: No matching distribution found for cerebras-modelzoo (PyPI has the runtime "
        "under it, cerebras-pytorch, which reads no configs)"
    ),
}
