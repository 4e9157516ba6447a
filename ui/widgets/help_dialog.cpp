// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "help_dialog.h"

#include "buttons.h"
#include "labels.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QLibraryInfo>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace batchpeak::ui {

namespace {

constexpr int textWidth = 520;

QLabel* heading(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(scaled(label->font(), 1.05, QFont::DemiBold));
    return label;
}

QLabel* paragraph(const QString& text, QWidget* parent)
{
    auto* label = wrapped(new QLabel(text, parent));
    label->setMinimumWidth(textWidth);
    return label;
}

void addClose(QDialog& dialog, QVBoxLayout* layout)
{
    auto* buttons = new QDialogButtonBox(&dialog);
    auto* close = dialogButton(HelpDialog::tr("Close"), "primary", &dialog);
    close->setDefault(true);
    buttons->addButton(close, QDialogButtonBox::RejectRole);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    layout->addWidget(buttons);
}

QString allText(const QDialog& dialog)
{
    QStringList lines;
    for (const auto* label : dialog.findChildren<QLabel*>())
        lines << label->text();
    return lines.join(QLatin1Char('\n'));
}

/// Returns the keys that are not shortcuts of the window's actions, and what they do.
QList<std::pair<QString, QString>> otherKeys()
{
    return {{HelpDialog::tr("Space"), HelpDialog::tr("Pause or resume, in a chart")},
            {HelpDialog::tr("Left, Right"), HelpDialog::tr("Go through the sizes, in a chart")},
            {HelpDialog::tr("Return"), HelpDialog::tr("Select the size, in a chart")},
            {HelpDialog::tr("Wheel, + and -"), HelpDialog::tr("Zoom a chart")},
            {HelpDialog::tr("Home, double click"), HelpDialog::tr("Show all of a chart")},
            {HelpDialog::tr("Click on a title"), HelpDialog::tr("Sort the table of trials")}};
}

} // namespace

HelpDialog::HelpDialog(const QList<QAction*>& actions, const Theme& theme, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Help"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    layout->addWidget(heading(tr("From a config to a size"), this));
    layout->addWidget(
        paragraph(tr("Open the config of your trainer, or drop it anywhere. Start tries sizes on the devices "
                     "of this computer, or at a place under Where, and always shows the recommended size "
                     "with its confidence. Export "
                     "shows what would change in the config before it writes the size."),
                  this));
    layout->addSpacing(6);
    layout->addWidget(heading(tr("Keys"), this));

    auto* keys = new QGridLayout;
    keys->setHorizontalSpacing(18);
    keys->setVerticalSpacing(2);
    // Two columns of keys make the page fit on small screens.
    QList<std::pair<QString, QString>> entries;
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty())
            continue;
        entries.append({action->shortcut().toString(QKeySequence::NativeText),
                        QString(action->text()).remove(QLatin1Char('&')).remove(QStringLiteral("…"))});
    }
    entries += otherKeys();
    const auto rows = static_cast<int>((entries.size() + 1) / 2);
    for (int place = 0; place < entries.size(); ++place) {
        const auto& [key, what] = entries.at(place);
        auto* name = new QLabel(key, this);
        name->setFont(scaled(name->font(), 1.0, QFont::DemiBold));
        keys->addWidget(name, place % rows, place / rows * 2);
        keys->addWidget(mutedLabel(what, this), place % rows, place / rows * 2 + 1);
    }
    layout->addLayout(keys);
    layout->addSpacing(6);
    layout->addWidget(heading(tr("In the terminal"), this));
    layout->addWidget(paragraph(
        tr("batchpeak explore does the same without a window, and batchpeak --help lists every command; "
           "man batchpeak explains them."),
        this));
    layout->addStretch(1);
    addClose(*this, layout);
    applyPalette(*this, theme);
}

QString HelpDialog::text() const
{
    return allText(*this);
}

AboutDialog::AboutDialog(const Theme& theme, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("About Batchpeak"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    auto* name = new QLabel(tr("Batchpeak %1").arg(QStringLiteral(BATCHPEAK_VERSION)), this);
    name->setFont(scaled(name->font(), 1.4, QFont::DemiBold));
    layout->addWidget(name);
    layout->addWidget(paragraph(
        tr("Finds the micro-batch size at which a neural network trains or evaluates fastest on the devices "
           "of this computer, by live trials."),
        this));
    layout->addWidget(paragraph(
        tr("Free software under the GNU General Public License, version 3 or later (GPL-3.0-or-later). It "
           "comes without any warranty."),
        this));
    layout->addWidget(paragraph(tr("Made with Qt %1, Qt Charts, libtorch, Eigen, SQLite, libyaml, yaml-cpp, "
                                   "nlohmann-json, toml++, PCRE2, CLI11, muParser and xxHash.")
                                    .arg(QLibraryInfo::version().toString()),
                                this));
    layout->addStretch(1);
    addClose(*this, layout);
    applyPalette(*this, theme);
}

QString AboutDialog::text() const
{
    return allText(*this);
}

} // namespace batchpeak::ui
