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
template<typename Record, typename Take>
void forEachNumber(Record& record, const Take& take)
{
    take("against", record.against);
    take("predicted_fit", record.predictedFit);
    take("warmup_steps", record.warmupSteps);
    take("repetition", record.repetition);
    take("forward_seconds", record.forwardSeconds);
    take("backward_seconds", record.backwardSeconds);
    for (const trial::ReadingField& field : trial::readingFields)
        take(field.name, record.readings.*field.value);
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
