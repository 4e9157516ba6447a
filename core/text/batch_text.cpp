// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_text.h"

#include "model/parameter_table.h"
#include "translated.h"
#include "tuning_text.h"

#include <variant>

namespace batchpeak::engine {

namespace {

/// Returns an entry of a config, or an argument of a launch script.
QString entry(const std::string& key, const QString& value)
{
    const bool isArgument = key.starts_with('-');
    return QString::fromStdString(key) + QLatin1String(isArgument ? " " : ": ") + value;
}

} // namespace

QString networkText(const model::ModelSpec& spec, const model::Tuning& tuning)
{
    const QString family = QString::fromStdString(model::nameOf(spec));
    if (std::holds_alternative<model::ScriptSpec>(spec.architecture))
        return Translated::tr("%1, a module whose parameters are counted when it is loaded").arg(family);
    if (model::needsPython(spec))
        return Translated::tr("%1, a network of transformers whose parameters are counted when it is loaded")
            .arg(family);
    const model::ParameterCounts counts = model::parameterCounts(spec, tuning);
    const QString parameters = parametersText(counts.all(), counts.frozen);
    return (counts.frozen > 0 ? Translated::tr("%1, %2") : Translated::tr("%1 with %2"))
        .arg(family, parameters);
}

QString sizeText(const config::BatchPlan& plan, std::int64_t microBatchSize)
{
    return entry(plan.microBatchKey, QString::number(microBatchSize));
}

QString settingText(const config::BatchPlan& plan)
{
    const bool asksForASearch = plan.explores() || std::holds_alternative<config::Auto>(plan.setting);
    if (!plan.presentSize || !asksForASearch)
        return entry(plan.microBatchKey, QString::fromStdString(config::toText(plan.setting)));
    return Translated::tr("%1 now").arg(sizeText(plan, *plan.presentSize));
}

bool hasMicroBatches(const config::BatchPlan& plan)
{
    return plan.microBatchKey != plan.globalBatchKey;
}

QStringList spreadOverDevices(const config::BatchPlan& plan)
{
    if (plan.globalBatchSize % plan.devices == 0)
        return {};
    return {Translated::tr("%1 samples are split unevenly over %2 devices, with at most %3 on one device. "
                           "The global batch size does not change.")
                .arg(plan.globalBatchSize)
                .arg(plan.devices)
                .arg(plan.perDeviceBatch())};
}

} // namespace batchpeak::engine
