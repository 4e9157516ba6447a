// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "growth_function.h"

#include "expression_growth.h"
#include "python_growth.h"

namespace batchpeak::training {

std::unique_ptr<GrowthFunction> makeGrowthFunction(const QString& text, std::chrono::milliseconds timeout)
{
    const QString trimmed = text.trimmed();
    if (trimmed.endsWith(QLatin1String(".py")))
        return std::make_unique<PythonGrowth>(trimmed, timeout);
    return std::make_unique<ExpressionGrowth>(trimmed);
}

} // namespace batchpeak::training
