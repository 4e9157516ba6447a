// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"
#include "network/safetensors_header.h"

#include <stdexcept>

namespace batchpeak::fuzz {

void run(std::string_view text)
{
    constexpr std::int64_t dataBytes = 64;
    try {
        const network::SafetensorsHeader header = network::safetensorsHeaderFrom(text, dataBytes);
        for (const auto& [name, entry] : header.tensors)
            require(0 <= entry.begin && entry.begin <= entry.end && entry.end <= dataBytes,
                    "a tensor lies in its file", name);
        const std::string written = toText(header);
        const network::SafetensorsHeader again = network::safetensorsHeaderFrom(written, dataBytes);
        require(again.tensors == header.tensors && again.metadata == header.metadata,
                "what is written is read as the same", written);
    } catch (const std::invalid_argument& error) {
        require(*error.what() != 0, "a refusal has a reason");
    }
}

} // namespace batchpeak::fuzz
