// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_settings_text.h"

namespace batchpeak::cli {

std::vector<QStringList> trainingSettingsRows(const config::TrainingSettings& settings)
{
    std::vector<QStringList> rows;
    const auto add = [&rows](const QString& name, const QString& text) { rows.push_back({name, text}); };
    if (settings.learningRate)
        add(QStringLiteral("learning rate"), QString::number(*settings.learningRate));
    if (settings.weighsTokens) {
        add(QStringLiteral("micro-batches weigh"), *settings.weighsTokens
                                                       ? QStringLiteral("by tokens that the loss counts")
                                                       : QStringLiteral("by samples"));
    }
    if (settings.accumulates == false)
        add(QStringLiteral("accumulation"), QStringLiteral("off: the whole batch at once"));
    if (settings.halvesAutomatically)
        add(QStringLiteral("size in training"), QStringLiteral("smaller whenever memory runs out"));
    if (settings.usesMaximumBatchSize)
        add(QStringLiteral("size in training"), QStringLiteral("the largest that fits, found first"));
    if (!settings.batchIncreaseFunction.empty())
        add(QStringLiteral("batch grows by"), QString::fromStdString(settings.batchIncreaseFunction));
    return rows;
}

} // namespace batchpeak::cli
