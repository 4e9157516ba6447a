// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "growth_function.h"

#include <memory>

namespace batchpeak::training {

/// batch_increase_function as an expression of muParser 2.3: numbers, + - * / % ^, comparisons, && and ||,
/// "condition ? one : other", and muParser's functions, with floor and ceil beside them since the answer has
/// to be whole.
///
/// It knows epoch and current_batch_size alone. Assignments and lists of results are refused, since nothing
/// would come of them.
class ExpressionGrowth final : public GrowthFunction
{
    Q_OBJECT

public:
    /// \throws config::ConfigError  with the column, and what an expression may hold
    explicit ExpressionGrowth(const QString& expression, QObject* parent = nullptr);
    ~ExpressionGrowth() override;

    void ask(std::int64_t epoch, std::int64_t currentBatchSize) override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::training
