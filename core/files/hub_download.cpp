// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_download.h"

#include "config/network_source.h"
#include "hub_cache.h"
#include "saved_file.h"
#include "text/errors.h"
#include "trusted_code.h"

#include <QCoreApplication>
#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QHostAddress>
#include <QJsonDocument>
#include <QJsonObject>
#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QNetworkReply>
#include <QProcess>
#include <QRegularExpression>
#include <QTimer>

#include <algorithm>

namespace batchpeak::engine {

namespace {

const QString networkDescription = QStringLiteral("config.json");
const QString checkpointDescription = QStringLiteral("params.json");
const QString adapterDescription = QStringLiteral("adapter_config.json");
const QString generationSettings = QStringLiteral("generation_config.json");

QString tr(const char* text)
{
    return QCoreApplication::translate("HubDownload", text);
}

QString listPath()
{
    return QFileInfo(trustListPath()).dir().filePath(QStringLiteral("trusted-hubs"));
}

QStringList trustedHubs()
{
    QFile list(listPath());
    if (!list.open(QIODevice::ReadOnly))
        return {};
    return QString::fromUtf8(list.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

QString nameOf(const QUrl& hub)
{
    return hub.toString(QUrl::RemovePath | QUrl::RemoveQuery | QUrl::RemoveUserInfo);
}

/// Whether a variable is set to a true value, as in constants.py of huggingface_hub 1.0.
bool isSet(const char* variable)
{
    return QStringList{QStringLiteral("1"), QStringLiteral("ON"), QStringLiteral("YES"),
                       QStringLiteral("TRUE")}
        .contains(qEnvironmentVariable(variable).toUpper());
}

/// Returns the user's token: get_token in utils/_auth.py of huggingface_hub 1.0.
QByteArray hubToken()
{
    for (const char* variable : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
        if (const QByteArray token = qgetenv(variable).trimmed(); !token.isEmpty())
            return token;
    }
    const QString named = qEnvironmentVariable("HF_TOKEN_PATH");
    QFile file(named.isEmpty() ? QFileInfo(hubCacheFolder()).dir().filePath(QStringLiteral("token")) : named);
    constexpr qint64 maxBytes = 4096;
    return file.open(QIODevice::ReadOnly) ? file.read(maxBytes).trimmed() : QByteArray();
}

bool isOfLoopback(const QUrl& url)
{
    return url.host() == QLatin1String("localhost") || QHostAddress(url.host()).isLoopback();
}

/// Returns the proxy that the environment names for a URL, as Python's urllib does (getproxies_environment).
QNetworkProxy proxyFor(const QUrl& url)
{
    const auto variable = [](const QString& name) {
        const QString value = qEnvironmentVariable(name.toLatin1().constData());
        return value.isEmpty() ? qEnvironmentVariable(name.toUpper().toLatin1().constData()) : value;
    };
    const QStringList direct =
        variable(QStringLiteral("no_proxy")).split(QLatin1Char(','), Qt::SkipEmptyParts);
    const auto isDirect = [&url](const QString& entry) {
        QString domain = entry.trimmed();
        if (domain.startsWith(QLatin1Char('.')))
            domain.remove(0, 1);
        return domain == QLatin1String("*") || url.host() == domain ||
               url.host().endsWith(QLatin1Char('.') + domain);
    };
    QString named = variable(url.scheme() + QStringLiteral("_proxy"));
    if (named.isEmpty())
        named = variable(QStringLiteral("all_proxy"));
    if (named.isEmpty() || std::ranges::any_of(direct, isDirect))
        return QNetworkProxy::NoProxy;
    const QUrl proxy(named.contains(QLatin1String("://")) ? named : QStringLiteral("http://") + named);
    constexpr int defaultPort = 8080;
    const bool isSocks = proxy.scheme().startsWith(QLatin1String("socks"));
    return {isSocks ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy, proxy.host(),
            static_cast<quint16>(proxy.port(defaultPort)), proxy.userName(), proxy.password()};
}

/// Fetches by the user's huggingface_hub. It prints one line, "done" or "problem: ...", and exits with 3 if
/// the package is missing.
constexpr const char* pythonProgram = R"py(
import sys
try:
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
except Exception:
    sys.exit(3)
name, revision, limit = sys.argv[1], sys.argv[2] or None, int(sys.argv[3])
def fetch(file):
    size = get_hf_file_metadata(hf_hub_url(name, file, revision=revision)).size
    if size is not None and size > limit:
        raise ValueError(f"{file} has {size} bytes, more than any description of a network")
    return hf_hub_download(name, file, revision=revision)
def is_absent(error):
    return type(error).__name__ == "EntryNotFoundError" or type(error).__name__ == "RemoteEntryNotFoundError"
found = None
for file in ("config.json", "params.json", "adapter_config.json"):
    try:
        found = fetch(file)
        break
    except Exception as error:
        if not is_absent(error):
            print("problem: " + " ".join(str(error).split()))
            sys.exit(0)
if found:
    try:
        fetch("generation_config.json")
    except Exception:
        pass
print("done" if found else "problem: no file of it describes a network")
)py";

} // namespace

QUrl hubEndpoint()
{
    const QUrl named(qEnvironmentVariable("HF_ENDPOINT"), QUrl::StrictMode);
    const bool isUrl =
        named.isValid() && (named.scheme() == QLatin1String("https") ||
                            (named.scheme() == QLatin1String("http") && !named.host().isEmpty()));
    return isUrl ? named : QUrl(QStringLiteral("https://huggingface.co"));
}

bool mayDownloadFrom(const QUrl& hub)
{
    return trustedHubs().contains(nameOf(hub));
}

void setMayDownloadFrom(const QUrl& hub, bool may)
{
    QStringList hubs = trustedHubs();
    hubs.removeAll(nameOf(hub));
    if (may)
        hubs << nameOf(hub);
    QString text;
    for (const QString& each : hubs)
        text += each + QLatin1Char('\n');
    const std::error_code problem = makeFolder(QFileInfo(listPath()).path());
    const QString written =
        problem ? QString::fromStdString(problem.message()) : replaceFile(listPath(), text.toUtf8());
    if (!written.isEmpty())
        throw ExplorationError(tr("The list %1 could not be written: %2").arg(listPath(), written));
}

/// One download: each file in turn, each with its redirects and one more try if the hub asks to wait.
class HubDownload::Fetching : public QObject
{
public:
    Fetching(HubDownload& owner, config::NetworkName name)
        : m_owner(owner),
          m_id(QString::fromStdString(name.name)),
          m_revision(name.revision.empty() ? QStringLiteral("main") : QString::fromStdString(name.revision)),
          m_left{networkDescription, checkpointDescription, adapterDescription}
    {}

    ~Fetching() override
    {
        if (m_process && m_process->state() != QProcess::NotRunning) {
            m_process->kill();
            m_process->waitForFinished();
        }
        if (m_reply)
            m_reply->abort();
    }

    void begin()
    {
        if (!cachedNetwork({.name = m_id.toStdString()}).isId || !isHubRevision(m_revision)) {
            end(tr("\"%1\" is no id of a hub; give the network with --model.").arg(m_id));
            return;
        }
        if (isSet("HF_HUB_OFFLINE") || isSet("TRANSFORMERS_OFFLINE")) {
            end(tr("HF_HUB_OFFLINE is set, so nothing is downloaded; unset it, or give the network with "
                   "--model."));
            return;
        }
        if (m_owner.m_python.isEmpty())
            beginNext();
        else
            beginPython();
    }

private:
    /// \param why  ignored once the network is described: what stands beside is not needed
    void end(const QString& why)
    {
        if (m_hasEnded)
            return;
        m_hasEnded = true;
        const QString problem = m_hasDescription ? QString() : why;
        QMetaObject::invokeMethod(
            this, [this, problem] { emit m_owner.ended(problem); }, Qt::QueuedConnection);
    }

    void beginPython()
    {
        m_process = std::make_unique<QProcess>();
        const auto done = [this] {
            const QString line = QString::fromUtf8(m_process->readAllStandardOutput()).trimmed();
            if (line == QLatin1String("done"))
                end({});
            else if (line.startsWith(QLatin1String("problem: ")))
                end(tr("%1 could not be downloaded by your huggingface_hub: %2")
                        .arg(m_id, line.section(QLatin1String(": "), 1)));
            else
                beginNext();
        };
        connect(m_process.get(), &QProcess::finished, this, done);
        connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                beginNext();
        });
        m_process->setStandardErrorFile(QProcess::nullDevice());
        // -I keeps a file of the working directory from being imported in a package's place.
        m_process->start(m_owner.m_python,
                         {QStringLiteral("-I"), QStringLiteral("-c"), QString::fromLatin1(pythonProgram),
                          m_id, m_revision == QLatin1String("main") ? QString() : m_revision,
                          QString::number(m_owner.m_limits.bytes)});
        constexpr auto longest = std::chrono::minutes(2);
        QTimer::singleShot(longest, m_process.get(), [this] { m_process->kill(); });
    }

    /// Fetches the next file that may describe the network.
    void beginNext()
    {
        if (m_left.isEmpty()) {
            end(tr("The hub has no config.json of \"%1\"; give the network with --model.").arg(m_id));
            return;
        }
        m_file = m_left.takeFirst();
        m_redirects = 0;
        m_hasWaited = false;
        m_commit.clear();
        request(QUrl(hubEndpoint().toString(QUrl::StripTrailingSlash) +
                     QStringLiteral("/%1/resolve/%2/%3")
                         .arg(m_id, QString::fromLatin1(QUrl::toPercentEncoding(m_revision)), m_file)));
    }

    void request(const QUrl& url)
    {
        m_manager.setProxy(proxyFor(url));
        QNetworkRequest request(url);
        request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
        request.setTransferTimeout(static_cast<int>(m_owner.m_limits.silence.count()));
        request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("batchpeak/" BATCHPEAK_VERSION));
        // A length is compared with what came, which a compressed answer does not allow.
        request.setRawHeader("Accept-Encoding", "identity");
        const QUrl hub = hubEndpoint();
        const bool isHub = url.host() == hub.host() && url.port() == hub.port();
        const bool isPrivate = url.scheme() == QLatin1String("https") || isOfLoopback(url);
        // Where a hub redirects to must not learn the token.
        if (const QByteArray token = hubToken(); isHub && isPrivate && !token.isEmpty())
            request.setRawHeader("Authorization", "Bearer " + token);
        m_bytes.clear();
        m_isTooLong = false;
        m_reply.reset(m_manager.get(request));
        connect(m_reply.get(), &QNetworkReply::readyRead, this, [this] { take(); });
        connect(m_reply.get(), &QNetworkReply::finished, this, [this] { answer(); });
    }

    void take()
    {
        m_bytes += m_reply->readAll();
        if (m_bytes.size() <= m_owner.m_limits.bytes || m_isTooLong)
            return;
        m_isTooLong = true;
        m_reply->abort();
    }

    QString header(const char* name) const { return QString::fromLatin1(m_reply->rawHeader(name)); }

    void answer()
    {
        const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        if (!m_isTooLong)
            m_bytes += m_reply->readAll();
        if (const QString commit = header("X-Repo-Commit"); !commit.isEmpty())
            m_commit = commit;
        constexpr int redirected = 300;
        constexpr int refused = 400;
        constexpr int notFound = 404;
        constexpr int tooMany = 429;
        if (status >= redirected && status < refused) {
            follow();
        } else if (status == notFound && header("X-Error-Code") != QLatin1String("RepoNotFound")) {
            beginNext();
        } else if (status == tooMany && !m_hasWaited) {
            waitAndRepeat();
        } else if (status >= refused) {
            end(refusal(status));
        } else if (m_isTooLong) {
            end(tr("The %1 of \"%2\" is longer than %3 bytes, which no description of a network is; give the "
                   "network "
                   "with --model.")
                    .arg(m_file, m_id)
                    .arg(m_owner.m_limits.bytes));
        } else if (m_reply->error() != QNetworkReply::NoError) {
            end(tr("%1 did not answer (%2); try again, or give the network with --model.")
                    .arg(m_reply->url().host(), m_reply->errorString()));
        } else {
            keep();
        }
    }

    void follow()
    {
        const QUrl target = m_reply->url().resolved(m_reply->header(QNetworkRequest::LocationHeader).toUrl());
        constexpr int maxRedirects = 10;
        const bool isWorse =
            m_reply->url().scheme() == QLatin1String("https") && target.scheme() != QLatin1String("https");
        const bool isWeb =
            target.scheme() == QLatin1String("https") || target.scheme() == QLatin1String("http");
        if (!target.isValid() || isWorse || !isWeb || ++m_redirects > maxRedirects) {
            end(tr("%1 redirects \"%2\" to a place that is not followed; give the network with --model.")
                    .arg(m_reply->url().host(), m_id));
            return;
        }
        if (const QString tag = header("X-Linked-Etag"); !tag.isEmpty())
            m_linkedTag = tag;
        release();
        request(target);
    }

    void waitAndRepeat()
    {
        const auto asked = std::chrono::seconds(std::max(header("Retry-After").toInt(), 1));
        if (asked > m_owner.m_limits.wait) {
            end(tr("The hub answers too many requests at the moment; try again in %1 s.").arg(asked.count()));
            return;
        }
        m_hasWaited = true;
        const QUrl url = m_reply->url();
        QTimer::singleShot(asked, this, [this, url] {
            release();
            request(url);
        });
    }

    /// Returns what a hub's refusal means: hf_raise_for_status in utils/_http.py of huggingface_hub 1.0.
    QString refusal(int status) const
    {
        const QString code = header("X-Error-Code");
        const QString page = hubEndpoint().toString(QUrl::StripTrailingSlash) + QLatin1Char('/') + m_id;
        if (code == QLatin1String("GatedRepo"))
            return tr("\"%1\" is gated: accept its conditions on %2, and set HF_TOKEN to a token of that "
                      "account.")
                .arg(m_id, page);
        if (code == QLatin1String("RevisionNotFound"))
            return tr("\"%1\" has no revision \"%2\"; correct it in the config.").arg(m_id, m_revision);
        constexpr int unauthorized = 401;
        constexpr int forbidden = 403;
        constexpr int notFound = 404;
        if (status == unauthorized || status == notFound)
            return tr("The hub has no \"%1\" that you may see: correct the name, or set HF_TOKEN if it is "
                      "private (%2).")
                .arg(m_id, page);
        if (status == forbidden)
            return tr("Your token may not read \"%1\"; ask for access on %2, or use another token.")
                .arg(m_id, page);
        return tr("The hub answered with the error %1; try again, or give the network with --model.")
            .arg(status);
    }

    /// Writes the file into the cache, whole or not at all.
    void keep()
    {
        QJsonParseError error{};
        const QJsonDocument parsed = QJsonDocument::fromJson(m_bytes, &error);
        if (error.error != QJsonParseError::NoError || !parsed.isObject()) {
            end(tr("The answer for the %1 of \"%2\" is not JSON, as of a page of a login; give the network "
                   "with --model.")
                    .arg(m_file, m_id));
            return;
        }
        static const QRegularExpression commitForm(QStringLiteral("\\A[0-9a-f]{40}\\z"));
        static const QRegularExpression tagForm(QStringLiteral("\\A[A-Za-z0-9_-]{1,128}\\z"));
        QString tag = m_linkedTag.isEmpty() ? header("ETag") : m_linkedTag;
        tag.remove(QRegularExpression(QStringLiteral("^W/|\"")));
        if (!commitForm.match(m_commit).hasMatch() || !tagForm.match(tag).hasMatch()) {
            end(tr("%1 does not answer as a Hugging Face hub does; set HF_ENDPOINT to one.")
                    .arg(hubEndpoint().host()));
            return;
        }
        const QString problem = keptInCache(tag);
        if (!problem.isEmpty()) {
            end(problem);
            return;
        }
        if (m_file == generationSettings || m_hasDescription) {
            end({});
            return;
        }
        m_hasDescription = true;
        m_left = {generationSettings};
        release();
        beginNext();
    }

    QString keptInCache(const QString& tag) const
    {
        const QDir folder(hubFolderOf(m_id));
        const QDir snapshot(folder.filePath(QStringLiteral("snapshots/") + m_commit));
        const QString blob = folder.filePath(QStringLiteral("blobs/") + tag);
        const QString reference = folder.filePath(QStringLiteral("refs/") + m_revision);
        for (const QString& path :
             {folder.filePath(QStringLiteral("blobs")), snapshot.path(), QFileInfo(reference).path()}) {
            if (const std::error_code problem = makeFolder(path)) {
                return tr("The folder %1 of your Hugging Face cache could not be made: %2.")
                    .arg(path, QString::fromStdString(problem.message()));
            }
        }
        if (const QString problem = replaceFile(blob, m_bytes); !problem.isEmpty())
            return problem;
        const QString link = snapshot.filePath(m_file);
        QFile::remove(link);
        // A file system without links gets a copy, as in _create_symlink of file_download.py.
        if (!QFile::link(QStringLiteral("../../blobs/") + tag, link)) {
            if (const QString problem = replaceFile(link, m_bytes); !problem.isEmpty())
                return problem;
        }
        return m_revision == m_commit ? QString() : replaceFile(reference, m_commit.toLatin1());
    }

    /// Forgets the reply, from one of whose signals this may be called.
    void release()
    {
        m_linkedTag = m_redirects > 0 ? m_linkedTag : QString();
        m_reply->disconnect(this);
        m_reply.release()->deleteLater();
    }

    HubDownload& m_owner;
    QString m_id;
    QString m_revision;
    QStringList m_left;
    QString m_file;
    QString m_commit;
    QString m_linkedTag;
    QByteArray m_bytes;
    int m_redirects = 0;
    bool m_hasWaited = false;
    bool m_isTooLong = false;
    bool m_hasDescription = false;
    bool m_hasEnded = false;
    QNetworkAccessManager m_manager;
    std::unique_ptr<QNetworkReply> m_reply;
    std::unique_ptr<QProcess> m_process;
};

HubDownload::HubDownload(QString python, HubLimits limits, QObject* parent)
    : QObject(parent), m_python(std::move(python)), m_limits(limits)
{}

HubDownload::~HubDownload() = default;

void HubDownload::start(const config::NetworkName& name)
{
    m_fetching = std::make_unique<Fetching>(*this, name);
    m_fetching->begin();
}

void HubDownload::cancel()
{
    m_fetching.reset();
}

QString HubDownload::fetch(const config::NetworkName& name)
{
    QEventLoop loop;
    QString problem;
    const auto connection = connect(this, &HubDownload::ended, &loop, [&](const QString& why) {
        problem = why;
        loop.quit();
    });
    start(name);
    loop.exec();
    disconnect(connection);
    return problem;
}

} // namespace batchpeak::engine
