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
    Subject("torchtitan", "torchtitan", "torchtitan", "torchtitan", "torchtitan"),
    Subject("LitGPT", "LitGPT", "litgpt", "litgpt", "litgpt"),
    Subject("nanotron", "nanotron", "nanotron", "nanotron", "nanotron"),
    Subject("OLMo", "OLMo", "olmo", "olmo", "ai2-olmo"),
    Subject("ms-swift", "ms-swift", "ms_swift", "ms-swift", "ms-swift"),
    Subject("ms-swift Megatron", "ms-swift Megatron", "ms_swift_megatron", "ms-swift", "ms-swift"),
    Subject("verl SFT", "verl SFT script", "verl_sft", "verl", "verl"),
    Subject("OpenRLHF SFT", "OpenRLHF SFT script", "openrlhf", "openrlhf", "openrlhf"),
    Subject("OpenRLHF SFT, flat options", "OpenRLHF SFT script", "openrlhf", "openrlhf-flat", "openrlhf"),
    Subject("NeMo", "NeMo", "nemo", "nemo", "nemo-toolkit"),
)

ABSENT = {
    "Cerebras ModelZoo": (
        "pip install cerebras-modelzoo: No matching distribution found for cerebras-modelzoo (PyPI has the runtime "
        "under it, cerebras-pytorch, which reads no configs)"
    ),
    "GPT-NeoX": (
        "pip install gpt-neox: No matching distribution found for gpt-neox (its package is named megatron, which is "
        "another program on PyPI)"
    ),
    "ModernBERT, MosaicBERT": (
        "pip install modernbert: No matching distribution found for modernbert (the same for mosaicbert; "
        "only their repositories have the main.py that reads configs)"
    ),
}
