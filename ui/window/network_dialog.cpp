// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_dialog.h"

#include "actions/window_settings.h"
#include "config/networks/hub_models.h"
#include "files/network_files.h"
#include "text/batch_text.h"
#include "text/errors.h"
#include "widgets/buttons.h"
#include "widgets/labels.h"

#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>

#include <chrono>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

// Pause in typing after which the input is checked, long enough that half a word is not reported as wrong.
constexpr auto pauseInWriting = 300ms;
constexpr int defaultWidth = 620;
// Lines that an error may need, so that the buttons do not move.
constexpr int findingLines = 4;

QStringList knownIds()
{
    QStringList ids;
    for (const config::HubModel& model : config::hubModels()) {
        for (std::string_view id : model.ids)
            ids << QString::fromUtf8(id);
    }
    ids.sort(Qt::CaseInsensitive);
    return ids;
}

bool hasOwnNetwork(const engine::ConfigFile& config)
{
    return std::holds_alternative<model::ModelSpec>(config.contents().model);
}

QString keyOf(const engine::ConfigFile& config)
{
    return QFileInfo(config.path()).absoluteFilePath();
}

/// Returns the absolute path if the text names a file or a folder with a network; an id stays as it is.
/// \param folder  folder that a path is relative to
QString absoluteSource(const QString& fileOrId, const QDir& folder)
{
    const QString path = QDir::cleanPath(folder.absoluteFilePath(fileOrId));
    return !fileOrId.isEmpty() && engine::describesNetwork(path) ? path : fileOrId;
}

QString findingOn(const engine::ConfigFile& completed)
{
    const QString network =
        engine::networkText(std::get<model::ModelSpec>(completed.contentsForPython().model));
    return completed.isForPythonAlone()
               ? NetworkDialog::tr("This is %1. Your Python may run it.").arg(network)
               : NetworkDialog::tr("This is %1.").arg(network);
}

} // namespace

NetworkDialog::NetworkDialog(const engine::ConfigFile& config, const QString& present, const Theme& theme,
                             QWidget* parent)
    : QDialog(parent),
      m_config(config),
      m_theme(theme),
      m_network(present),
      m_field(new QComboBox(this)),
      m_finding(wrapped(new QLabel(this)))
{
    setWindowTitle(tr("Choose the network"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    addQuestion(layout);
    addField(layout);
    m_finding->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_finding->setMinimumHeight(findingLines * fontMetrics().lineSpacing());
    layout->addWidget(m_finding, 1);
    addButtons(layout);
    applyPalette(*this, theme);
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseInWriting);
    connect(&m_pause, &QTimer::timeout, this, &NetworkDialog::check);
    connect(m_field, &QComboBox::editTextChanged, this, &NetworkDialog::scheduleCheck);
    connect(m_field, &QComboBox::textActivated, this, &NetworkDialog::check);
    m_field->setEditText(present);
    check();
    m_field->setFocus();
    resize(defaultWidth, sizeHint().height());
}

void NetworkDialog::addQuestion(QVBoxLayout* layout)
{
    const QString name = QFileInfo(m_config.path()).fileName();
    const auto* unsupported = std::get_if<config::UnsupportedModel>(&m_config.contents().model);
    const QString question =
        unsupported
            ? QString::fromStdString(unsupported->sentence)
            : tr("%1 already describes a network: %2. You can run another one instead.")
                  .arg(name, engine::networkText(std::get<model::ModelSpec>(m_config.contents().model)));
    layout->addWidget(wrapped(new QLabel(question, this)));
}

void NetworkDialog::addField(QVBoxLayout* layout)
{
    m_field->setEditable(true);
    m_field->setInsertPolicy(QComboBox::NoInsert);
    m_field->addItems(knownIds());
    m_field->setCurrentIndex(-1);
    m_field->setAccessibleName(tr("File or id of the network"));
    m_field->setMinimumContentsLength(30);
    m_field->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_field->completer()->setCompletionMode(QCompleter::PopupCompletion);
    m_field->completer()->setFilterMode(Qt::MatchContains);
    auto* label = new QLabel(tr("&Network:"), this);
    label->setBuddy(m_field);
    auto* browse = dialogButton(tr("&Browse…"), "secondary", this);
    connect(browse, &QPushButton::clicked, this, &NetworkDialog::browse);
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(m_field, 1);
    row->addWidget(browse);
    layout->addLayout(row);
    layout->addWidget(wrapped(mutedLabel(
        tr("The id of a network on the Hugging Face hub, well known or in your cache; the folder of one; or "
           "a "
           "file that describes it: a config.json of Hugging Face, a Cerebras config, or Batchpeak's own "
           "YAML."),
        this)));
}

void NetworkDialog::addButtons(QVBoxLayout* layout)
{
    auto* buttons = new QDialogButtonBox(this);
    m_choose = dialogButton(tr("&Choose"), "primary", this);
    m_choose->setDefault(true);
    buttons->addButton(m_choose, QDialogButtonBox::AcceptRole);
    buttons->addButton(dialogButton(tr("Cancel"), "secondary", this), QDialogButtonBox::RejectRole);
    if (!m_network.isEmpty() && hasOwnNetwork(m_config)) {
        auto* own = dialogButton(tr("&Use the config's own"), "secondary", this);
        buttons->addButton(own, QDialogButtonBox::ResetRole);
        connect(own, &QPushButton::clicked, this, [this] {
            m_network.clear();
            QDialog::accept();
        });
    }
    connect(buttons, &QDialogButtonBox::accepted, this, &NetworkDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &NetworkDialog::reject);
    layout->addWidget(buttons);
}

void NetworkDialog::setText(const QString& fileOrId)
{
    m_field->setEditText(fileOrId);
    check();
}

QString NetworkDialog::finding() const
{
    return m_finding->text();
}

QString NetworkDialog::chosen() const
{
    // Users expect paths to be relative to the config, not to the folder in which the program was started.
    return absoluteSource(m_field->currentText().trimmed(), QFileInfo(m_config.path()).absoluteDir());
}

void NetworkDialog::scheduleCheck()
{
    m_isSound = false;
    m_choose->setEnabled(false);
    showFinding({}, Tone::Muted);
    m_pause.start();
}

void NetworkDialog::check()
{
    m_pause.stop();
    m_isSound = false;
    const QString fileOrId = chosen();
    if (fileOrId.isEmpty()) {
        showFinding({}, Tone::Muted);
    } else {
        try {
            const engine::ConfigFile completed = m_config.withModel(fileOrId);
            showFinding(findingOn(completed), Tone::Plain);
            m_isSound = true;
        } catch (const config::ConfigError& error) {
            showFinding(QString::fromUtf8(error.what()), Tone::Bad);
        }
    }
    m_choose->setEnabled(m_isSound);
}

void NetworkDialog::showFinding(const QString& sentence, Tone tone)
{
    m_finding->setStyleSheet(QStringLiteral("color: %1").arg(colorOf(tone, m_theme).name()));
    m_finding->setText(sentence);
    m_field->setAccessibleDescription(sentence);
}

void NetworkDialog::browse()
{
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Open a network"), QFileInfo(m_config.path()).absolutePath(),
                                     tr("Configs (*.json *.yaml *.yml);;All files (*)"));
    if (!file.isEmpty())
        setText(file);
}

void NetworkDialog::accept()
{
    // Enter may be pressed before the pause has elapsed.
    check();
    if (!m_isSound)
        return;
    m_network = chosen();
    QDialog::accept();
}

NetworkPicker::NetworkPicker(WindowSettings* settings, QWidget* window)
    : QObject(window), m_settings(settings), m_window(window)
{}

engine::ConfigFile NetworkPicker::completed(const engine::ConfigFile& config, const QString& network)
{
    // The absolute path is stored, since the program may later run in another folder.
    const QString chosen =
        network.isEmpty() ? m_settings->networkOf(keyOf(config)) : absoluteSource(network, QDir::current());
    if (chosen.isEmpty()) {
        const auto* none = std::get_if<config::UnsupportedModel>(&config.contents().model);
        if (none && !config.isForPythonAlone())
            throw NetworkNeeded(
                engine::located(config.path(), config::ConfigError(none->sentence, none->position)).what(),
                none->position);
        return config;
    }
    try {
        engine::ConfigFile file = config.withModel(chosen);
        m_settings->setNetworkOf(keyOf(config), chosen);
        return file;
    } catch (const config::ConfigError& error) {
        throw NetworkNeeded(error.what(), error.position());
    }
}

bool NetworkPicker::choose(const engine::ConfigFile& config, const Theme& theme)
{
    NetworkDialog dialog(config, m_settings->networkOf(keyOf(config)), theme, m_window);
    if (dialog.exec() != QDialog::Accepted)
        return false;
    m_settings->setNetworkOf(keyOf(config), dialog.network());
    return true;
}

} // namespace batchpeak::ui
