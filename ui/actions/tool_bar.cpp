// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool_bar.h"

#include "text/json_fields.h"
#include "text/readable_text.h"
#include "text/tuning_text.h"
#include "theme/glyphs.h"
#include "widgets/buttons.h"
#include "widgets/fidelity_chip.h"
#include "widgets/labels.h"
#include "window_actions.h"

#include <QAction>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

namespace batchpeak::ui {

namespace {

constexpr int minRunWidth = 24;

QString deviceName(const engine::DeviceSnapshot& device)
{
    if (device.kind == QLatin1String("cpu") && !device.id.contains(QLatin1Char('/')))
        return device.name.isEmpty() ? ToolBar::tr("CPU") : ToolBar::tr("CPU %1").arg(device.name);
    return QStringLiteral("%1 %2").arg(device.id, device.name).trimmed();
}

/// Returns the name of a file, with its folder if the file has the default name; an id stays as it is. A file
/// in a cache of the hub, models--OWNER--NAME/snapshots/COMMIT, has the name of its network.
QString sourceName(const QString& fileOrId)
{
    const QFileInfo file(fileOrId);
    if (!file.isAbsolute())
        return fileOrId;
    const QStringList folders = file.path().split(QLatin1Char('/'));
    const QLatin1String cached("models--");
    if (folders.size() > 2 && folders[folders.size() - 2] == QLatin1String("snapshots") &&
        folders[folders.size() - 3].startsWith(cached))
        return folders[folders.size() - 3]
            .mid(cached.size())
            .replace(QLatin1String("--"), QLatin1String("/"));
    const bool isDefaultName = file.fileName() == QLatin1String("config.json");
    return isDefaultName ? file.dir().dirName() + QLatin1Char('/') + file.fileName() : file.fileName();
}

/// Returns an empty string if all parameters of the network are trained.
QString trainedText(const engine::RunDescription& run)
{
    QString tuning = engine::tuningWord(run.tuning);
    if (run.frozenParameters < 1 || run.parameters < 1)
        return tuning;
    const double share =
        static_cast<double>(run.parameters - run.frozenParameters) / static_cast<double>(run.parameters);
    return ToolBar::tr("%1, %2 trained").arg(tuning, engine::percentText(share, QLocale(), 2));
}

} // namespace

QString runText(const engine::RunDescription& run, const std::vector<engine::DeviceSnapshot>& devices)
{
    QStringList parts{QFileInfo(run.filePath).fileName()};
    if (!run.modelSource.isEmpty())
        parts << ToolBar::tr("network from %1").arg(sourceName(run.modelSource));
    if (const QString trained = trainedText(run); !trained.isEmpty())
        parts << trained;
    if (!devices.empty())
        parts << deviceName(devices.front());
    if (devices.size() > 1)
        parts << ToolBar::tr("%1 devices").arg(devices.size());
    parts << engine::enumText(run.precision);
    if (run.processes > 1)
        parts << ToolBar::tr("%1 processes").arg(engine::numberText(run.processes));
    if (run.phase == model::Phase::Eval)
        parts << ToolBar::tr("evaluation");
    if (!run.hasBatch)
        return parts.join(QStringLiteral("  ·  "));
    const QString batch = engine::numberText(run.plan.globalBatchSize);
    parts << (run.plan.isOverAllDevices ? ToolBar::tr("global batch %1") : ToolBar::tr("per-device batch %1"))
                 .arg(batch);
    return parts.join(QStringLiteral("  ·  "));
}

QString runText(const engine::Snapshot& snapshot)
{
    return snapshot.run ? runText(*snapshot.run, snapshot.devices) : QString();
}

ToolBar::ToolBar(const WindowActions& actions, QMenu* recent, QMenu* menu, QWidget* parent)
    : QFrame(parent),
      m_run(new ElidedLabel(Qt::ElideMiddle, this)),
      m_fidelity(new FidelityChip(this)),
      m_menuButton(new QToolButton(this))
{
    setProperty("bar", QStringLiteral("top"));
    setFixedHeight(51);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 0, 12, 0);
    layout->setSpacing(6);

    QToolButton* open = toolBarButton(actions.open, this);
    open->setMenu(recent);
    open->setPopupMode(QToolButton::DelayedPopup);
    layout->addWidget(open);
    layout->addWidget(toolBarSeparator(this));
    layout->addWidget(toolBarButton(actions.start, this, WindowActions::startTexts()));
    layout->addWidget(toolBarButton(actions.pause, this, WindowActions::pauseTexts()));
    layout->addWidget(toolBarButton(actions.stop, this));
    layout->addWidget(toolBarSeparator(this));
    layout->addWidget(toolBarButton(actions.exportSize, this));
    layout->addWidget(toolBarButton(actions.train, this));
    layout->addSpacing(12);

    m_run->setProperty("muted", true);
    // The title of the window also states the file.
    m_run->setMinimumWidth(minRunWidth);
    layout->addWidget(m_run, 1);
    layout->addSpacing(4);
    layout->addWidget(m_fidelity);

    m_menuButton->setMenu(menu);
    m_menuButton->setPopupMode(QToolButton::InstantPopup);
    m_menuButton->setToolTip(tr("Menu"));
    m_menuButton->setAccessibleName(tr("Menu"));
    layout->addWidget(m_menuButton);
}

void ToolBar::setTheme(const Theme& theme)
{
    m_menuButton->setIcon(glyphIcon(Glyph::Menu, theme.mutedText, theme.mutedText));
}

void ToolBar::display(const engine::Snapshot& snapshot, bool isRunnable)
{
    m_run->setFullText(runText(snapshot));
    m_fidelity->display(snapshot.run && isRunnable ? std::optional(snapshot.run->fidelity) : std::nullopt);
    m_isRunnable = !m_fidelity->isHidden();
    fit();
}

QList<QToolButton*> ToolBar::buttons() const
{
    QList<QToolButton*> buttons = findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly);
    buttons.removeAll(m_menuButton);
    return buttons;
}

/// Size with icons only, and without what is shown elsewhere too.
QSize ToolBar::minimumSizeHint() const
{
    const int sign = m_menuButton->sizeHint().width() + layout()->spacing();
    return {sign * static_cast<int>(buttons().size() + 2), height()};
}

void ToolBar::fit()
{
    const QList<QToolButton*> all = buttons();
    const auto setStyle = [&](Qt::ToolButtonStyle style) {
        for (QToolButton* button : all)
            button->setToolButtonStyle(style);
        layout()->activate();
    };
    const bool isShort = all.front()->toolButtonStyle() == Qt::ToolButtonIconOnly;
    if (!isShort)
        m_wholeWidth = layout()->totalMinimumSize().width();
    if (isShort != (width() < m_wholeWidth))
        setStyle(isShort ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    m_fidelity->setVisible(m_isRunnable);
    if (m_isRunnable && layout()->totalMinimumSize().width() > width())
        m_fidelity->hide();
}

bool ToolBar::event(QEvent* event)
{
    const bool isHandled = QFrame::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        fit();
    return isHandled;
}

} // namespace batchpeak::ui
