// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_details.h"

#include "text/json_fields.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace batchpeak::store {

namespace {

const QLatin1String purposeKey("purpose");

template<typename Fields>
void visitDetails(trial::TrialRecord& record, Fields& fields)
{
    fields.value("against", record.against);
    fields.value("predicted_fit", record.predictedFit);
    fields.value("warmup_steps", record.warmupSteps);
    fields.value("repetition", record.repetition);
    fields.value("forward_seconds", record.forwardSeconds);
    fields.value("backward_seconds", record.backwardSeconds);
    for (const trial::ReadingField& field : trial::readingFields)
        fields.value(field.name, record.readings.*field.value);
}

QJsonObject objectOf(trial::TrialRecord record)
{
    engine::JsonWriter fields;
    visitDetails(record, fields);
    return fields.object();
}

} // namespace

QString detailsOf(const trial::TrialRecord& trial)
{
    QJsonObject object = objectOf(trial);
    const QJsonObject defaults = objectOf({});
    for (const QString& key : defaults.keys()) {
        if (object.value(key) == defaults.value(key))
            object.remove(key);
    }
    if (trial.purpose)
        object.insert(purposeKey, engine::enumText(*trial.purpose));
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

void takeDetails(trial::TrialRecord& trial, const QString& details)
{
    const QJsonObject object = QJsonDocument::fromJson(details.toUtf8()).object();
    engine::JsonReader fields(object);
    visitDetails(trial, fields);
    trial.purpose = engine::enumFromText<trial::Purpose>(object.value(purposeKey).toString());
}

} // namespace batchpeak::store
