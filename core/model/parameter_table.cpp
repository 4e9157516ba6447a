// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parameter_table.h"

namespace batchpeak::model {

std::vector<Parameter> parameterTable(const ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return parameterTable(architecture); },
                      spec.architecture);
}

std::int64_t parameterCount(const ModelSpec& spec)
{
    std::int64_t count = 0;
    for (const Parameter& parameter : parameterTable(spec))
        count += parameter.elements();
    return count;
}

} // namespace batchpeak::model
