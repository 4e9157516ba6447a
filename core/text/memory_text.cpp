// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_text.h"

#include "translated.h"

namespace batchpeak::engine {

std::vector<MemoryPart> memoryParts(const model::StepMemory& memory)
{
    using Kind = MemoryPart::Kind;
    const double split = memory.parameterBytes + memory.gradientBytes + memory.optimizerBytes;
    std::vector<MemoryPart> parts{
        {.kind = Kind::Weights, .name = Translated::tr("weights"), .bytes = memory.parameterBytes},
        {.kind = Kind::Gradients, .name = Translated::tr("gradients"), .bytes = memory.gradientBytes},
        {.kind = Kind::Optimizer, .name = Translated::tr("optimizer"), .bytes = memory.optimizerBytes},
        {.kind = Kind::Copies, .name = Translated::tr("copies"), .bytes = memory.constantBytes - split}};
    std::erase_if(parts, [](const MemoryPart& part) { return part.bytes < 1.0; });
    return parts;
}

} // namespace batchpeak::engine
