// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "wishes_text.h"

namespace batchpeak::cli {

std::vector<QStringList> wishesRows(const config::TrainingWishes& wishes)
{
    std::vector<QStringList> rows;
    const auto add = [&rows](const QString& name, const QString& text) { rows.push_back({name, text}); };
    if (wishes.learningRate)
        add(QStringLiteral("learning rate"), QString::number(*wishes.learningRate));
    if (wishes.weighsTokens) {
        add(QStringLiteral("micro-batches weigh"), *wishes.weighsTokens
                                                       ? QStringLiteral("by tokens that the loss counts")
                                                       : QStringLiteral("by samples"));
    }
    if (wishes.accumulates == false)
        add(QStringLiteral("accumulation"), QStringLiteral("off: the whole batch at once"));
    if (wishes.halvesAutomatically)
        add(QStringLiteral("size in training"), QStringLiteral("smaller whenever memory runs out"));
    if (wishes.usesMaximumBatchSize)
        add(QStringLiteral("size in training"), QStringLiteral("the largest that fits, found first"));
    if (!wishes.batchIncreaseFunction.empty())
        add(QStringLiteral("batch grows by"), QString::fromStdString(wishes.batchIncreaseFunction));
    return rows;
}

} // namespace batchpeak::cli
