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

/// What networks of several kinds have alike in a config.json, and the reader of each kind.
///
/// What is said of transformers here and in the readers holds for transformers 5.23.0.

/// The network has a feature, as a noun phrase, that changes its speed or memory and that trials do not have.
/// \throws NotRun
[[noreturn]] void refuse(const ConfigSection& config, std::string_view key, const std::string& feature);

/// Of two names of one value the one that counts: the later where it is there, which is set after the own one
/// (attribute_map of PreTrainedConfig, configuration_utils.py).
std::string_view keyThere(const ConfigSection& config, std::string_view own, std::string_view later);

/// The class of transformers that the network is an object of, such as "GPT2LMHeadModel"; nothing where the
/// file says none.
std::optional<std::string> classOf(const ConfigSection& config);

/// The heads on top of a network that trials run it with.
struct KnownHead
{
    /// Ends of the names of classes with that head: "ForCausalLM".
    std::vector<std::string_view> suffixes;
    /// The class without a head: "LlamaModel".
    std::string_view alone;
    /// As a noun phrase: "its projection onto the vocabulary".
    std::string head;
};

/// Refuses what no network can be.
/// \param headsKey  key of the number of heads, which most problems are of
/// \throws ConfigError
void checkSoundness(const model::DecoderSpec& spec, const ConfigSection& config, std::string_view headsKey);

inline constexpr std::string_view vocabularyHead = "its projection onto the vocabulary";

/// Where the class has no head, and so nothing to learn by, a warning says what is run.
/// \throws NotRun where trials do not run the network as its class has it
void refuseOtherHead(const ConfigSection& config, const KnownHead& known, std::vector<Warning>& warnings);

/// What a word of ACT2FN stands for (transformers, activations.py), in a feed-forward layer without and with
/// a gate; nothing for one that trials do not have.
std::optional<model::Activation> plainActivationOf(std::string_view word);
std::optional<model::Activation> gatedActivationOf(std::string_view word);
/// \throws NotRun where it is none of them
model::Activation readPlainActivation(const ConfigSection& config, std::string_view key,
                                      std::string_view otherwise);

/// Classes that a classifier tells apart: as many as id2label has, else num_labels, 2 where neither is there
/// (PreTrainedConfig, configuration_utils.py).
std::int64_t labelsOf(const ConfigSection& config);
/// The one of these keys that labelsOf() reads.
std::string_view labelsKey(const ConfigSection& config);

/// Readers of a config.json, a kind of network each. Absent keys take the defaults of its class in
/// transformers.
///
/// \param warnings  receives what a trial does otherwise than the network, and which head a network without
///                  one is run with
/// \throws NotRun, and ConfigError where a value is impossible

/// GPT-2, GPTBigCode and BLOOM have names of their own for their keys.
model::Architecture readHuggingFaceGpt2(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceGptBigCode(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceBloom(const ConfigSection& config, std::vector<Warning>& warnings);

/// LLaMA or a network made after it, and other decoders with rotary positions whose keys have the same names.
/// What changes numbers alone is passed over: the scaling of rotary positions (rope_scaling), of embeddings
/// and of norms (Gemma), of scores, residuals and logits (Granite, Cohere), which elements of a head are
/// rotated together (Cohere, GLM), and how experts are scored and weighed (norm_topk_prob).
model::Architecture readHuggingFaceRotaryDecoder(const ConfigSection& config, const RotaryDecoderClass& known,
                                                 std::vector<Warning>& warnings);

/// GPT-J, GPT-Neo, Falcon, OPT and the first Qwen have names of their own for their keys too. GPT-Neo's
/// attention has no scale, which changes numbers alone.
model::Architecture readHuggingFaceGptJ(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceGptNeo(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceFalcon(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceOpt(const ConfigSection& config, std::vector<Warning>& warnings);
model::Architecture readHuggingFaceQwen(const ConfigSection& config, std::vector<Warning>& warnings);

/// BERT. Its class in transformers ("architectures") decides which heads it has; a classifier of texts is the
/// next-sentence head, of as many classes, without the masked-language head.
model::Architecture readHuggingFaceEncoder(const ConfigSection& config, std::vector<Warning>& warnings);

/// T5 or T5 1.1, of which FLAN-T5 has the sizes. Where tie_word_embeddings is false, the projection onto the
/// vocabulary has weights of its own, as in the published T5 1.1 and in transformers up to 4; transformers 5
/// ties them all the same (T5Config.__post_init__).
model::Architecture readHuggingFaceEncoderDecoder(const ConfigSection& config,
                                                  std::vector<Warning>& warnings);

/// ViT, as a classifier of images.
model::Architecture readHuggingFaceVisionTransformer(const ConfigSection& config,
                                                     std::vector<Warning>& warnings);

} // namespace batchpeak::config
