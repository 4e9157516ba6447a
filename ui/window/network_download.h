// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QObject>
#include <QString>

class QWidget;

namespace batchpeak::config {
struct NetworkName;
}

namespace batchpeak::engine {
class HubDownload;
}

namespace batchpeak::ui {

/// Fetches the description of a network that a config only names, after the user has consented. It does not
/// read the config again.
class NetworkDownload : public QObject
{
    Q_OBJECT

public:
    explicit NetworkDownload(QWidget* window);

    /// Asks, unless the user has allowed all downloads, and begins.
    /// \param isAllowed  whether the user has consented already
    void begin(const config::NetworkName& name, const QString& config, const Theme& theme,
               bool isAllowed = false);
    /// Returns the config for whose network a download is under way; empty if there is none.
    const QString& config() const { return m_config; }

    /// Whether the user has allowed all downloads from the hub.
    static bool isAlwaysAllowed();
    /// Takes that back.
    void askAgain();

signals:
    /// \param sentence  what is fetched, and from where
    void began(const QString& sentence);
    /// \param problem  empty if the network is known now; else why it is not
    void ended(const QString& config, const QString& problem);

private:
    QWidget* m_window;
    engine::HubDownload* m_download;
    QString m_config;
};

} // namespace batchpeak::ui
