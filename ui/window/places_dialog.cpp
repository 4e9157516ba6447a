// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "places_dialog.h"

#include "options/option_values.h"
#include "options/place.h"
#include "places_model.h"
#include "theme/glyphs.h"
#include "widgets/buttons.h"
#include "widgets/labels.h"
#include "widgets/table_layout.h"

#include <QAction>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

constexpr QSize dialogSize{1120, 520};
constexpr QSize roomAround{40, 80};
// Shares of the width that the columns before the state have; the state has the rest [percent].
constexpr int columnShares[] = {14, 15, 22, 19};
// Lines that an error may need, so that the buttons do not move.
constexpr int problemLines = 4;

/// Breaks lines also within the names of hosts and paths, so that nothing is cut off, and replaces the check
/// box of Fusion, which is invisible on a dark card.
class BreakingText : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QString displayText(const QVariant& value, const QLocale& /*locale*/) const override
    {
        static const QRegularExpression joints(
            QStringLiteral("([/=@](?=\\w)|(?<=[A-Za-z])[.:_-](?=[A-Za-z]))"));
        return value.toString()
            .replace(joints, QStringLiteral("\\1") + QChar(0x200b))
            .replace(QLatin1Char('\n'), QChar::LineSeparator);
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        if (!(cell.features & QStyleOptionViewItem::HasCheckIndicator) || !cell.widget)
            return;
        const QRectF box =
            cell.widget->style()->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &cell, cell.widget);
        const QColor color = cell.palette.color(QPalette::Text);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(color);
        painter->setBrush(cell.palette.base());
        constexpr double radius = 3.0;
        painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
        if (cell.checkState == Qt::Checked)
            paintGlyph(*painter, Glyph::Check, box.adjusted(2.5, 2.5, -2.5, -2.5), color);
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        constexpr int lineGap = 8;
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, lineGap);
    }
};

QLineEdit* namedField(const QString& name, const QString& example, QWidget* parent)
{
    auto* field = new QLineEdit(parent);
    field->setAccessibleName(name);
    field->setPlaceholderText(example);
    return field;
}

} // namespace

PlacesDialog::PlacesDialog(PlacesModel* model, bool isChoosable, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_model(model), m_theme(theme)
{
    setWindowTitle(tr("Where"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addWidget(wrapped(
        new QLabel((isChoosable ? tr("Trials run on this computer, or at the places that are ticked.")
                                : tr("Where trials can run.")) +
                       QLatin1Char(' ') +
                       tr("A place is asked only when you test it; Slurm gives an allocation for that."),
                   this)));
    m_model->reload();
    m_model->setTheme(theme);
    m_model->setChoosable(isChoosable);
    addTable(layout);
    addButtons(layout, isChoosable);
    applyPalette(*this, theme);
    connect(m_model, &PlacesModel::changed, this, &PlacesDialog::follow);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &PlacesDialog::fitRowsSoon);
    connect(m_model, &QAbstractItemModel::modelReset, this, &PlacesDialog::fitRowsSoon);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &PlacesDialog::follow);
    const QSize room = (parent ? parent->size() : screen()->availableSize()) - roomAround;
    resize(dialogSize.boundedTo(room.expandedTo(minimumSizeHint())));
    select(0);
    m_table->setFocus();
    if (!m_model->isTested(0))
        m_model->test(0);
    follow();
}

PlacesDialog::~PlacesDialog()
{
    m_model->setChoosable(false);
}

void PlacesDialog::addTable(QVBoxLayout* layout)
{
    m_table = new QTableView(this);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("This computer and the saved places"));
    applyTableStyle(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setWordWrap(true);
    m_table->setItemDelegate(new BreakingText(m_table));
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setStretchLastSection(true);
    connect(header, &QHeaderView::sectionResized, this, &PlacesDialog::fitRowsSoon);
    const auto addAction = [this](const QString& text, const QKeySequence& key, auto slot) {
        auto* action = new QAction(text, m_table);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, slot);
        m_table->addAction(action);
    };
    addAction(tr("&Copy row"), QKeySequence::Copy, &PlacesDialog::copyRow);
    addAction(tr("&Remove"), QKeySequence::Delete, &PlacesDialog::removePlace);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    layout->addWidget(m_table, 1);
}

void PlacesDialog::addButtons(QVBoxLayout* layout, bool isChoosable)
{
    auto* buttons = new QHBoxLayout;
    auto* add = dialogButton(tr("&Add…"), "secondary", this);
    m_remove = dialogButton(tr("&Remove"), "secondary", this);
    m_test = dialogButton(tr("&Test"), "secondary", this);
    m_send = dialogButton(tr("&Send bundle"), "secondary", this);
    auto* close = dialogButton(isChoosable ? tr("Cancel") : tr("Close"), "secondary", this);
    for (QPushButton* button : {add, m_remove, m_test, m_send})
        buttons->addWidget(button);
    buttons->addStretch(1);
    if (isChoosable) {
        m_choose = dialogButton(QString(), "primary", this);
        m_choose->setDefault(true);
        buttons->addWidget(m_choose);
        connect(m_choose, &QPushButton::clicked, this, &QDialog::accept);
    }
    buttons->addWidget(close);
    layout->addLayout(buttons);
    connect(add, &QPushButton::clicked, this, &PlacesDialog::addPlace);
    connect(m_remove, &QPushButton::clicked, this, &PlacesDialog::removePlace);
    connect(m_test, &QPushButton::clicked, this, &PlacesDialog::testOrCancel);
    connect(m_send, &QPushButton::clicked, this, [this] { m_model->send(current()); });
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
}

void PlacesDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    layout()->activate();
    for (int column = 0; column < PlacesModel::State; ++column)
        m_table->setColumnWidth(column, m_table->width() * columnShares[column] / 100);
}

/// A scroll bar that appears, or disappears, changes the width that the rows have.
void PlacesDialog::fitRowsSoon()
{
    QTimer::singleShot(0, m_table, &QTableView::resizeRowsToContents);
}

int PlacesDialog::current() const
{
    const auto rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : rows.front().row();
}

void PlacesDialog::select(int row)
{
    m_table->setCurrentIndex(m_model->index(row, PlacesModel::Name));
}

void PlacesDialog::addPlace()
{
    NewPlaceDialog dialog(m_theme, this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    m_model->reload();
    select(m_model->rowOf(dialog.name()));
}

void PlacesDialog::removePlace()
{
    const int row = current();
    if (row < 0 || !m_model->canRemove(row))
        return;
    m_model->remove(row);
    select(std::min(row, m_model->rowCount() - 1));
}

void PlacesDialog::testOrCancel()
{
    const int row = current();
    if (row < 0)
        return;
    if (m_model->isBusy(row))
        m_model->cancel(row);
    else
        m_model->test(row);
}

void PlacesDialog::copyRow() const
{
    if (current() >= 0)
        QGuiApplication::clipboard()->setText(m_model->rowText(current()));
}

void PlacesDialog::follow()
{
    const int row = current();
    const bool isBusy = row >= 0 && m_model->isBusy(row);
    m_remove->setEnabled(row >= 0 && m_model->canRemove(row));
    m_test->setEnabled(row >= 0);
    m_test->setText(isBusy ? tr("S&top it") : tr("&Test"));
    m_send->setEnabled(row >= 0 && m_model->canSend(row));
    m_send->setToolTip(
        m_model->hasBundle()
            ? tr("Copy Batchpeak's worker and its Python package there, into ~/.cache/batchpeak")
            : tr("There is no bundle to send; \"make bundle\" in the folder of Batchpeak's sources makes "
                 "it."));
    if (!m_choose)
        return;
    const QStringList chosen = m_model->chosen();
    m_choose->setText(chosen.isEmpty()     ? tr("&Use this computer")
                      : chosen.size() == 1 ? tr("&Use %1").arg(withShortNames(chosen.front(), 24))
                                           : tr("&Use %1 places").arg(chosen.size()));
}

NewPlaceDialog::NewPlaceDialog(const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_theme(theme),
      m_name(namedField(tr("Name"), tr("box"), this)),
      m_text(namedField(tr("Place"), tr("ssh:gpu7"), this)),
      m_finding(wrapped(new QLabel(this))),
      m_save(dialogButton(tr("&Save"), "primary", this))
{
    setWindowTitle(tr("Add a place"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    auto* fields = new QGridLayout;
    for (const auto& [row, text, field] :
         {std::tuple(0, tr("&Name:"), m_name), std::tuple(1, tr("&Place:"), m_text)}) {
        auto* label = new QLabel(text, this);
        label->setBuddy(field);
        fields->addWidget(label, row, 0);
        fields->addWidget(field, row, 1);
    }
    layout->addLayout(fields);
    layout->addWidget(wrapped(mutedLabel(tr("ssh:HOST, slurm, slurm:PARTITION or podman:CONTAINER, each with "
                                            "options of that program after it, "
                                            "such as \"slurm:gpu -N 2 --time=1:00:00\"; or the beginning of "
                                            "a command, such as \"prefix kubectl "
                                            "exec -i trainer --\"."),
                                         this)));
    m_finding->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_finding->setMinimumHeight(problemLines * fontMetrics().lineSpacing());
    layout->addWidget(m_finding, 1);
    auto* buttons = new QDialogButtonBox(this);
    m_save->setDefault(true);
    buttons->addButton(m_save, QDialogButtonBox::AcceptRole);
    buttons->addButton(dialogButton(tr("Cancel"), "secondary", this), QDialogButtonBox::RejectRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &NewPlaceDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &NewPlaceDialog::reject);
    layout->addWidget(buttons);
    applyPalette(*this, theme);
    for (const QLineEdit* field : {m_name, m_text})
        connect(field, &QLineEdit::textChanged, this, &NewPlaceDialog::check);
    check();
    m_name->setFocus();
    constexpr int width = 520;
    resize(width, sizeHint().height());
}

QString NewPlaceDialog::name() const
{
    return m_name->text().trimmed();
}

QString NewPlaceDialog::text() const
{
    return m_text->text().trimmed();
}

void NewPlaceDialog::setPlace(const QString& name, const QString& text)
{
    m_name->setText(name);
    m_text->setText(text);
}

QString NewPlaceDialog::finding() const
{
    return m_finding->text();
}

void NewPlaceDialog::check()
{
    QString sentence;
    Tone tone = Tone::Bad;
    const bool isWhole = !name().isEmpty() && !text().isEmpty();
    try {
        // A field that is still empty is no mistake yet.
        if (isWhole || !name().isEmpty())
            engine::checkPlace(name(), isWhole ? text() : QStringLiteral("slurm"));
        else if (!text().isEmpty())
            engine::placeFromText(text());
        if (const QString before = engine::savedPlaces().value(name()); !before.isEmpty()) {
            sentence = tr("This replaces the place of that name, %1.").arg(before);
            tone = Tone::Warn;
        }
    } catch (const engine::UsageError& error) {
        sentence = QString::fromUtf8(error.what());
    }
    showFinding(sentence, tone);
    m_save->setEnabled(isWhole && (sentence.isEmpty() || tone == Tone::Warn));
}

void NewPlaceDialog::showFinding(QString sentence, Tone tone)
{
    if (!sentence.isEmpty())
        sentence[0] = sentence.at(0).toUpper();
    m_finding->setStyleSheet(QStringLiteral("color: %1").arg(colorOf(tone, m_theme).name()));
    setTextIfNew(m_finding, sentence);
    m_text->setAccessibleDescription(sentence);
}

void NewPlaceDialog::accept()
{
    if (!m_save->isEnabled())
        return;
    try {
        engine::savePlace(name(), text());
        QDialog::accept();
    } catch (const engine::UsageError& error) {
        showFinding(QString::fromUtf8(error.what()), Tone::Bad);
    }
}

} // namespace batchpeak::ui
