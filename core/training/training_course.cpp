// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_course.h"

#include "accumulation/micro_batches.h"
#include "config/batch_plan.h"
#include "engine/exploration_plan.h"
#include "engine/log_text.h"
#include "size_choice.h"
#include "training_text.h"

#include <exception>
#include <limits>
#include <utility>

namespace batchpeak::training {

namespace {

using engine::LogLevel;

constexpr std::chrono::seconds tickEvery{1};

} // namespace

TrainingCourse::TrainingCourse(TrainingSetup setup, QObject* parent)
    : QObject(parent), m_setup(std::move(setup)), m_builder(m_setup.plan.description)
{
    m_builder.setSizes(MicroBatchSizes(m_setup.plan.sizes));
    connect(&m_tick, &QTimer::timeout, this, [this] {
        m_builder.setTelemetry(m_setup.devices.telemetry(0));
        publish();
    });
}

void TrainingCourse::start()
{
    m_clock.start();
    m_tick.start(tickEvery);
    for (const QString& note : std::as_const(m_setup.plan.notes))
        m_builder.say(LogLevel::Warning, note);
    if (!m_setup.resumedFrom.isEmpty())
        m_builder.say(LogLevel::Info, resumedText(m_setup.resumedFrom, m_setup.position.step));
    try {
        if (m_setup.plan.description.maximum)
            findMaximum();
        else
            startWorker();
    } catch (const std::exception& error) {
        // What the plan was made of may have changed since.
        finish(TrainingEnd::Failed, QString::fromUtf8(error.what()));
    }
}

/// Before the worker starts, so that the whole memory is there to be found.
void TrainingCourse::findMaximum()
{
    m_builder.setState(TrainingState::FindingMaximum);
    m_search = std::make_unique<MaximumSearch>(m_setup.parts);
    MaximumSearch* search = m_search.get();
    connect(search, &MaximumSearch::said, this, &TrainingCourse::say);
    connect(search, &MaximumSearch::found, this, &TrainingCourse::takeMaximum);
    connect(search, &MaximumSearch::nothingFits, this,
            [this](const QString& sentence) { finish(TrainingEnd::NothingFits, sentence); });
    connect(search, &MaximumSearch::failed, this,
            [this](const QString& sentence) { finish(TrainingEnd::Failed, sentence); });
    connect(search, &MaximumSearch::stopped, this, [this] { finish(TrainingEnd::Interrupted); });
    TrainingOptions options = m_setup.options;
    options.maximum = m_setup.plan.description.maximum;
    search->start(m_setup.filePath, m_setup.contents, options,
                  m_setup.plan.grows() ? engine::largestExplored : m_setup.batchSize);
    publish();
}

void TrainingCourse::takeMaximum(const MaximumFound& maximum)
{
    m_builder.setMaximum(maximum);
    m_builder.say(LogLevel::Info, maximumText(maximum));
    TrainingPlan& plan = m_setup.plan;
    const auto problem = m_setup.options.strict && !plan.grows()
                             ? config::strictRuleProblem(plan.description.run.plan, maximum.used)
                             : std::nullopt;
    if (problem)
        return finish(TrainingEnd::Failed, QString::fromStdString(*problem));
    if (!plan.grows()) {
        plan.sizes.training = accumulation::evenSpread(m_setup.batchSize, maximum.used).largest();
        plan.sizes.evaluation =
            evaluationSize(m_setup.contents, plan.evaluationBatchSize, plan.sizes.training);
    }
    // It was measured by trials, and a training may need a little more.
    plan.sizes.halves = true;
    m_builder.setSizes(MicroBatchSizes(plan.sizes));
    publish();
    emit maximumFound(maximum);
    if (state() == TrainingState::FindingMaximum)
        startWorker();
}

void TrainingCourse::startWorker()
{
    m_builder.setState(TrainingState::Starting);
    m_worker = std::make_unique<TrainingWorker>(m_setup.devices.setups().front(), m_setup.plan.request);
    TrainingWorker* worker = m_worker.get();
    connect(worker, &TrainingWorker::said, this, &TrainingCourse::say);
    connect(worker, &TrainingWorker::ready, this, &TrainingCourse::becomeReady);
    connect(worker, &TrainingWorker::parametersDoNotFit, this, [this](qint64 needed, qint64 limit) {
        finish(TrainingEnd::NothingFits, parametersMisfitText(needed, limit));
    });
    connect(worker, &TrainingWorker::lost, this, &TrainingCourse::loseWorker);
    connect(worker, &TrainingWorker::ended, this, &TrainingCourse::reportEnd);
    makeSteps();
    worker->start();
    publish();
}

void TrainingCourse::makeSteps()
{
    std::unique_ptr<EpochGrowth> growth;
    if (m_setup.plan.grows())
        growth = std::make_unique<EpochGrowth>(makeGrowthFunction(m_setup.plan.description.growth),
                                               snapshot().maximum->measured);
    m_steps = std::make_unique<TrainingSteps>(m_setup, m_builder, *m_worker, std::move(growth));
    TrainingSteps* steps = m_steps.get();
    connect(steps, &TrainingSteps::changed, this, &TrainingCourse::publish);
    connect(steps, &TrainingSteps::epochBegan, this, &TrainingCourse::epochBegan);
    connect(steps, &TrainingSteps::stepDone, this, &TrainingCourse::stepDone);
    connect(steps, &TrainingSteps::evaluated, this, &TrainingCourse::evaluated);
    connect(steps, &TrainingSteps::sizeChanged, this, &TrainingCourse::sizeChanged);
    connect(steps, &TrainingSteps::checkpointSaved, this, &TrainingCourse::checkpointSaved);
    connect(steps, &TrainingSteps::concluded, this, &TrainingCourse::finish);
}

void TrainingCourse::becomeReady(const trial::TrainingReady& ready)
{
    if (ready.samples < m_setup.batchSize)
        return finish(TrainingEnd::Failed, tooLittleDataText(ready.samples, m_setup.batchSize));
    m_builder.setState(TrainingState::Training);
    m_builder.say(LogLevel::Info, engine::readyText(m_worker->device()));
    publish();
    emit deviceReady(snapshot().device);
    // Whoever heard of the device may have stopped all.
    if (state() == TrainingState::Training)
        m_steps->begin(ready);
}

void TrainingCourse::stop()
{
    switch (state()) {
    case TrainingState::FindingMaximum:
        m_search->stop();
        return;
    case TrainingState::Starting:
        finish(TrainingEnd::Interrupted);
        return;
    case TrainingState::Training:
    case TrainingState::Saving:
        m_steps->stop();
        return;
    default:
        return;
    }
}

void TrainingCourse::loseWorker(const QString& sentence)
{
    // Whoever cancels wants the end, whatever the worker makes of it.
    if (!m_steps->isCancelled())
        return finish(TrainingEnd::Failed, sentence);
    m_builder.say(LogLevel::Warning, sentence);
    finish(TrainingEnd::Interrupted);
}

void TrainingCourse::finish(TrainingEnd end, const QString& failure)
{
    if (state() == TrainingState::Finishing || hasEnded())
        return;
    m_end = end;
    const bool hasLearned = !snapshot().steps.empty() || !m_setup.resumedFrom.isEmpty();
    m_builder.setFailure(failure.isEmpty() || !hasLearned ? failure
                                                          : failure + QLatin1Char('\n') + howToGoOn());
    m_builder.setState(TrainingState::Finishing);
    publish();
    if (m_worker)
        m_worker->end();
    else
        QTimer::singleShot(0, this, &TrainingCourse::reportEnd);
}

/// The last thing that a failure says.
QString TrainingCourse::howToGoOn() const
{
    return resumeText(snapshot().checkpoint.isEmpty() ? m_setup.resumedFrom : snapshot().checkpoint);
}

void TrainingCourse::reportEnd()
{
    if (hasEnded())
        return;
    m_tick.stop();
    publish();
    m_builder.close(m_end);
    emit snapshotChanged(snapshot());
    emit finished(m_end);
}

void TrainingCourse::say(LogLevel level, const QString& text)
{
    m_builder.say(level, text);
    publish();
}

void TrainingCourse::publish()
{
    if (!hasEnded()) {
        if (m_worker)
            m_builder.setDevice(m_worker->device());
        m_builder.takeTime(static_cast<double>(m_clock.elapsed()) / 1000.0);
    }
    emit snapshotChanged(snapshot());
}

} // namespace batchpeak::training
