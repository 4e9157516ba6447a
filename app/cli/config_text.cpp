// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_text.h"

#include "located_error.h"
#include "model_text.h"
#include "number_text.h"
#include "parameter_table.h"
#include "text_table.h"

#include <string_view>

namespace batchpeak::cli {

namespace {

using Rows = std::vector<QStringList>;

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Bytes held before the first sample: fp32 parameters, and in training their gradients and the
/// optimizer's state. Under autocast parameters stay fp32.
std::int64_t residentBytes(std::int64_t parameters, model::Phase phase, model::Optimizer optimizer)
{
    constexpr std::int64_t fp32Bytes = 4;
    if (phase == model::Phase::Eval)
        return parameters * fp32Bytes;
    return parameters * fp32Bytes * (2 + model::optimizerStateCopies(optimizer));
}

void addModelRows(Rows& rows, const config::ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec) {
        rows.push_back({QStringLiteral("network"),
                        QString::fromStdString(std::get<config::UnsupportedModel>(contents.model).sentence)});
        return;
    }
    const std::int64_t parameters = model::parameterCount(*spec);
    rows.push_back({QStringLiteral("network"), QString::fromStdString(spec->family)});
    rows.push_back({QStringLiteral("parameters"),
                    parameters > 0 ? groupedText(parameters) : QStringLiteral("counted when loaded")});
    for (const QStringList& row : modelRows(*spec))
        rows.push_back(row);
    if (parameters == 0)
        return;
    if (contents.train) {
        rows.push_back(
            {QStringLiteral("memory, train"),
             QStringLiteral("%1 before the first sample: parameters, gradients, %2 state")
                 .arg(bytesText(residentBytes(parameters, model::Phase::Train, contents.optimizer)),
                      word(model::toText(contents.optimizer)))});
    }
    if (contents.eval) {
        rows.push_back(
            {QStringLiteral("memory, eval"),
             QStringLiteral("%1 before the first sample: parameters")
                 .arg(bytesText(residentBytes(parameters, model::Phase::Eval, contents.optimizer)))});
    }
}

/// The size that the setting fixes; nothing where it is to be found.
std::optional<std::int64_t> settledSize(const config::BatchPlan& plan)
{
    if (const auto* fixed = std::get_if<config::Fixed>(&plan.setting))
        return fixed->microBatchSize;
    if (std::holds_alternative<config::Whole>(plan.setting))
        return plan.perDeviceBatch();
    return std::nullopt;
}

void addPlanRows(Rows& rows, const QString& phase, const config::BatchPlan& plan)
{
    rows.push_back(
        {QStringLiteral("%1 batch").arg(phase),
         QStringLiteral("batch_size %1 on %2 device%3, %4 on each")
             .arg(groupedText(plan.globalBatchSize), groupedText(plan.devices),
                  plan.devices == 1 ? QString() : QStringLiteral("s"), groupedText(plan.perDeviceBatch()))});
    rows.push_back(
        {QStringLiteral("%1 micro-batch").arg(phase),
         QStringLiteral("micro_batch_size: %1").arg(QString::fromStdString(config::toText(plan.setting)))});
    const auto size = settledSize(plan);
    if (!size)
        return;
    rows.push_back(
        {QStringLiteral("%1 accumulation").arg(phase),
         QStringLiteral("%1 steps, of at most %2 samples")
             .arg(groupedText(plan.accumulationSteps(*size)), groupedText(plan.evenMicroBatch(*size)))});
    rows.push_back(
        {QStringLiteral("%1 strict rule").arg(phase),
         plan.dividesExactly(*size)
             ? QStringLiteral("satisfied: batch_size is a multiple of micro_batch_size * num_csx")
             : QStringLiteral("not satisfied: batch_size is no multiple of micro_batch_size * num_csx, "
                              "so samples are spread unevenly")});
}

} // namespace

QStringList contentsLines(const QString& path, const config::ConfigContents& contents)
{
    Rows rows{{QStringLiteral("config"), path},
              {QStringLiteral("format"), QString::fromStdString(contents.formatName)}};
    addModelRows(rows, contents);
    const QString decoder = contents.targetLength
                                ? QStringLiteral(", decoder %1").arg(groupedText(*contents.targetLength))
                                : QString();
    rows.push_back({QStringLiteral("run"),
                    QStringLiteral("%1, %2%3%4")
                        .arg(word(model::toText(contents.precision)), word(model::toText(contents.optimizer)),
                             sequenceLengthText(contents.sequenceLength), decoder)});
    if (contents.train)
        addPlanRows(rows, QStringLiteral("train"), *contents.train);
    if (contents.eval)
        addPlanRows(rows, QStringLiteral("eval"), *contents.eval);
    return alignedLines(rows);
}

QStringList warningLines(const QString& path, const config::ConfigContents& contents)
{
    QStringList lines;
    for (const config::Warning& warning : contents.warnings) {
        lines << engine::located(path, warning.position,
                                 QStringLiteral("warning: ") + QString::fromStdString(warning.sentence));
    }
    return lines;
}

} // namespace batchpeak::cli
