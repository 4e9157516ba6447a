// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_event_file.h"

#include "engine/event_log.h"
#include "files/output_place.h"
#include "history/stored_snapshot.h"
#include "syntax/config_error.h"
#include "text/errors.h"
#include "text/json_fields.h"
#include "text/translated.h"
#include "text/tuning_text.h"
#include "training_snapshot_builder.h"
#include "training_text.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

namespace batchpeak::training {

using engine::Translated;

namespace {

// An event's line has some hundreds of bytes, and one with a failure some thousands.
constexpr qint64 longestLine = 1 << 20;

/// Reads the fields of one event.
class Fields
{
public:
    explicit Fields(const QJsonObject& object) : m_object(object) {}

    QString text(const char* key) const { return m_object[QLatin1String(key)].toString(); }
    std::int64_t number(const char* key) const { return m_object[QLatin1String(key)].toInteger(); }
    double real(const char* key, double absent = 0.0) const
    {
        return m_object[QLatin1String(key)].toDouble(absent);
    }
    bool has(const char* key) const { return m_object.contains(QLatin1String(key)); }
    QJsonObject object(const char* key) const { return m_object[QLatin1String(key)].toObject(); }
    QStringList texts(const char* key) const
    {
        return m_object[QLatin1String(key)].toVariant().toStringList();
    }
    bool isSet(const char* key) const { return m_object[QLatin1String(key)].toBool(); }

    /// Returns the value of a word; \p otherwise if the word is unknown.
    template<typename Value>
    Value word(const char* key, Value otherwise = {}) const
    {
        return engine::enumFromText<Value>(text(key)).value_or(otherwise);
    }

private:
    QJsonObject m_object;
};

/// Reads the fidelity from the first event.
config::Fidelity fidelityOf(const Fields& fields)
{
    return engine::fidelityOf({.kind = fields.text("fidelity"),
                               .reasons = fields.texts("approximations"),
                               .replaced = fields.texts("replaced"),
                               .assumed = fields.texts("assumed")});
}

TrainingDescription descriptionOf(const Fields& fields)
{
    TrainingDescription training{.learningRate = fields.real("learning_rate"),
                                 .halvesAutomatically = fields.isSet("halves_automatically"),
                                 .growth = fields.text("growth"),
                                 .batchSize = fields.number("batch_size"),
                                 .steps = fields.number("steps"),
                                 .firstStep = fields.number("first_step")};
    training.run.filePath = fields.text("file");
    training.run.formatName = fields.text("format");
    training.run.family = fields.text("family");
    training.run.parameters = fields.number("parameters");
    if (fields.has("trained_parameters"))
        training.run.frozenParameters = training.run.parameters - fields.number("trained_parameters");
    training.run.tuning = engine::tuningFrom(fields.object("tuning"));
    training.run.fidelity = fidelityOf(fields);
    training.run.optimizer = fields.word<model::Optimizer>("optimizer");
    training.run.precision = fields.word<model::Precision>("precision");
    training.run.sequenceLength = fields.number("sequence_length");
    training.weighting = fields.word<trial::LossWeighting>("weighting");
    training.heldOutSamples = fields.number("held_out_samples");
    training.dataChoice = {
        .kind = fields.word<trial::DataKind>("data"),
        .path = fields.text("data_path").toStdString(),
        .samples = fields.number("data_samples"),
        .heldOut = {.share = fields.real("held_out_share"), .samples = fields.number("held_out_samples")}};
    training.data =
        dataText(training.dataChoice,
                 {.samples = std::max<std::int64_t>(0, training.dataChoice.samples - training.heldOutSamples),
                  .heldOutSamples = training.heldOutSamples});
    return training;
}

StepRecord recordOf(const Fields& fields, model::Phase phase)
{
    return {.step = fields.number("step"),
            .epoch = fields.number("epoch"),
            .phase = phase,
            .batchSize = fields.number("batch_size"),
            .microBatchSize = fields.number("micro_batch_size"),
            .accumulationSteps = fields.number("accumulation_steps"),
            // JSON has no word for a diverged loss.
            .loss = fields.real("loss", std::numeric_limits<double>::quiet_NaN()),
            .seconds = fields.real("seconds"),
            .optimizerSeconds = fields.real("optimizer_seconds"),
            .samplesPerSecond = fields.real("samples_per_second"),
            .tokensPerSecond = fields.real("tokens_per_second"),
            .predictedSamplesPerSecond = fields.real("predicted_samples_per_second"),
            .peakAllocatedBytes = fields.number("peak_allocated_bytes"),
            .peakReservedBytes = fields.number("peak_reserved_bytes"),
            .allocationRetries = fields.number("allocation_retries"),
            .attempts = static_cast<int>(fields.number("attempts"))};
}

SizeChange changeOf(const Fields& fields)
{
    using Reason = SizeChange::Reason;
    SizeChange change{.step = fields.number("step"),
                      .phase = fields.word<model::Phase>("phase"),
                      .from = fields.number("from"),
                      .to = fields.number("to")};
    for (const Reason reason : {Reason::OutOfMemory, Reason::Thrashing, Reason::Growth}) {
        if (fields.text("reason") == toText(reason))
            change.reason = reason;
    }
    return change;
}

TrainingEnd endOf(const Fields& fields)
{
    for (const TrainingEnd end : {TrainingEnd::Completed, TrainingEnd::NothingFits, TrainingEnd::Failed}) {
        if (fields.text("status") == toText(end))
            return end;
    }
    return TrainingEnd::Interrupted;
}

/// Builds the snapshot from one event after another.
class CourseReader
{
public:
    explicit CourseReader(const Fields& started) : m_builder(descriptionOf(started)) {}

    void take(const Fields& fields)
    {
        const QString event = fields.text("event");
        if (event == QLatin1String("device"))
            m_builder.setDevice({.approximations = fields.texts("approximations")});
        else if (event == QLatin1String("step"))
            m_builder.addStep(recordOf(fields, model::Phase::Train));
        else if (event == QLatin1String("evaluation"))
            takeEvaluation(fields);
        else if (event == QLatin1String("size_changed"))
            m_builder.addChange(changeOf(fields));
        else if (event == QLatin1String("training_finished"))
            m_end = endOf(fields);
    }

    TrainingSnapshot finish()
    {
        m_builder.close(m_end);
        TrainingSnapshot snapshot = m_builder.snapshot();
        // The number of held-out samples is not reported for all data.
        if (m_holdsOut)
            snapshot.run->heldOutSamples = std::max<std::int64_t>(1, snapshot.run->heldOutSamples);
        return snapshot;
    }

private:
    void takeEvaluation(const Fields& fields)
    {
        m_builder.addEvaluation(recordOf(fields, model::Phase::Eval));
        m_holdsOut = m_holdsOut || fields.isSet("held_out");
    }

    TrainingSnapshotBuilder m_builder;
    TrainingEnd m_end = TrainingEnd::Interrupted;
    bool m_holdsOut = false;
};

[[noreturn]] void refuse(const QString& path, int line, const QString& sentence)
{
    throw engine::located(path, config::ConfigError(sentence.toStdString(), {.line = line, .column = 1}));
}

} // namespace

TrainingSnapshot readTrainingEvents(const QString& path)
{
    // Reading a pipe would block.
    if (engine::isStream(path))
        throw engine::located(
            path, config::ConfigError(Translated::tr("This is no regular file. Choose a file that batchpeak "
                                                     "train --events has written.")
                                          .toStdString()));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        throw engine::located(
            path, config::ConfigError(Translated::tr("The events cannot be read (%1); check the name and its "
                                                     "permissions.")
                                          .arg(file.errorString())
                                          .toStdString()));
    std::unique_ptr<CourseReader> course;
    for (int line = 1; !file.atEnd(); ++line) {
        const QByteArray text = file.readLine(longestLine).trimmed();
        if (text.isEmpty())
            continue;
        const Fields fields(QJsonDocument::fromJson(text).object());
        if (course) {
            course->take(fields);
            continue;
        }
        if (fields.text("event") != QLatin1String("training_started"))
            refuse(
                path, line,
                Translated::tr("This does not begin as the events of a training run do. Choose a file that "
                               "batchpeak train --events has written."));
        if (fields.number("schema") > engine::eventsSchema)
            refuse(
                path, line,
                Translated::tr("A newer Batchpeak wrote these events (schema %1, and this program knows %2); "
                               "open them with that one.")
                    .arg(fields.number("schema"))
                    .arg(engine::eventsSchema));
        course = std::make_unique<CourseReader>(fields);
    }
    if (!course)
        refuse(path, 1,
               Translated::tr("The file holds no events. Choose one that batchpeak train --events has "
                              "written."));
    return course->finish();
}

} // namespace batchpeak::training
