// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_view.h"

#include "actions/window_actions.h"
#include "device_list.h"
#include "memory_bars.h"
#include "option_form.h"
#include "options/option_table.h"
#include "plan/phase_sequence.h"
#include "plan/plan_forecast.h"
#include "program_card.h"
#include "text/errors.h"
#include "text/json_fields.h"
#include "text/readable_text.h"
#include "text/shell_quoting.h"
#include "widgets/buttons.h"
#include "widgets/card.h"
#include "widgets/labels.h"
#include "workers/run_devices.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr int gap = 10;
// Room for the scroll bar.
constexpr int scrollRoom = 10;
constexpr int sideWidth = 404;
constexpr int minSideWidth = 310;
constexpr int nameWidth = 84;
constexpr int valueGap = 18;
// Width of the frames of the card and of the field that shows the command.
constexpr int besideCommand = 64;
// The menu has the rest.
constexpr std::size_t maxEarlier = 4;

QLabel* heading(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(scaled(label->font(), 1.0, QFont::DemiBold));
    return label;
}

/// Returns the devices that are used if the options name none.
QStringList defaultDevices(const device::LocalDevices& devices)
{
    QStringList ids;
    try {
        for (const device::LocalDevice& device : engine::chooseDevices({}, devices))
            ids << QString::fromStdString(device.id());
    } catch (const engine::ExplorationError&) {
        // The GPUs cannot be used: then there are no default devices.
    }
    return ids;
}

/// Returns a sentence with only the line in the config: the window states the file.
QString withLine(const QString& sentence, const QString& path)
{
    const QRegularExpression place(QLatin1Char('^') + QRegularExpression::escape(path) +
                                   QStringLiteral(":(\\d+):\\d+: "));
    const QRegularExpressionMatch match = place.match(sentence);
    return match.hasMatch()
               ? PlanView::tr("Line %1: %2").arg(match.captured(1), sentence.sliced(match.capturedEnd()))
               : sentence;
}

/// Splits a command into lines that a shell reads as one, at its options: the default wrapping would break
/// options at their hyphens.
QString inLines(const QString& command, const QStringList& words, const QFontMetrics& metrics, int width)
{
    if (metrics.horizontalAdvance(command) <= width || words.isEmpty())
        return command;
    QStringList options;
    for (const QString& word : words) {
        if (word.startsWith(QLatin1String("--")) || options.isEmpty())
            options << engine::quotedForShell(word);
        else
            options.back() += QLatin1Char(' ') + engine::quotedForShell(word);
    }
    const QString end = QStringLiteral(" \\");
    QString text = command.chopped(options.join(QLatin1Char(' ')).size() + 1);
    QString line = text;
    for (const QString& option : options) {
        const QString longer = line + QLatin1Char(' ') + option;
        const bool fits = metrics.horizontalAdvance(longer + end) <= width;
        text += fits ? QString(QLatin1Char(' ')) : end + QLatin1Char('\n');
        text += option;
        line = fits ? longer : option;
    }
    return text;
}

/// Returns "2 devices, training, sizes 1 to 64."
QString readyText(const engine::PlanPreview& preview, const engine::ExplorationOptions& options)
{
    QStringList parts;
    QStringList devices;
    for (const engine::DevicePreview& device : preview.devices) {
        if (device.isChosen)
            devices << QString::fromStdString(device.device.id());
    }
    if (!options.isHere())
        parts << (options.places.size() > 2 ? PlanView::tr("%1 places").arg(options.places.size())
                                            : options.places.join(PlanView::tr(" and ")));
    else if (devices.size() > 2)
        parts << PlanView::tr("%1 devices").arg(devices.size());
    else if (!devices.isEmpty())
        parts << devices.join(PlanView::tr(" and "));
    parts << engine::phasesText(options);
    const search::SearchSpace& space = preview.plan->space;
    parts << (space.minimum == space.maximum
                  ? PlanView::tr("size %1").arg(engine::numberText(space.minimum))
                  : PlanView::tr("sizes %1 to %2")
                        .arg(engine::numberText(space.minimum), engine::numberText(space.maximum)));
    return parts.join(QStringLiteral(", ")) + QLatin1Char('.');
}

} // namespace

PlanView::PlanView(WindowActions* actions, QWidget* parent) : QWidget(parent)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(gap);
    layout->addWidget(makePlan(), 1);
    layout->addWidget(makeSide(actions));
}

QWidget* PlanView::makePlan()
{
    auto* card = new Card(tr("Plan"), this);
    card->setUnit(tr("what will be explored; nothing runs yet"));
    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, scrollRoom, 0);
    column->setSpacing(8);

    column->addWidget(heading(tr("Read from the config"), inside));
    auto* values = new QWidget(inside);
    m_values = new QGridLayout(values);
    m_values->setContentsMargins(0, 0, 0, 4);
    m_values->setHorizontalSpacing(valueGap);
    m_values->setVerticalSpacing(3);
    m_values->setColumnMinimumWidth(0, nameWidth);
    m_values->setColumnStretch(2, 1);
    column->addWidget(values);

    auto* memoryLine = new QHBoxLayout;
    m_memoryTitle = heading(tr("Memory before any trial"), inside);
    m_memoryUnit = mutedLabel(QString(), inside);
    memoryLine->addWidget(m_memoryTitle);
    memoryLine->addWidget(m_memoryUnit);
    memoryLine->addStretch(1);
    column->addLayout(memoryLine);
    m_memory = new MemoryBars(inside);
    column->addWidget(m_memory);
    m_sizes = wrapped(new QLabel(inside));
    column->addWidget(m_sizes);
    m_offers = new QVBoxLayout;
    m_offers->setSpacing(2);
    column->addLayout(m_offers);
    auto* line = new QFrame(inside);
    line->setProperty("line", true);
    line->setFixedHeight(1);
    column->addSpacing(2);
    column->addWidget(line);
    column->addSpacing(2);
    m_form = new OptionForm(inside);
    column->addWidget(m_form);
    column->addStretch(1);
    connect(m_form, &OptionForm::optionsChanged, this, &PlanView::takeOptions);
    connect(m_form, &OptionForm::problemChanged, this, [this] {
        showReady();
        emit problemChanged();
    });

    m_scroll = scrolledOnCard(inside);
    m_scroll->setMinimumWidth(OptionField::minWidth() + scrollRoom +
                              m_scroll->verticalScrollBar()->sizeHint().width());
    card->body()->addWidget(m_scroll, 1);
    m_planCard = card;
    return card;
}

QWidget* PlanView::makeSide(WindowActions* actions)
{
    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(gap);
    m_devices = new DeviceList(actions->places, side);
    connect(m_devices, &DeviceList::chosen, this, &PlanView::chooseDevices);
    layout->addWidget(m_devices);
    m_programs = new ProgramCard(side);
    connect(m_programs, &ProgramCard::chosen, this, &PlanView::choosePython);
    layout->addWidget(m_programs);

    m_readyCard = new Card(tr("Ready"), side);
    Card* ready = m_readyCard;
    m_warning = wrapped(new QLabel(ready));
    m_warning->setProperty("warn", true);
    ready->body()->addWidget(m_warning);
    m_ready = wrapped(new QLabel(ready));
    ready->body()->addWidget(m_ready);
    m_start = actionButton(actions->start, "primary", ready);
    m_start->setFont(scaled(font(), 1.1, QFont::DemiBold));
    m_start->setMinimumSize(150, 38);
    auto* startLine = new QHBoxLayout;
    startLine->addWidget(m_start);
    startLine->addSpacing(6);
    startLine->addWidget(mutedLabel(actions->start->shortcut().toString(QKeySequence::NativeText), ready));
    startLine->addStretch(1);
    QPushButton* watch = actionButton(actions->watch, "secondary", ready);
    const auto showWatch = [watch, action = actions->watch] { watch->setVisible(action->isEnabled()); };
    connect(actions->watch, &QAction::changed, watch, showWatch);
    showWatch();
    startLine->addWidget(watch);
    ready->body()->addLayout(startLine);
    m_otherWays = makeOtherWays(actions);
    ready->body()->addWidget(m_otherWays);
    m_command = wrapped(new QLabel(ready));
    m_command->setFont(fixedFont(font(), 0.85));
    m_command->setProperty("code", true);
    m_command->setAccessibleName(tr("The same in a terminal"));
    ready->body()->addWidget(m_command);
    m_copy = new QPushButton(tr("Copy command"), ready);
    m_copy->setProperty("link", QStringLiteral("plain"));
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(command()); });
    ready->body()->addWidget(m_copy, 0, Qt::AlignRight);
    layout->addWidget(ready);
    m_earlier = new Card(tr("Earlier"), side);
    m_earlier->body()->setSpacing(2);
    m_earlier->hide();
    layout->addWidget(m_earlier);
    layout->addStretch(1);
    // A low window cannot show all of it.
    m_sideScroll = scrolledOnCard(side);
    m_sideScroll->setFixedWidth(sideWidth);
    return m_sideScroll;
}

QWidget* PlanView::makeOtherWays(WindowActions* actions)
{
    auto* ways = new QWidget(m_readyCard);
    auto* layout = new QVBoxLayout(ways);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* python = dialogButton(tr("Measure with your Python"), "secondary", ways);
    connect(python, &QPushButton::clicked, this, [this] { choosePython(engine::anyPython); });
    for (QPushButton* button : {python, actionButton(actions->chooseNetwork, "secondary", ways),
                                actionButton(actions->writeSize, "secondary", ways)})
        layout->addWidget(button, 0, Qt::AlignLeft);
    return ways;
}

QSize PlanView::minimumSizeHint() const
{
    return {m_planCard->minimumSizeHint().width() + gap + minSideWidth, QWidget::minimumSizeHint().height()};
}

/// The side shrinks first: the form needs its width.
void PlanView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int frames = m_planCard->minimumSizeHint().width() - m_scroll->minimumWidth();
    const int room = width() - gap - frames - m_scroll->minimumWidth();
    m_sideScroll->setFixedWidth(std::clamp(room, minSideWidth, sideWidth));
    m_valuesWidth = width() - gap - m_sideScroll->width() - frames - scrollRoom -
                    m_scroll->verticalScrollBar()->sizeHint().width();
    if (!m_file)
        return;
    showValues();
    showReady();
}

void PlanView::setElsewhere(const QString& sentence)
{
    if (sentence == m_elsewhere)
        return;
    m_elsewhere = sentence;
    showReady();
}

/// Keeps rows whose text is unchanged: runs elsewhere begin and end while the user clicks.
void PlanView::setEarlier(const std::vector<EarlierRuns::Entry>& runs)
{
    std::vector<EarlierRow> before = std::exchange(m_earlierRows, {});
    for (const EarlierRuns::Entry& run : runs) {
        if (!run.choose || m_earlierRows.size() == maxEarlier)
            break;
        const auto same = std::ranges::find_if(
            before, [&run](const EarlierRow& row) { return row.button->text() == run.text; });
        QPushButton* button = same == before.end() ? makeEarlierButton(run.text) : same->button;
        if (same != before.end())
            before.erase(same);
        if (!m_earlierRows.empty())
            setTabOrder(m_earlierRows.back().button, button);
        m_earlierRows.push_back({.button = button, .choose = run.choose});
        // After the title.
        const auto place = static_cast<int>(m_earlierRows.size());
        if (m_earlier->body()->indexOf(button) == place)
            continue;
        m_earlier->body()->removeWidget(button);
        m_earlier->body()->insertWidget(place, button, 0, Qt::AlignLeft);
    }
    for (const EarlierRow& row : before)
        delete row.button;
    m_earlier->setVisible(!m_earlierRows.empty());
}

QPushButton* PlanView::makeEarlierButton(const QString& text)
{
    auto* button = new QPushButton(text, m_earlier);
    button->setProperty("link", QStringLiteral("plain"));
    connect(button, &QPushButton::clicked, this, [this, button] {
        // A copy, since calling it may remove the row.
        const auto choose = std::ranges::find(m_earlierRows, button, &EarlierRow::button)->choose;
        choose();
    });
    return button;
}

void PlanView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_memory->setTheme(theme);
    m_devices->setTheme(theme);
    showValues();
}

void PlanView::setConfig(const engine::ConfigFile& file, const engine::ExplorationOptions& options)
{
    m_file = file;
    m_options = options;
    m_hasNoTick = false;
    m_programs->forgetInterpreter();
    m_form->setOptions(options);
    refresh();
    m_scroll->ensureVisible(0, 0);
}

void PlanView::setDevices(const device::LocalDevices& devices)
{
    m_localDevices = devices;
    if (m_file)
        refresh();
}

void PlanView::setPython(const std::optional<engine::PythonStack>& python)
{
    m_python = python;
    if (!m_file)
        return;
    showPrograms();
    showReady();
}

QString PlanView::problem() const
{
    if (m_hasNoTick)
        return tr("No device is ticked. Tick one under Where.");
    if (QString unreadable = m_form->problem(); !unreadable.isEmpty())
        return unreadable;
    if (isAskingPython())
        return tr("Checking the packages of your Python.");
    if (!m_preview.problem.isEmpty() || m_options.python.isEmpty() || !m_options.isHere())
        return withLine(m_preview.problem, m_file->path());
    return m_preview.plan ? engine::problemFor(*m_python, m_preview.plan->load) : m_python->problem;
}

bool PlanView::isAskingPython() const
{
    return !m_hasNoTick && m_form->problem().isEmpty() && m_preview.problem.isEmpty() &&
           !m_options.python.isEmpty() && m_options.isHere() && !m_python;
}

void PlanView::chooseDevices(const QStringList& ids)
{
    m_hasNoTick = ids.isEmpty();
    if (m_hasNoTick) {
        showReady();
        emit problemChanged();
        return;
    }
    engine::ExplorationOptions options = m_form->options();
    options.devices = ids == defaultDevices(m_localDevices) ? QStringList() : ids;
    m_form->changeOptions(options);
    takeOptions(options);
}

void PlanView::choosePlaces(const QStringList& places)
{
    engine::ExplorationOptions options = m_form->options();
    if (places == options.places)
        return;
    options.places = places;
    // They named devices of another computer.
    options.devices.clear();
    m_hasNoTick = false;
    m_form->changeOptions(options);
    takeOptions(options);
}

void PlanView::choosePython(const QString& python)
{
    engine::ExplorationOptions options = m_form->options();
    options.python = python;
    m_form->changeOptions(options);
    takeOptions(options);
}

void PlanView::showPrograms()
{
    const bool isOther = !m_options.workerCommand.isEmpty();
    if (!m_options.isHere() && !isOther)
        return m_programs->displayElsewhere(m_options.python);
    m_programs->display(engine::trialProgramsFor(*m_file, m_python), m_options.python, isOther);
}

void PlanView::takeOptions(const engine::ExplorationOptions& options)
{
    m_options = options;
    refresh();
    emit optionsChanged(options);
}

void PlanView::refresh()
{
    m_preview = engine::previewOn(*m_file, m_options, m_localDevices);
    showValues();
    m_memory->display(m_preview);
    m_memory->setVisible(!m_memory->isEmpty());
    m_memoryTitle->setVisible(!m_memory->isEmpty());
    m_memoryUnit->setVisible(!m_memory->isEmpty());
    QStringList sentences;
    m_forecast.clear();
    if (m_preview.plan) {
        m_forecast = engine::planForecastText(engine::planForecast(m_preview, m_historyPath));
        const auto& run = m_preview.plan->run;
        setTextIfNew(m_memoryUnit, QStringLiteral("%1, %2, %3")
                                       .arg(m_memory->unit().name, engine::phaseText(run.phase),
                                            engine::enumText(run.precision)));
        sentences << engine::roomTexts(m_preview.devices) << engine::sizesText(*m_preview.plan)
                  << m_preview.plan->notes;
    }
    sentences.removeAll(QString());
    setTextIfNew(m_sizes, sentences.join(QLatin1Char('\n')));
    showOffers();
    m_form->display(m_preview);
    showDevices();
    showPrograms();
    showReady();
}

void PlanView::showDevices()
{
    QStringList remarks;
    if (!m_options.isHere()) {
        std::vector<DeviceList::PlaceRow> places;
        for (const QString& place : m_options.places) {
            const QString facts = m_placeFacts(place);
            places.push_back(
                {.name = place,
                 .facts = facts.isEmpty() ? tr("It says at the start what devices it has.") : facts});
        }
        if (!m_options.devices.isEmpty())
            remarks << tr("Only these of its devices are used: %1.")
                           .arg(m_options.devices.join(QLatin1String(", ")));
        return m_devices->displayPlaces(places, remarks.join(QLatin1Char('\n')));
    }
    if (!m_localDevices.gpuProblem.empty())
        remarks << QString::fromStdString(m_localDevices.gpuProblem);
    if (!m_localDevices.restriction.empty())
        remarks << tr("Other GPUs are hidden by %1.").arg(QString::fromStdString(m_localDevices.restriction));
    m_devices->display(m_preview.devices, remarks.join(QLatin1Char('\n')));
}

void PlanView::setPlaceFacts(std::function<QString(const QString& place)> facts)
{
    m_placeFacts = std::move(facts);
    if (m_file)
        showDevices();
}

void PlanView::showValues()
{
    const auto& values = m_preview.values;
    while (m_rows.size() < values.size())
        addValueRow();
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        const ValueRow& labels = m_rows[row];
        const bool isUsed = row < values.size();
        const engine::ReadValue shown = isUsed ? values[row] : engine::ReadValue();
        // A value without a place in the config may use the width of the place too, and may need it.
        const bool isWide = shown.place.isEmpty() || !hasRoomForPlace(shown.value);
        setWide(row, isWide);
        labels.value->setToolTip(isWide ? shown.place : QString());
        setTextIfNew(labels.name, shown.name);
        setTextIfNew(labels.value, shown.value);
        labels.place->setFullText(shown.place);
        labels.name->setVisible(isUsed);
        labels.value->setVisible(isUsed);
        labels.place->setVisible(isUsed && !isWide);
        // The last value of a plan is the fidelity of its numbers.
        const bool isLabel = m_preview.plan && row + 1 == values.size();
        showTone(labels.value, isLabel ? &m_preview.plan->run.fidelity : nullptr);
    }
}

/// Whether the place fits beside the value on one line.
bool PlanView::hasRoomForPlace(const QString& value) const
{
    constexpr int gaps = 2 * valueGap;
    const int place = fontMetrics().horizontalAdvance(QLatin1Char('m')) * 6;
    return nameWidth + gaps + fontMetrics().horizontalAdvance(value) + place <= m_valuesWidth;
}

void PlanView::addValueRow()
{
    const auto row = static_cast<int>(m_rows.size());
    const ValueRow labels{.name = mutedLabel(QString(), this),
                          .value = wrapped(new QLabel(this)),
                          .place = new ElidedLabel(Qt::ElideMiddle, this)};
    labels.value->setWordWrap(false);
    labels.place->setProperty("muted", true);
    labels.place->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    labels.place->setFont(scaled(font(), 0.9));
    m_values->addWidget(labels.name, row, 0, Qt::AlignTop);
    m_values->addWidget(labels.value, row, 1, Qt::AlignTop);
    m_values->addWidget(labels.place, row, 2);
    m_rows.push_back(labels);
}

void PlanView::setWide(std::size_t row, bool isWide)
{
    QLabel* value = m_rows[row].value;
    if (value->wordWrap() == isWide)
        return;
    value->setWordWrap(isWide);
    m_values->removeWidget(value);
    if (isWide)
        m_values->addWidget(value, static_cast<int>(row), 1, 1, 2);
    else
        m_values->addWidget(value, static_cast<int>(row), 1, Qt::AlignTop);
}

void PlanView::showTone(QLabel* value, const config::Fidelity* label)
{
    const QString sheet =
        label ? QStringLiteral("color: %1").arg((label->hasCaveat() ? m_theme.warn : m_theme.good).name())
              : QString();
    if (value->styleSheet() != sheet)
        value->setStyleSheet(sheet);
    value->setFont(scaled(font(), 1.0, label ? QFont::DemiBold : QFont::Normal));
}

void PlanView::showReady()
{
    const QString obstacle = problem();
    const bool isBad = !obstacle.isEmpty();
    if (m_ready->property("bad").toBool() != isBad) {
        m_ready->setProperty("bad", isBad);
        style()->unpolish(m_ready);
        style()->polish(m_ready);
    }
    const bool asksFirst = !isBad && !m_elsewhere.isEmpty();
    const bool isDoubtful = !isBad && !m_preview.warning.isEmpty();
    m_readyCard->setTitle(isBad        ? tr("Not ready")
                          : isDoubtful ? tr("Too little memory")
                          : asksFirst  ? tr("Start asks first")
                                       : tr("Ready"));
    setTextIfNew(m_warning, isDoubtful ? m_preview.warning : QString());
    m_warning->setVisible(isDoubtful);
    m_otherWays->setVisible(m_file && m_file->isForPythonAlone() && m_options.python.isEmpty());
    QString text = obstacle;
    if (!isBad && m_preview.plan)
        text = readyText(m_preview, m_options) + QLatin1Char('\n') + m_forecast;
    if (asksFirst)
        text = m_elsewhere + QLatin1Char('\n') + text;
    setTextIfNew(m_ready, text);
    const QString same = command();
    const int room = m_sideScroll->width() - besideCommand;
    const QFontMetrics& metrics = m_command->fontMetrics();
    setTextWithShortNames(m_command,
                          same.isEmpty() ? tr("The terminal command appears here once all fields are valid.")
                                         : inLines(same, engine::wordsFor(m_options), metrics, room),
                          room / metrics.horizontalAdvance(QLatin1Char('m')));
    m_copy->setEnabled(!same.isEmpty());
}

/// Keeps rows whose text is unchanged: devices are looked for again while the user clicks.
void PlanView::showOffers()
{
    const auto isSame = [](const engine::PlanOffer& shown, const engine::PlanOffer& offer) {
        return shown.kind == offer.kind && shown.reason == offer.reason && shown.label == offer.label &&
               shown.words == offer.words;
    };
    const bool areShown = std::ranges::equal(m_shownOffers, m_preview.offers, isSame);
    m_shownOffers = m_preview.offers;
    if (areShown)
        return;
    while (const std::unique_ptr<QLayoutItem> row{m_offers->takeAt(0)}) {
        // Deleted later, since its button may be the one that was clicked.
        row->widget()->hide();
        row->widget()->deleteLater();
    }
    for (const engine::PlanOffer& offer : m_shownOffers)
        m_offers->addWidget(makeOffer(offer));
}

QWidget* PlanView::makeOffer(const engine::PlanOffer& offer)
{
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(wrapped(mutedLabel(offer.reason, row)), 1);
    auto* button = new QPushButton(offer.label, row);
    button->setProperty("link", QStringLiteral("plain"));
    button->setToolTip(offer.words);
    button->setAccessibleDescription(offer.reason);
    connect(button, &QPushButton::clicked, this, [this, kind = offer.kind] {
        const auto taken = std::ranges::find(m_shownOffers, kind, &engine::PlanOffer::kind);
        const engine::ExplorationOptions options = taken->options;
        m_form->changeOptions(options);
        takeOptions(options);
    });
    line->addWidget(button, 0, Qt::AlignTop);
    return row;
}

QString PlanView::command() const
{
    if (!m_preview.plan || m_hasNoTick || !m_form->problem().isEmpty())
        return {};
    return engine::exploreCommand(m_file->path(), m_file->chosenModel(), engine::wordsFor(m_options));
}

} // namespace batchpeak::ui
