// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_download.h"

#include "config/network_source.h"
#include "files/hub_download.h"
#include "widgets/questions.h"
#include "workers/python_stack.h"

#include <QProcessEnvironment>
#include <QWidget>

#include <utility>

namespace batchpeak::ui {

NetworkDownload::NetworkDownload(QWidget* window)
    : QObject(window),
      m_window(window),
      m_download(
          new engine::HubDownload(engine::pythonIn(QProcessEnvironment::systemEnvironment()), {}, this))
{
    connect(m_download, &engine::HubDownload::ended, this,
            [this](const QString& problem) { emit ended(std::exchange(m_config, {}), problem); });
}

void NetworkDownload::begin(const config::NetworkName& name, const QString& config, const Theme& theme,
                            bool isAllowed)
{
    const QUrl hub = engine::hubEndpoint();
    const QString id = QString::fromStdString(name.name);
    try {
        if (!isAllowed && !mayDownload(m_window, id, hub, theme))
            return;
    } catch (const std::exception& error) {
        emit ended(config, QString::fromUtf8(error.what()));
        return;
    }
    m_config = config;
    emit began(tr("Fetching the config.json of %1 from %2…").arg(id, hub.host()));
    m_download->start(name);
}

bool NetworkDownload::isAlwaysAllowed()
{
    return engine::mayDownloadFrom(engine::hubEndpoint());
}

void NetworkDownload::askAgain()
{
    try {
        engine::setMayDownloadFrom(engine::hubEndpoint(), false);
    } catch (const std::exception& error) {
        emit ended({}, QString::fromUtf8(error.what()));
    }
}

} // namespace batchpeak::ui
