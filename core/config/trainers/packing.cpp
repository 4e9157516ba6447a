// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "packing.h"

#include "unmodeled_features.h"

#include <cstdint>

namespace batchpeak::config {

namespace {

/// Length of texts if only the data determine it: the texts of Alpaca have some hundred tokens, chats some
/// thousand.
constexpr std::int64_t defaultTextTokens = 512;

} // namespace

void packTexts(TextPosition position, std::string_view key, ConfigContents& contents)
{
    contents.step.packedTextLength = defaultTextTokens;
    contents.textLengthIsOpen = true;
    warn(contents.warnings, position,
         "{} packs texts, each of which attends to itself alone, into samples of full length; trials take "
         "texts "
         "of {} tokens. Give the length of yours with --packed-text-length.",
         key, defaultTextTokens);
}

} // namespace batchpeak::config
