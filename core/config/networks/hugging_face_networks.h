// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "rotary_decoder_class.h"
#include "syntax/config_section.h"
#include "unmodeled_features.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// What networks of several kinds share in a config.json, and the reader of each kind.
///
/// Statements about transformers here and in the readers hold for transformers 5.23.0.

/// Refuses a network because of a feature, as a noun phrase, that changes its speed or memory and that trials
/// do not support.
/// \throws NotRun always
[[noreturn]] void refuse(const ConfigSection& config, std::string_view key, const std::string& feature);

/// Returns which of two names of one value counts: the later one if it is present, since it is set after the
/// class's own name (attribute_map of PreTrainedConfig, configuration_utils.py).
std::string_view keyThere(const ConfigSection& config, std::string_view own, std::string_view later);

/// Returns the class of the network in transformers, such as "GPT2LMHeadModel"; nothing if the file does not
/// name it.
std::optional<std::string> classOf(const ConfigSection& config);

/// The heads with which trials run a network.
struct KnownHead
{
    /// Suffixes of the class names with that head.
    std::vector<std::string_view> suffixes = {"ForCausalLM"};
    /// The class without a head: "LlamaModel".
    std::string_view alone;
    /// The head as a noun phrase.
    std::string head = "its projection onto the vocabulary";
};

/// Refuses a network that cannot exist.
/// \param headsKey  key of the number of heads, which most problems are of
/// \throws ConfigError
void checkSoundness(const model::DecoderSpec& spec, const ConfigSection& config, std::string_view headsKey);

/// Checks the head of the class. If the class has no head, and so no loss, a warning says what is run
/// instead.
/// \throws NotRun if trials do not run the network with the head of its class
void refuseOtherHead(const ConfigSection& config, const KnownHead& known, std::vector<Warning>& warnings);

/// Returns the activation function for a word of ACT2FN (transformers, activations.py), in a feed-forward
/// layer without and with a gate; nothing for a word that trials do not support.
std::optional<model::Activation> plainActivationOf(std::string_view word);
std::optional<model::Activation> gatedActivationOf(std::string_view word);
/// \throws NotRun if the word is none of them
model::Activation readPlainActivation(const ConfigSection& config, std::string_view key,
                                      std::string_view otherwise);

/// Returns the number of classes of a classifier: the size of id2label, else num_labels, else 2
/// (PreTrainedConfig, configuration_utils.py).
std::int64_t labelsOf(const ConfigSection& config);
/// Returns the key that labelsOf() reads.
std::string_view labelsKey(const ConfigSection& config);

/// Readers of a config.json, one for each kind of network. Absent keys take the defaults of its class in
/// transformers.
///
/// \param warnings  receives what a trial does differently from the network, and with which head a network
///                  without one is run
/// \throws NotRun; also ConfigError if a value is impossible

/// These decoders use key names of their own. GPT-Neo's attention has no scale, which changes only numbers.
model::Architecture readHuggingFaceGpt2(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceGptBigCode(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceBloom(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceGptJ(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceGptNeo(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceFalcon(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceOpt(const ConfigSection& config, std::vector<Warning>& warnings);
/// Reads the first Qwen.
model::Architecture readHuggingFaceQwen(const ConfigSection& config, std::vector<Warning>& warnings);

/// Reads LLaMA or a network derived from it, and other decoders with rotary positions whose keys have the
/// same names. What changes only numbers is ignored: the scaling of rotary positions (rope_scaling), of
/// embeddings and of norms (Gemma), of scores, residuals and logits (Granite, Cohere), which elements of a
/// head are rotated together (Cohere, GLM), and how experts are scored and weighted (norm_topk_prob).
model::Architecture readHuggingFaceRotaryDecoder(const ConfigSection& config, const RotaryDecoderClass& known,
                                                 std::vector<Warning>& warnings);

/// Reads BERT. Its class in transformers ("architectures") decides which heads it has. A classifier of texts
/// is read as the next-sentence head with the classifier's number of classes, without the masked-language
/// head.
model::Architecture readHuggingFaceEncoder(const ConfigSection& config, std::vector<Warning>& warnings);

/// Reads T5 or T5 1.1, whose sizes FLAN-T5 has. If tie_word_embeddings is false, the projection onto the
/// vocabulary has weights of its own, as in the published T5 1.1 and in transformers up to 4; transformers 5
/// ties them anyway (T5Config.__post_init__).
model::Architecture readHuggingFaceEncoderDecoder(const ConfigSection& config,
                                                  std::vector<Warning>& warnings);

/// Reads ViT as a classifier of images.
model::Architecture readHuggingFaceVisionTransformer(const ConfigSection& config,
                                                     std::vector<Warning>& warnings);

} // namespace batchpeak::config
