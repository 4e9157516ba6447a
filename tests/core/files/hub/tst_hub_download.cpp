// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/network_source.h"
#include "files/hub_cache.h"
#include "files/hub_download.h"
#include "loopback_hub.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace batchpeak;
using engine::HubDownload;
using test::LoopbackHub;
using test::row;
using test::rows;
using Answer = LoopbackHub::Answer;

namespace {

const QByteArray commit("0123456789abcdef0123456789abcdef01234567");
const QByteArray config("{\"model_type\": \"llama\"}");

Answer described(const QByteArray& body = config)
{
    return {.headers = {"X-Repo-Commit: " + commit, "ETag: \"abc123\""}, .body = body};
}

QByteArray pathOf(const QByteArray& file, const QByteArray& revision = "main",
                  const QByteArray& id = "owner/name")
{
    return "/" + id + "/resolve/" + revision + "/" + file;
}

/// A hub's answers for a config.json, and a part of the sentence about them.
struct Fault
{
    QList<Answer> answers;
    test::Text part;
};

/// Short limits, so that no test waits.
engine::HubLimits shortLimits()
{
    using namespace std::chrono_literals;
    return {.bytes = 4096, .silence = 300ms, .wait = 2s};
}

} // namespace

/// Tests what a download leaves in the cache of the Hugging Face hub, and what it says of each fault of a
/// hub.
class HubDownloadTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<LoopbackHub> m_hub;

    QString cached(const QString& path) const
    {
        return m_folder->filePath(QStringLiteral("hub/models--owner--name/") + path);
    }

    QString fetch(const QByteArray& revision = {})
    {
        HubDownload download({}, shortLimits());
        return download.fetch({.name = "owner/name", .revision = revision.toStdString()});
    }

    void useHub(bool isSecure = false)
    {
        m_hub = std::make_unique<LoopbackHub>(isSecure);
        qputenv("HF_ENDPOINT", m_hub->address());
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("HF_HOME", m_folder->path().toUtf8());
        for (const char* variable :
             {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
              "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "http_proxy", "HTTP_PROXY", "https_proxy",
              "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
            qunsetenv(variable);
        useHub();
    }

    void fillsTheCacheAsHuggingFaceDoes()
    {
        m_hub->answer(pathOf("config.json"), {described()});
        m_hub->answer(pathOf("generation_config.json"), {described("{\"eos_token_id\": 2}")});
        QCOMPARE(fetch(), QString());
        QFile reference(cached(QStringLiteral("refs/main")));
        QVERIFY(reference.open(QIODevice::ReadOnly));
        QCOMPARE(reference.readAll(), commit);
        const QString file = cached(QStringLiteral("snapshots/") + QString::fromLatin1(commit) +
                                    QStringLiteral("/config.json"));
        QVERIFY(QFileInfo(file).isSymLink());
        QVERIFY(QFileInfo::exists(cached(QStringLiteral("blobs/abc123"))));
        const engine::CachedNetwork found = engine::cachedNetwork({.name = "owner/name"});
        QVERIFY(QFileInfo::exists(QDir(found.snapshot).filePath(QStringLiteral("config.json"))));
    }

    void takesARevisionAndAnAdapter()
    {
        m_hub->answer(pathOf("adapter_config.json", "v1.0"),
                      {described("{\"base_model_name_or_path\": \"a/b\"}")});
        QCOMPARE(fetch("v1.0"), QString());
        QVERIFY(QFileInfo::exists(cached(QStringLiteral("refs/v1.0"))));
    }

    void worksByHttpsWithACertificate()
    {
        if (!QSslSocket::supportsSsl())
            QSKIP("Qt has no TLS library here.");
        const QSslConfiguration before = QSslConfiguration::defaultConfiguration();
        useHub(/*isSecure=*/true);
        m_hub->answer(pathOf("config.json"), {described()});
        // The certificate is of no authority that this computer knows.
        QVERIFY(!fetch().isEmpty());
        QSslConfiguration trusting = before;
        trusting.addCaCertificate(LoopbackHub::certificate());
        QSslConfiguration::setDefaultConfiguration(trusting);
        QCOMPARE(fetch(), QString());
        QSslConfiguration::setDefaultConfiguration(before);
    }

    void tellsTheHubAloneTheToken()
    {
        LoopbackHub elsewhere(false);
        elsewhere.answer("/file", {described()});
        qputenv("HF_TOKEN", "hf_secret");
        m_hub->answer(pathOf("config.json"),
                      {{.status = 302, .headers = {"Location: " + elsewhere.address() + "/file"}}});
        QCOMPARE(fetch(), QString());
        QVERIFY(m_hub->requests().first().contains("Bearer hf_secret"));
        QVERIFY(!elsewhere.requests().first().contains("hf_secret"));
    }

    void waitsOnceIfAsked()
    {
        m_hub->answer(pathOf("config.json"), {{.status = 429, .headers = {"Retry-After: 1"}}, described()});
        QCOMPARE(fetch(), QString());
        QCOMPARE(m_hub->requests().first().split(' ').value(1), pathOf("config.json"));
    }

    void saysWhatIsWrong_data()
    {
        rows<Fault>(
            {{"gated",
              {.answers = {{.status = 401, .headers = {"X-Error-Code: GatedRepo"}}}, .part = "is gated"}},
             {"gated, forbidden",
              {.answers = {{.status = 403, .headers = {"X-Error-Code: GatedRepo"}}}, .part = "is gated"}},
             {"unknown",
              {.answers = {{.status = 401, .headers = {"X-Error-Code: RepoNotFound"}}},
               .part = "correct the name"}},
             {"forbidden", {.answers = {{.status = 403}}, .part = "may not read"}},
             {"no such file", {.answers = {{.status = 404}}, .part = "has no config.json"}},
             {"no such revision",
              {.answers = {{.status = 404, .headers = {"X-Error-Code: RevisionNotFound"}}},
               .part = "has no config.json"}},
             {"too many requests",
              {.answers = {{.status = 429, .headers = {"Retry-After: 60"}}}, .part = "try again in 60 s"}},
             {"a fault", {.answers = {{.status = 503}}, .part = "error 503"}},
             {"too long", {.answers = {described(QByteArray(10000, ' '))}, .part = "longer than 4096 bytes"}},
             {"cut off",
              {.answers = {{.headers = {"X-Repo-Commit: " + commit, "ETag: \"a\""},
                            .body = config,
                            .claimedLength = 100}},
               .part = "did not answer"}},
             {"silent", {.answers = {{.isSilent = true}}, .part = "did not answer"}},
             {"a page", {.answers = {described("<html>")}, .part = "is not JSON"}},
             {"no hub", {.answers = {{.body = config}}, .part = "as a Hugging Face hub does"}},
             {"a tag with a path",
              {.answers = {{.headers = {"X-Repo-Commit: " + commit, "ETag: \"../../x\""}, .body = config}},
               .part = "as a Hugging Face hub does"}},
             {"to a file",
              {.answers = {{.status = 302, .headers = {"Location: file:///etc/passwd"}}},
               .part = "not followed"}},
             {"in a circle",
              {.answers = {{.status = 302, .headers = {"Location: " + pathOf("config.json")}}},
               .part = "not followed"}}});
    }

    void saysWhatIsWrong()
    {
        const auto& [answers, part] = row<Fault>();
        m_hub->answer(pathOf("config.json"), answers);
        const QString problem = fetch();
        QVERIFY2(problem.contains(part), qPrintable(problem));
        QVERIFY(!QFileInfo::exists(cached(QStringLiteral("refs/main"))));
    }

    void asksNobodyOffline()
    {
        qputenv("HF_HUB_OFFLINE", "1");
        QVERIFY(fetch().contains(QLatin1String("HF_HUB_OFFLINE")));
        QVERIFY(m_hub->requests().isEmpty());
    }

    void refusesWhatIsNoId()
    {
        HubDownload download({}, shortLimits());
        QVERIFY(!download.fetch({.name = "../../etc"}).isEmpty());
        QVERIFY(!download.fetch({.name = "owner/name", .revision = "../x"}).isEmpty());
        QVERIFY(m_hub->requests().isEmpty());
    }

    void goesByAProxy()
    {
        LoopbackHub proxy(false);
        const QByteArray target = "http://hub.invalid" + pathOf("config.json");
        proxy.answer(target, {described()});
        qputenv("HF_ENDPOINT", "http://hub.invalid");
        qputenv("http_proxy", proxy.address());
        QCOMPARE(fetch(), QString());
        QCOMPARE(proxy.requests().first().split(' ').value(1), target);
        qputenv("no_proxy", "invalid");
        QVERIFY(!fetch().isEmpty());
        qunsetenv("no_proxy");
    }

    void remembersConsentAndTakesItBack()
    {
        qputenv("XDG_DATA_HOME", m_folder->path().toUtf8());
        const QUrl hub = engine::hubEndpoint();
        QVERIFY(!engine::mayDownloadFrom(hub));
        engine::setMayDownloadFrom(hub, true);
        QVERIFY(engine::mayDownloadFrom(hub));
        QVERIFY(!engine::mayDownloadFrom(QUrl(QStringLiteral("https://huggingface.co"))));
        engine::setMayDownloadFrom(hub, false);
        QVERIFY(!engine::mayDownloadFrom(hub));
    }

    void canBeCanceled()
    {
        m_hub->answer(pathOf("config.json"), {{.isSilent = true}});
        HubDownload download({}, shortLimits());
        bool hasEnded = false;
        connect(&download, &HubDownload::ended, this, [&] { hasEnded = true; });
        download.start({.name = "owner/name"});
        download.cancel();
        QCoreApplication::processEvents();
        QVERIFY(!hasEnded);
    }
};

BATCHPEAK_TEST(HubDownloadTest)
#include "tst_hub_download.moc"
