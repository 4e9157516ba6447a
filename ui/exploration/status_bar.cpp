// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "status_bar.h"

#include "snapshot/ending_text.h"
#include "snapshot/failure_text.h"
#include "snapshot/plan_text.h"
#include "text/comparison_text.h"
#include "text/readable_text.h"
#include "widgets/labels.h"

#include <QHBoxLayout>
#include <QProgressBar>

#include <algorithm>

namespace batchpeak::ui {

namespace {

using engine::FinishStatus;
using engine::Snapshot;
using engine::State;

const QString& separator()
{
    static const QString text = QStringLiteral("  ·  ");
    return text;
}

QString trialText(const Snapshot& snapshot)
{
    if (snapshot.trials.empty())
        return StatusBar::tr("No trial yet");
    const int number = snapshot.trials.back().number;
    const int expected = snapshot.searchState.expectedTrials;
    QString text = expected >= number ? StatusBar::tr("Trial %1 of about %2").arg(number).arg(expected)
                                      : StatusBar::tr("Trial %1").arg(number);
    for (const trial::TrialRecord* trial : snapshot.currentTrials()) {
        if (trial->isComparison())
            text += separator() + engine::comparingText(engine::comparedSizes(*trial));
    }
    return text;
}

QString endText(const Snapshot& snapshot)
{
    switch (*snapshot.finish) {
    case FinishStatus::Confident:
        return StatusBar::tr("confident");
    case FinishStatus::Exhausted:
        return snapshot.searchState.continuation ? StatusBar::tr("no further trial is worth its time")
                                                 : StatusBar::tr("no size left worth a trial");
    case FinishStatus::Budget:
        return engine::budgetText(snapshot);
    case FinishStatus::NothingFits:
        return StatusBar::tr("nothing fits");
    case FinishStatus::Cancelled:
    case FinishStatus::Failed:
        break;
    }
    return StatusBar::tr("failed");
}

QString finishedText(const Snapshot& snapshot)
{
    const bool isStopped = snapshot.finish == FinishStatus::Cancelled;
    const QString text = isStopped ? StatusBar::tr("Stopped after %1") : StatusBar::tr("Finished after %1");
    QStringList parts{text.arg(engine::trialsText(snapshot)), engine::durationText(snapshot.elapsedSeconds)};
    if (snapshot.finish && !isStopped)
        parts << endText(snapshot);
    return parts.join(separator());
}

} // namespace

QString activityText(const Snapshot& snapshot)
{
    if (const QStringList awaited = engine::awaitedPlaces(snapshot);
        !awaited.isEmpty() && snapshot.state == State::Starting)
        return awaited.join(separator());
    if (snapshot.isChoosing())
        return snapshot.pauseRequested ? StatusBar::tr("Pausing") : StatusBar::tr("Choosing the next size");
    switch (snapshot.state) {
    case State::Idle:
        return snapshot.run ? StatusBar::tr("Ready to start") : StatusBar::tr("No config opened");
    case State::Starting:
        return StatusBar::tr("Starting the worker");
    case State::Paused:
        return StatusBar::tr("Paused") + separator() + trialText(snapshot);
    case State::Finishing:
        return StatusBar::tr("Stopping the worker");
    case State::Finished:
        return finishedText(snapshot);
    case State::Failed:
        return StatusBar::tr("Failed");
    case State::Verifying:
        return StatusBar::tr("Verifying %1 in a fresh process")
            .arg(engine::numberText(snapshot.verification->size));
    case State::Exploring:
        break;
    }
    if (snapshot.pauseRequested)
        return StatusBar::tr("Pausing") + separator() + trialText(snapshot);
    QString text = trialText(snapshot);
    // What a lost connection takes is not known.
    if (snapshot.timeLeft && engine::awaitedPlaces(snapshot).isEmpty())
        text += separator() + engine::timeLeftText(*snapshot.timeLeft);
    if (!snapshot.setback.isEmpty())
        text += separator() + snapshot.setback;
    return text;
}

QString deviceText(const std::vector<engine::DeviceSnapshot>& devices)
{
    if (devices.empty())
        return {};
    const auto& device = devices.front();
    QStringList parts;
    const auto& telemetry = device.telemetry;
    const QString kind = device.kind == QLatin1String("cpu") ? StatusBar::tr("CPU") : StatusBar::tr("GPU");
    if (telemetry.utilizationPercent)
        parts << StatusBar::tr("%1 %2 %").arg(kind).arg(*telemetry.utilizationPercent);
    if (telemetry.temperatureCelsius)
        parts << StatusBar::tr("%1 °C").arg(*telemetry.temperatureCelsius);
    if (telemetry.clockMegahertz)
        parts << StatusBar::tr("%1 MHz").arg(engine::numberText(*telemetry.clockMegahertz));
    const auto isConnected = [](const engine::DeviceSnapshot& one) {
        return one.connection.state == engine::Connection::State::Connected;
    };
    // The process of this computer only leads to the worker.
    const auto isOff = [](const engine::DeviceSnapshot& one) {
        return one.connection.state == engine::Connection::State::Off ||
               one.connection.state == engine::Connection::State::GivenUp;
    };
    if (std::ranges::all_of(devices, isOff))
        return {};
    if (device.connection.state != engine::Connection::State::Here)
        parts << StatusBar::tr("connected: %1 of %2")
                     .arg(std::ranges::count_if(devices, isConnected))
                     .arg(devices.size());
    else if (device.workerPid > 0)
        parts << StatusBar::tr("worker pid %1").arg(device.workerPid);
    if (device.restarts > 0)
        parts << StatusBar::tr("restarts: %1").arg(device.restarts);
    if (devices.size() > 1 && device.connection.state == engine::Connection::State::Here)
        parts << StatusBar::tr("more devices: %1").arg(devices.size() - 1);
    return parts.join(separator());
}

StatusBar::StatusBar(QWidget* parent)
    : QFrame(parent),
      m_progress(new QProgressBar(this)),
      m_activity(new ElidedLabel(Qt::ElideRight, this)),
      m_stall(new QLabel(this)),
      m_devices(new ElidedLabel(Qt::ElideRight, this))
{
    setProperty("bar", QStringLiteral("bottom"));
    m_progress->setFixedSize(220, 6);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_activity->setProperty("muted", true);
    m_activity->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_stall->setProperty("warn", true);
    m_stall->hide();
    m_devices->setProperty("muted", true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 12, 4);
    layout->setSpacing(10);
    layout->addWidget(m_progress);
    layout->addWidget(m_activity);
    layout->addWidget(m_stall);
    layout->addStretch(1);
    layout->addWidget(m_devices);
}

void StatusBar::display(const StatusLine& line)
{
    const int progress = static_cast<int>(std::clamp(line.progress, 0.0, 1.0) * 1000.0);
    if (m_progress->value() != progress)
        m_progress->setValue(progress);
    m_activity->setFullText(line.activity);
    m_devices->setFullText(line.devices);
    setTextIfNew(m_stall, line.stall);
    m_stall->setVisible(!line.stall.isEmpty());
}

void StatusBar::display(const Snapshot& snapshot)
{
    QStringList stalls;
    if (snapshot.state != State::Starting)
        stalls = engine::awaitedPlaces(snapshot);
    // A connection that is lost explains the silence.
    if (stalls.isEmpty() && snapshot.stalledSeconds > 0.0)
        stalls << tr("stalled %1").arg(engine::durationText(snapshot.stalledSeconds));
    display({.progress = snapshot.progress,
             .activity = activityText(snapshot),
             .stall = stalls.join(separator()),
             .devices = deviceText(snapshot.devices)});
}

} // namespace batchpeak::ui
