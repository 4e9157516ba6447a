// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/config_file.h"
#include "theme/theme.h"

#include <QObject>

class QWidget;

namespace batchpeak::ui {

class WindowSettings;

/// A config without a network that can be run, so that one has to be chosen; it says why.
class NetworkNeeded : public config::ConfigError
{
public:
    using ConfigError::ConfigError;
};

/// Which network is run for a config: its own, or the one that a person chose for it, which is remembered
/// with the path of the config.
class NetworkPicker : public QObject
{
    Q_OBJECT

public:
    /// \param window  that its dialog belongs to
    NetworkPicker(WindowSettings* settings, QWidget* window);

    /// \p config with the network to run.
    ///
    /// \param config   as it was opened
    /// \param network  file or id to take and to remember; empty for what is remembered
    /// \throws NetworkNeeded where there is none, or it cannot be run
    engine::ConfigFile completed(const engine::ConfigFile& config, const QString& network = {});
    /// Asks for a network, and remembers it. \return whether one was chosen
    bool choose(const engine::ConfigFile& config, const Theme& theme);

private:
    WindowSettings* m_settings;
    QWidget* m_window;
};

} // namespace batchpeak::ui
