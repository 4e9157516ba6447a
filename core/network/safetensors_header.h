// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::network {

/// The header of a safetensors file (huggingface/safetensors, README.md, "Format"): JSON that says where each
/// tensor lies. The tensors themselves are not part of it.
struct SafetensorsHeader
{
    struct Entry
    {
        /// "F32", "BF16", "I64", ...
        std::string type;
        std::vector<std::int64_t> shape;
        /// Range of its bytes, counted from the end of the header.
        std::int64_t begin = 0;
        std::int64_t end = 0;

        bool operator==(const Entry&) const = default;
    };

    std::map<std::string, Entry> tensors;
    /// "__metadata__"
    std::map<std::string, std::string> metadata;
};

/// Returns the header as JSON, padded with spaces to a multiple of 8 bytes, so that the tensors are aligned.
std::string toText(const SafetensorsHeader& header);

/// \param dataBytes  number of bytes after the header
/// \throws std::invalid_argument  if the header is invalid; the message is the rest of a sentence: "has a
///         header that is no JSON object"
SafetensorsHeader safetensorsHeaderFrom(std::string_view text, std::int64_t dataBytes);

} // namespace batchpeak::network
