// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_desktop.h"

#include "desktop_presence.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/translated.h"
#include "widgets/plain_text.h"

#include <QApplication>
#include <QFileInfo>
#include <QWidget>

#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

using engine::FinishStatus;
using engine::Snapshot;
using engine::State;

QString configName(const Snapshot& snapshot)
{
    return snapshot.run ? QFileInfo(snapshot.run->filePath).fileName() : QString();
}

} // namespace

QString windowTitle(const Snapshot& snapshot, double progress)
{
    QStringList parts;
    if (snapshot.isUnderWay())
        parts << engine::Translated::tr("%1 %").arg(static_cast<int>(std::floor(100.0 * progress)));
    else if (snapshot.state == State::Finished && snapshot.recommendsSize())
        parts << QStringLiteral("● %1").arg(snapshot.searchState.recommendation->size);
    if (snapshot.run)
        parts << configName(snapshot);
    return parts.join(QStringLiteral(" · "));
}

EndNotice endNotice(const Snapshot& snapshot)
{
    if (!snapshot.finish || snapshot.finish == FinishStatus::Cancelled)
        return {};
    if (snapshot.finish == FinishStatus::NothingFits)
        return {.title = engine::Translated::tr("Nothing fits: %1").arg(configName(snapshot)),
                .text = snapshot.failure};
    if (!snapshot.recommendsSize())
        return {.title = engine::Translated::tr("No size was found: %1").arg(configName(snapshot)),
                .text = snapshot.failure.isEmpty() ? snapshot.ending : snapshot.failure};
    const auto& best = *snapshot.searchState.recommendation;
    return {.title = engine::Translated::tr("Micro-batch size %1").arg(engine::numberText(best.size)),
            .text = engine::Translated::tr("%1 samples/s, confidence %2 %, %3")
                        .arg(engine::speedMark(snapshot.run->fidelity) +
                             engine::rateText(best.samplesPerSecond, best.relativeError))
                        .arg(best.confidence)
                        .arg(configName(snapshot))};
}

WindowDesktop::WindowDesktop(QWidget* window, std::shared_ptr<engine::DeviceLease> lease,
                             DesktopPresence* presence)
    : QObject(window), m_window(window), m_lease(std::move(lease)), m_presence(presence)
{
    m_presence->setParent(this);
    connect(m_presence, &DesktopPresence::activated, m_window, [this] {
        m_window->showNormal();
        m_window->raise();
        m_window->activateWindow();
    });
}

void WindowDesktop::follow(const Snapshot& exploration, double progress, const QString& otherConfig)
{
    const QString title = plainTitle(otherConfig.isEmpty() ? windowTitle(exploration, progress)
                                                           : QFileInfo(otherConfig).fileName());
    if (title != m_window->windowTitle())
        m_window->setWindowTitle(title);
    m_presence->showProgress(exploration.isUnderWay() ? std::optional(progress) : std::nullopt);
    const bool works = m_lease->holder() && exploration.state != State::Paused;
    m_presence->keepAwake(works ? tr("Trials are being run") : QString());
}

void WindowDesktop::tellEnd(const Snapshot& exploration)
{
    const EndNotice notice = endNotice(exploration);
    if (notice.title.isEmpty())
        return;
    QApplication::alert(m_window);
    if (!m_window->isActiveWindow())
        m_presence->notify(notice.title, notice.text);
}

} // namespace batchpeak::ui
