// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration.h"

#include "exploration_run.h"

#include <utility>

namespace batchpeak::engine {

class Exploration::Private
{
public:
    ExplorationParts parts;
    ExplorationOptions options;
    std::optional<ExplorationPlan> plan;
    /// Kept after its end, since the snapshot is its.
    std::unique_ptr<ExplorationRun> run;
    Snapshot idle;

    bool isRunning() const { return run && !run->hasEnded(); }
    /// The present call may come from a slot of the old run's last signal.
    void retireRun()
    {
        if (run) {
            run->disconnect();
            run.release()->deleteLater();
        }
    }
};

Exploration::Exploration(QObject* parent) : Exploration(ExplorationParts{}, parent) {}

Exploration::Exploration(ExplorationParts parts, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->parts = std::move(parts);
}

Exploration::~Exploration() = default;

const Snapshot& Exploration::snapshot() const
{
    return d->run ? d->run->snapshot() : d->idle;
}

void Exploration::load(const QString& filePath, const config::ConfigContents& contents,
                       const ExplorationOptions& options)
{
    if (d->isRunning())
        return;
    d->plan = planExploration(filePath, contents, options);
    d->options = options;
    d->retireRun();
    d->idle = {.run = d->plan->run};
    emit snapshotChanged(d->idle);
}

void Exploration::start()
{
    if (!d->plan || d->isRunning())
        return;
    d->retireRun();
    d->run = std::make_unique<ExplorationRun>(*d->plan, d->options, d->parts);
    ExplorationRun* run = d->run.get();
    connect(run, &ExplorationRun::snapshotChanged, this, &Exploration::snapshotChanged);
    connect(run, &ExplorationRun::deviceReady, this, &Exploration::deviceReady);
    connect(run, &ExplorationRun::trialStarted, this, &Exploration::trialStarted);
    connect(run, &ExplorationRun::trialFinished, this, &Exploration::trialFinished);
    connect(run, &ExplorationRun::recommendationChanged, this, &Exploration::recommendationChanged);
    connect(run, &ExplorationRun::finished, this, &Exploration::finished);
    emit started();
    run->start();
}

void Exploration::pause()
{
    if (d->run)
        d->run->pause();
}

void Exploration::resume()
{
    if (d->run)
        d->run->resume();
}

void Exploration::stop()
{
    if (d->run)
        d->run->stop();
}

void Exploration::remark(LogLevel level, const QString& text)
{
    if (d->run)
        d->run->remark(level, text);
}

} // namespace batchpeak::engine
