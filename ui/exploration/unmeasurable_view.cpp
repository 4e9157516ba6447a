// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "unmeasurable_view.h"

#include "text/batch_text.h"
#include "text/errors.h"
#include "text/json_fields.h"
#include "text/readable_text.h"
#include "text/tuning_text.h"
#include "widgets/buttons.h"
#include "widgets/labels.h"

#include <QAction>
#include <QDir>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>
#include <variant>

namespace batchpeak::ui {

namespace {

QString batchText(const config::BatchPlan& plan)
{
    const QString batch = QStringLiteral("%1: %2").arg(QString::fromStdString(plan.globalBatchKey),
                                                       engine::numberText(plan.globalBatchSize));
    return plan.devices > 1
               ? UnmeasurableView::tr("%1 on %2 devices").arg(batch, engine::numberText(plan.devices))
               : batch;
}

} // namespace

UnmeasurableFile unmeasurableFile(const QString& path, const config::ConfigError& error,
                                  std::optional<engine::ConfigFile> config)
{
    // The page states the file itself.
    QString why = QString::fromUtf8(error.what());
    const QString place = engine::located(path, error.position(), QString());
    if (why.startsWith(place)) {
        why = why.sliced(place.size());
        if (error.position().line > 0)
            why = UnmeasurableView::tr("Line %1: %2").arg(error.position().line).arg(why);
    }
    return {.path = path, .why = why, .config = std::move(config)};
}

UnmeasurableView::UnmeasurableView(const QList<QAction*>& actions, QWidget* parent)
    : Card(QString(), parent),
      m_heading(new QLabel(tr("What was read"), this)),
      m_facts(new QGridLayout),
      m_why(wrapped(new QLabel(this)))
{
    m_why->setFont(scaled(m_why->font(), 1.05));
    body()->addWidget(m_why);
    body()->addSpacing(8);
    m_heading->setFont(scaled(m_heading->font(), 1.0, QFont::DemiBold));
    body()->addWidget(m_heading);
    m_facts->setHorizontalSpacing(18);
    m_facts->setVerticalSpacing(4);
    m_facts->setColumnStretch(1, 1);
    body()->addLayout(m_facts);
    body()->addSpacing(8);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (QAction* action : actions) {
        QPushButton* button = actionButton(action, action == actions.front() ? "primary" : "secondary", this);
        const auto showIfPossible = [action, button] { button->setVisible(action->isEnabled()); };
        connect(action, &QAction::changed, button, showIfPossible);
        showIfPossible();
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    body()->addLayout(buttons);
    body()->addStretch(1);
}

void UnmeasurableView::addFact(const QString& name, const QString& text)
{
    const int row = m_facts->rowCount();
    m_facts->addWidget(mutedLabel(name, this), row, 0, Qt::AlignTop);
    auto* value = wrapped(new QLabel(this));
    setTextWithShortNames(value, text);
    m_facts->addWidget(value, row, 1);
}

void UnmeasurableView::display(const UnmeasurableFile& file)
{
    setTitle(file.config ? tr("No trial is possible with this config") : tr("This file cannot be read"));
    while (QLayoutItem* item = m_facts->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_heading->setVisible(file.config.has_value());
    setTextWithShortNames(m_why, file.why);
    addFact(tr("file"), QDir::toNativeSeparators(file.path));
    if (file.config)
        addFactsOf(*file.config);
    setAccessibleDescription(summary());
}

void UnmeasurableView::addFactsOf(const engine::ConfigFile& file)
{
    // contents() lacks the network and the tuning of a config that batchpeak-worker cannot run.
    const config::ConfigContents& contents = file.contentsForPython();
    addFact(tr("format"), QString::fromStdString(contents.formatName));
    if (const auto* spec = std::get_if<model::ModelSpec>(&contents.model))
        addFact(tr("network"), engine::networkText(*spec));
    if (const QString adapter = engine::adapterText(contents.tuning); !adapter.isEmpty())
        addFact(tr("adapter"), adapter);
    if (contents.sequenceLength > 0)
        addFact(tr("sequence length"), engine::numberText(contents.sequenceLength));
    addFact(tr("precision"), engine::enumText(contents.precision));
    if (contents.train) {
        addFact(tr("batch"), batchText(*contents.train));
        addFact(tr("size"), engine::settingText(*contents.train));
    }
    if (contents.eval) {
        addFact(tr("batch, evaluation"), batchText(*contents.eval));
        addFact(tr("size, evaluation"), engine::settingText(*contents.eval));
    }
}

QString UnmeasurableView::summary() const
{
    QStringList lines{wholeTextOf(m_why)};
    for (int place = 0; place + 1 < m_facts->count(); place += 2) {
        const auto* name = qobject_cast<const QLabel*>(m_facts->itemAt(place)->widget());
        const auto* text = qobject_cast<const QLabel*>(m_facts->itemAt(place + 1)->widget());
        lines << QStringLiteral("%1: %2").arg(name->text(), wholeTextOf(text));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace batchpeak::ui
