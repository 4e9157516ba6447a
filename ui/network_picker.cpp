// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_picker.h"

#include "engine/located_error.h"
#include "network_dialog.h"
#include "window_settings.h"

#include <QDir>
#include <QFileInfo>
#include <QWidget>

namespace batchpeak::ui {

namespace {

QString keyOf(const engine::ConfigFile& config)
{
    return QFileInfo(config.path()).absoluteFilePath();
}

} // namespace

NetworkPicker::NetworkPicker(WindowSettings* settings, QWidget* window)
    : QObject(window), m_settings(settings), m_window(window)
{}

engine::ConfigFile NetworkPicker::completed(const engine::ConfigFile& config, const QString& network)
{
    // A file is remembered for later, when the program may run in another folder.
    const QString chosen =
        network.isEmpty() ? m_settings->networkOf(keyOf(config)) : absoluteSource(network, QDir::current());
    if (chosen.isEmpty()) {
        if (const auto* none = std::get_if<config::UnsupportedModel>(&config.contents().model))
            throw NetworkNeeded(
                engine::located(config.path(), config::ConfigError(none->sentence, none->position)).what());
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
