// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "theme/theme.h"

#include <QDialog>
#include <QObject>
#include <QTimer>

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;
class QWidget;

namespace batchpeak::ui {

class WindowSettings;

/// Asks which network to run for a config: that of a file, or a well-known one by its id. The input is
/// checked while it is typed, and can be accepted once it names a network that the config can run with.
class NetworkDialog : public QDialog
{
    Q_OBJECT

public:
    /// \param config   the config as it was opened, with its own network or none
    /// \param present  file or id that was chosen for it before; empty if none was
    NetworkDialog(const engine::ConfigFile& config, const QString& present, const Theme& theme,
                  QWidget* parent = nullptr);

    /// Returns the absolute path of a file, or an id; empty for the config's own network.
    QString network() const { return m_network; }
    void setText(const QString& fileOrId);
    /// Returns what is known of the input: the network that it names, or why it names none.
    QString finding() const;

    /// Does nothing if the input names no network.
    void accept() override;

private:
    void addQuestion(QVBoxLayout* layout);
    void addField(QVBoxLayout* layout);
    void addButtons(QVBoxLayout* layout);
    QString chosen() const;
    void scheduleCheck();
    void check();
    void showFinding(const QString& sentence, Tone tone);
    void browse();

    const engine::ConfigFile& m_config;
    Theme m_theme;
    QString m_network;
    bool m_isSound = false;
    QTimer m_pause;
    QComboBox* m_field;
    QLabel* m_finding;
    QPushButton* m_choose = nullptr;
};

/// Error for a config without a network that can be run, so that the user has to choose one; it says why.
class NetworkNeeded : public config::ConfigError
{
public:
    using ConfigError::ConfigError;
};

/// Determines which network to run for a config: its own, or the one that the user chose for it, which is
/// stored with the path of the config.
class NetworkPicker : public QObject
{
    Q_OBJECT

public:
    /// \param window  parent of its dialog
    NetworkPicker(WindowSettings* settings, QWidget* window);

    /// Returns \p config with the network to run.
    ///
    /// \param config   the config as it was opened
    /// \param network  file or id to use and to store; empty for the stored one
    /// \throws NetworkNeeded if there is none, or it cannot be run
    engine::ConfigFile completed(const engine::ConfigFile& config, const QString& network = {});
    /// Asks for a network, and stores it.
    /// \return whether one was chosen
    bool choose(const engine::ConfigFile& config, const Theme& theme);

private:
    WindowSettings* m_settings;
    QWidget* m_window;
};

} // namespace batchpeak::ui
