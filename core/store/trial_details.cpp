// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_details.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <cstdint>
#include <optional>

namespace batchpeak::store {

namespace {

const QLatin1String purposeKey("purpose");

/// Every number of them, with its name.
template<typename Trial, typename Take>
void forEachNumber(Trial& trial, const Take& take)
{
    take("against", trial.against);
    take("predicted_fit", trial.predictedFit);
    take("warmup_steps", trial.warmupSteps);
    take("repetition", trial.repetition);
    take("forward_seconds", trial.forwardSeconds);
    take("backward_seconds", trial.backwardSeconds);
    auto& readings = trial.readings;
    take("processor_share", readings.processorShare);
    take("foreign_processors", readings.foreignProcessors);
    take("minor_page_faults_per_step", readings.minorPageFaultsPerStep);
    take("major_page_faults_per_step", readings.majorPageFaultsPerStep);
    take("energy_joules", readings.energyJoules);
    take("mean_power_watts", readings.meanPowerWatts);
    take("temperature_celsius", readings.temperatureCelsius);
    take("clock_megahertz", readings.clockMegahertz);
}

QJsonValue valueOf(std::int64_t value)
{
    return QJsonValue(static_cast<qint64>(value));
}

QJsonValue valueOf(int value)
{
    return value;
}

QJsonValue valueOf(double value)
{
    return value;
}

QJsonValue valueOf(const std::optional<double>& value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}

void take(const QJsonValue& value, std::int64_t& member)
{
    member = value.toInteger(member);
}

void take(const QJsonValue& value, int& member)
{
    member = value.toInt(member);
}

void take(const QJsonValue& value, double& member)
{
    member = value.toDouble(member);
}

void take(const QJsonValue& value, std::optional<double>& member)
{
    if (value.isDouble())
        member = value.toDouble();
}

} // namespace

QString detailsOf(const trial::TrialRecord& trial)
{
    QJsonObject object;
    const trial::TrialRecord usual;
    QJsonObject usualObject;
    forEachNumber(usual, [&](const char* name, const auto& member) {
        usualObject.insert(QLatin1String(name), valueOf(member));
    });
    forEachNumber(trial, [&](const char* name, const auto& member) {
        const QJsonValue value = valueOf(member);
        if (value != usualObject.value(QLatin1String(name)))
            object.insert(QLatin1String(name), value);
    });
    if (trial.purpose)
        object.insert(purposeKey, QString::fromUtf8(trial::toText(*trial.purpose)));
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

void takeDetails(trial::TrialRecord& trial, const QString& details)
{
    const QJsonObject object = QJsonDocument::fromJson(details.toUtf8()).object();
    forEachNumber(trial, [&](const char* name, auto& member) {
        if (object.contains(QLatin1String(name)))
            take(object.value(QLatin1String(name)), member);
    });
    trial.purpose = trial::fromText<trial::Purpose>(object.value(purposeKey).toString().toStdString());
}

} // namespace batchpeak::store
