// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <chrono>
#include <memory>

namespace batchpeak::config {
struct NetworkName;
}

namespace batchpeak::engine {

/// What is fetched from a hub, and under which conditions. A download never starts by itself: a person
/// consents to each, or to all from one hub.

/// Returns HF_ENDPOINT, else https://huggingface.co (constants.py of huggingface_hub 1.0).
QUrl hubEndpoint();
/// Whether a person has consented to all downloads from that hub.
bool mayDownloadFrom(const QUrl& hub);
/// Remembers that consent, or takes it back.
/// \throws ExplorationError if the list cannot be written
void setMayDownloadFrom(const QUrl& hub, bool may);

/// Limits of a download. A config.json has some kilobytes.
struct HubLimits
{
    qint64 bytes = qint64{1} << 20;
    /// Longest time without a byte.
    std::chrono::milliseconds silence = std::chrono::seconds(15);
    /// Longest wait that a hub may ask for (Retry-After).
    std::chrono::milliseconds wait = std::chrono::seconds(20);
};

/// Fetches the files that describe a network, and nothing else, into the user's cache of the Hugging Face
/// hub: config.json, or else params.json or adapter_config.json, and generation_config.json beside it. No
/// weights and no code are fetched. The user's huggingface_hub does it where there is one, with its own
/// proxies and tokens; else this class does, by HTTPS, in the same layout (file_download.py of
/// huggingface_hub 1.0).
class HubDownload : public QObject
{
    Q_OBJECT

public:
    /// \param python  interpreter of the user; empty to do without
    explicit HubDownload(QString python, HubLimits limits = {}, QObject* parent = nullptr);
    ~HubDownload() override;

    /// Starts fetching; ended() follows. A download that is under way is canceled.
    void start(const config::NetworkName& name);
    void cancel();

    /// Fetches and waits, without an event loop of the caller's own.
    /// \return empty if the network is in the cache now; else why it is not, as a sentence
    QString fetch(const config::NetworkName& name);

signals:
    /// \param problem  empty if the network is in the cache now; else why it is not, as a sentence that says
    /// what to do
    void ended(const QString& problem);

private:
    class Fetching;
    std::unique_ptr<Fetching> m_fetching;
    QString m_python;
    HubLimits m_limits;
};

} // namespace batchpeak::engine
