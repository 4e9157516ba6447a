// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_fingerprint.h"

#include "trial/protocol.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>

namespace batchpeak::training {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::training::TrainingFingerprint)
};

using Entries = QMap<QString, QString>;

/// The fields of a message, those of objects within it as "model.layers"; no field of a request can be
/// forgotten so.
void addFields(const QString& prefix, const QJsonObject& object, Entries& entries)
{
    for (auto field = object.begin(); field != object.end(); ++field) {
        const QString key = prefix + field.key();
        if (field->isObject())
            addFields(key + QLatin1Char('.'), field->toObject(), entries);
        else
            entries.insert(
                key,
                QString::fromUtf8(
                    QJsonDocument(QJsonObject{{QStringLiteral("v"), *field}}).toJson(QJsonDocument::Compact))
                    .mid(5)
                    .chopped(1));
    }
}

void addMessage(const trial::ParentMessage& message, Entries& entries)
{
    addFields({}, QJsonDocument::fromJson(QByteArray::fromStdString(trial::toLine(message))).object(),
              entries);
}

Entries entriesOf(const QString& fingerprint)
{
    Entries entries;
    for (const QString& line : fingerprint.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        entries.insert(line.section(QLatin1String(": "), 0, 0), line.section(QLatin1String(": "), 1));
    return entries;
}

} // namespace

QString fingerprintOf(const TrainingPlan& plan)
{
    Entries entries;
    trial::TrainingRequest request = plan.request;
    request.checkpoint.clear();
    addMessage(plan.load, entries);
    addMessage(request, entries);
    for (const char* key : {"type", "checkpoint", "memory_limit_bytes"})
        entries.remove(QLatin1String(key));
    entries.insert(QStringLiteral("batch_size"), QString::number(plan.description.batchSize));
    entries.insert(QStringLiteral("batch_increase_function"), plan.description.growth);
    QString fingerprint;
    for (auto entry = entries.begin(); entry != entries.end(); ++entry)
        fingerprint += entry.key() + QLatin1String(": ") + entry.value() + QLatin1Char('\n');
    return fingerprint;
}

QStringList fingerprintDifferences(const QString& there, const QString& here)
{
    const Entries before = entriesOf(there);
    const Entries now = entriesOf(here);
    const QString nothing = Translated::tr("nothing");
    QStringList differences;
    Entries all = before;
    all.insert(now);
    for (auto entry = all.begin(); entry != all.end(); ++entry) {
        const QString then = before.value(entry.key(), nothing);
        const QString present = now.value(entry.key(), nothing);
        if (then != present)
            differences.append(Translated::tr("%1: %2 there, %3 here").arg(entry.key(), then, present));
    }
    return differences;
}

} // namespace batchpeak::training
