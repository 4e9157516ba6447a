// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "megatron_settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Rows of the embedding of a Megatron network, which no config states: as many as the tokenizer has tokens,
/// made a multiple of make_vocab_size_divisible_by times tensor_model_parallel_size (vocab_size_with_padding
/// in megatron/core/tokenizers/utils/build_tokenizer.py of Megatron Core 0.20; _vocab_size_with_padding in
/// megatron_base_model.py of NeMo 2.0).
///
/// \param usualTokenizer  of the program where the config names none
/// \param warnings        receives that the tokens of a tokenizer are not known here, so that those of GPT-2
/// stand
///                        in for them
/// \throws ConfigError where a size in it is below 1
std::int64_t megatronVocabulary(const MegatronSettings& settings, const std::string& usualTokenizer,
                                std::vector<Warning>& warnings);

} // namespace batchpeak::config
