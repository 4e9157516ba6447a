# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks that a config.json of transformers describes, with random weights.

The installed transformers decides which class a network has and which inputs it takes. No code from a hub is
run, even if there is an auto_map, and nothing is downloaded."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import dataclass

from . import host_memory
from .failures import is_of_memory
from .requirements import line_for
from .serving import Refusal

# Keys of checkpoints rather than of networks, and keys that would download something. The load message sets the
# precision.
_LEFT_OUT = {
    *("auto_map", "_name_or_path", "name_or_path", "trust_remote_code", "use_pretrained_backbone"),
    *("quantization_config", "compression_config", "dtype", "torch_dtype", "use_cache"),
    *("attn_implementation", "_attn_implementation", "_attn_implementation_internal"),
    *("experts_implementation", "_experts_implementation", "_experts_implementation_internal"),
}
# Largest values of keys for which a class makes that many modules or table entries: more would take hours or all
# of the memory.
_MOST = (
    (re.compile(r"(layers?|depths?|blocks?|stages?)$"), 1 << 12),
    (re.compile(r"experts|(heads?|groups?|codebooks?)$"), 1 << 16),
    (re.compile(r"num_(labels|classes)$"), 1 << 20),
    (re.compile(r"size|dim|hidden|embd|d_model|d_ff|inner|width"), 1 << 31),
)
# transformers writes numbers with this key if JSON cannot represent them.
_FLOAT = "__float__"
_LONGEST_LIST = 1 << 14
# Limit for tables of numbers that classes make before any parameter is allocated.
_MEMORY_FOR_DESCRIBING = 4 << 30

CAUSAL, MASKED, TRANSLATED = "causal", "masked", "sequence to sequence"
TEXT_CLASSES, TOKEN_CLASSES, SPANS, IMAGE_CLASSES = "text classes", "token classes", "spans", "image classes"
# Order in which a class is searched if transformers has none of the architectures that the config names.
_TASKS = (
    ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", CAUSAL),
    ("MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES", CAUSAL),
    ("MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES", CAUSAL),
    ("MODEL_FOR_VISION_2_SEQ_MAPPING_NAMES", CAUSAL),
    ("MODEL_FOR_MASKED_LM_MAPPING_NAMES", MASKED),
    ("MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES", TRANSLATED),
    ("MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES", TEXT_CLASSES),
    ("MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES", IMAGE_CLASSES),
    ("MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES", TOKEN_CLASSES),
    ("MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES", SPANS),
)
_TRANSLATED_FIRST = sorted(_TASKS, key=lambda task: task[1] != TRANSLATED)
_SUFFIXES = (
    ("ForCausalLM", CAUSAL),
    ("LMHeadModel", CAUSAL),
    ("ForMaskedLM", MASKED),
    ("ForSequenceClassification", TEXT_CLASSES),
    ("ForTokenClassification", TOKEN_CLASSES),
    ("ForQuestionAnswering", SPANS),
    ("ForImageClassification", IMAGE_CLASSES),
    ("ForConditionalGeneration", CAUSAL),
)


@dataclass(frozen=True)
class ConfiguredNetwork:
    """A configuration of transformers, the class to make from it, and the task that the class is trained for."""

    config: object
    network_class: type
    task: str

    @property
    def name(self) -> str:
        return self.network_class.__name__

    @property
    def text_config(self):
        return self.config.get_text_config()

    def takes(self, name: str) -> bool:
        return name in inspect.signature(self.network_class.forward).parameters

    def build(self, attention: str | None = None):
        """Returns a module on torch's default device, with torch's default dtype.

        Raises Refusal."""
        options = {"attn_implementation": attention} if attention else {}
        try:
            return self.network_class._from_config(self.config, **options)
        except Exception as error:  # each class checks its keys in its own way
            if is_of_memory(error):
                raise
            raise _unmade(self.name, error) from error

    def approximations(self) -> list[str]:
        """Returns which inputs of the network its samples lack."""
        kinds = (
            ("images", ("vision_config", "vision_tower_config")),
            ("sound", ("audio_config", "audio_encoder_config")),
        )
        if self.task == IMAGE_CLASSES:
            return []
        return [
            "no %s in the samples" % kind
            for kind, names in kinds
            if any(getattr(self.config, name, None) is not None for name in names)
        ]


def described(model: dict, preference: str = "") -> ConfiguredNetwork:
    """Returns the network of a model whose "config" is the text of a config.json. With the preference "reward",
    its class computes one score for a text.

    Raises Refusal."""
    with host_memory.DataLimit(_MEMORY_FOR_DESCRIBING):
        config = _config_of(_fields_of(model.get("config")))
        if preference == "reward":
            return _reward_network(config)
        network = _network_of(config)
    if preference and network.task != CAUSAL:
        text = "Preference training needs a decoder that generates text, which transformers' %s is not."
        raise Refusal(text % network.name)
    return network


def reward_class_of(config) -> type | None:
    """Returns transformers' class that computes one score for a text, for a configuration."""
    return _class_of(config, "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES")


def count_parameters(network: ConfiguredNetwork) -> int:
    """Counts parameters without allocating them; returns 0 if the class cannot be made on the meta device.

    Raises Refusal."""
    import torch

    try:
        with torch.device("meta"), host_memory.DataLimit(_MEMORY_FOR_DESCRIBING):
            module = network.network_class._from_config(network.config)
    except NotImplementedError:
        return 0
    except Exception as error:  # each class checks its keys in its own way
        # Some classes read a value from a tensor in their constructor.
        if "meta" in str(error):
            return 0
        raise _unmade(network.name, error) from error
    return sum(parameter.numel() for parameter in module.parameters())


def one_line(error: BaseException) -> str:
    """Returns the type of an error and the beginning of its message in one line, for use in a sentence."""
    said = " ".join(str(error).split())
    said = said if len(said) <= 300 else said[:300] + "..."
    return "%s: %s" % (type(error).__name__, said.rstrip(".")) if said else type(error).__name__


def _unmade(name: str, error: BaseException) -> Refusal:
    if isinstance(error, ImportError):
        text = "transformers' %s needs a library that is missing in this Python (%s). Install %s."
        line = "it: " + line_for(error.name) if error.name else "what it names"
        return Refusal(text % (name, one_line(error), line))
    text = "transformers makes no %s of this config (%s). Correct the config, or update transformers."
    return Refusal(text % (name, one_line(error)))


def _fields_of(text) -> dict:
    if not isinstance(text, str) or not text.strip():
        raise Refusal("A network of transformers needs the text of its config.json as config.")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refusal("The network's config is no JSON (%s)." % one_line(error)) from error
    if not isinstance(fields, dict):
        raise Refusal("The network's config is no JSON object.")
    kind = fields.get("model_type")
    if not isinstance(kind, str) or not kind:
        text = "The network's config has no model_type. Take the config.json of its checkpoint as it is."
        raise Refusal(text)
    _check_sizes(fields, "")
    try:
        return _kept(fields)
    except (TypeError, ValueError) as error:
        raise _unmade(kind, error) from error


def _check_sizes(value, name: str) -> None:
    """Raises Refusal for values with which a class could compute for hours before it reports an error."""
    if isinstance(value, dict):
        for key, part in value.items():
            _check_sizes(part, key)
    elif isinstance(value, list):
        if len(value) > _LONGEST_LIST:
            raise Refusal("The network's config has %d values in %.40r." % (len(value), name))
        for part in value:
            _check_sizes(part, name)
    elif type(value) is int:
        most = next((most for pattern, most in _MOST if pattern.search(name)), 1 << 62)
        if not -most <= value <= most:
            text = "The network's config has a %.40s beyond %d, which is too large to build."
            raise Refusal(text % (name, most))


def _kept(value):
    if isinstance(value, list):
        return [_kept(part) for part in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_FLOAT}:
        return float(value[_FLOAT])
    return {key: _kept(part) for key, part in value.items() if key not in _LEFT_OUT}


def _config_of(fields: dict):
    import transformers

    kind = fields["model_type"]
    if kind not in transformers.CONFIG_MAPPING:
        text = "transformers %s has no model_type %s; code that comes with a checkpoint (auto_map) is not run. "
        text += "To update it: %s"
        line = line_for("transformers", updates=True)
        raise Refusal(text % (transformers.__version__, json.dumps(kind[:80]), line))
    try:
        return transformers.CONFIG_MAPPING[kind].from_dict(fields)
    except Exception as error:  # each class checks its keys in its own way
        raise _unmade(kind, error) from error


def _network_of(config) -> ConfiguredNetwork:
    named = _named_class(config)
    if named:
        return _made(config, named, _task_of(named))
    for mapping, task in _TRANSLATED_FIRST if _is_translator(config) else _TASKS:
        found = _class_of(config, mapping)
        if found and _has_loss(found):
            return _made(config, found, task)
    text = "transformers has no class of the model_type %s that computes a loss of texts or of images."
    raise Refusal(text % json.dumps(config.model_type))


def _made(config, network_class: type, task: str) -> ConfiguredNetwork:
    if network_class.config_class is getattr(config, "sub_configs", {}).get("text_config"):
        config = config.get_text_config()
    network = ConfiguredNetwork(config, network_class, task)
    if task == CAUSAL and _is_translator(config) and network.takes("decoder_input_ids"):
        task = TRANSLATED
        network = ConfiguredNetwork(config, network_class, task)
    main = "pixel_values" if task == IMAGE_CLASSES else "input_ids"
    if not network.takes(main):
        text = "transformers' %s takes %s, for which Batchpeak makes no samples."
        raise Refusal(text % (network.name, network_class.main_input_name))
    if task == TEXT_CLASSES and network.text_config.pad_token_id is None:
        # These classes find the end of a text by the padding after it.
        network.text_config.pad_token_id = 0
    if task == TRANSLATED:
        _complete_start(config)
    return network


def _complete_start(config) -> None:
    """Sets the start tokens of decoders, which some configs lack. Their values do not change the speed."""
    for name in ("pad_token_id", "decoder_start_token_id"):
        if getattr(config, name, None) is None:
            setattr(config, name, 0)


def _reward_network(config) -> ConfiguredNetwork:
    found = reward_class_of(config)
    if not found:
        text = "transformers has no class of the model_type %s that computes one score for a text."
        raise Refusal(text % json.dumps(config.model_type))
    network = _made(config, found, TEXT_CLASSES)
    network.config.num_labels = 1
    return network


def _is_translator(config) -> bool:
    return bool(getattr(config, "is_encoder_decoder", False))


def _named_class(config) -> type | None:
    """Returns the class of the first architecture if transformers has it, it belongs to this configuration, and
    it computes a loss."""
    import transformers

    names = getattr(config, "architectures", None)
    name = names[0] if isinstance(names, (list, tuple)) and names else None
    found = getattr(transformers, name, None) if isinstance(name, str) and name.isidentifier() else None
    if not isinstance(found, type) or not issubclass(found, transformers.PreTrainedModel):
        return None
    fitting = (type(config), getattr(config, "sub_configs", {}).get("text_config"))
    return found if getattr(found, "config_class", None) in fitting and _has_loss(found) else None


def _class_of(config, mapping: str) -> type | None:
    import transformers
    from transformers.models.auto import modeling_auto

    names = getattr(modeling_auto, mapping, {})
    found = names.get(config.model_type)
    found = found[0] if isinstance(found, (list, tuple)) else found
    made = getattr(transformers, found, None) if found else None
    return made if isinstance(made, type) and issubclass(made, transformers.PreTrainedModel) else None


def _has_loss(network_class: type) -> bool:
    taken = inspect.signature(network_class.forward).parameters
    return "labels" in taken or "start_positions" in taken


def _task_of(network_class: type) -> str:
    from transformers.models.auto import modeling_auto

    name = network_class.__name__
    for mapping, task in _TRANSLATED_FIRST:
        for names in getattr(modeling_auto, mapping, {}).values():
            if name == names or (isinstance(names, (list, tuple)) and name in names):
                return task
    task = next((task for suffix, task in _SUFFIXES if name.endswith(suffix)), None)
    if task is None:
        text = "The task of transformers' %s is unknown to Batchpeak; name another of its architectures."
        raise Refusal(text % name)
    return task
