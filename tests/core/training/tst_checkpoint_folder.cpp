// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_error.h"
#include "support/test_main.h"
#include "training/checkpoint_folder.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>

using namespace batchpeak;
using training::CheckpointFolder;
using training::CheckpointState;

namespace {

CheckpointState stateOf(std::int64_t step)
{
    return {.step = step,
            .epoch = 2,
            .samplesDone = 48,
            .microBatchSize = 8,
            .evaluationMicroBatchSize = 4,
            .batchSize = 16,
            .thrashingInARow = 1,
            .fingerprint = QStringLiteral("gpt2, \"ü\"\nseed 1")};
}

void put(const QString& path, const QByteArray& text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("the test's file cannot be written");
}

/// What the sentence of the error is, or "" where there is none.
template<typename Action>
QString errorOf(const Action& action)
{
    try {
        action();
    } catch (const config::ConfigError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

/// Lets no file grow beyond so many bytes, as a full disk does.
class FullDisk
{
public:
    explicit FullDisk(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{.rlim_cur = bytes, .rlim_max = m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &m_before); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit m_before{};
};

} // namespace

class CheckpointFolderTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void findsWhatItWrote();
    void keepsNumbersExactly();
    void keepsTheNewestTwo();
    void takesWhatWasWrittenLastForTheNewest();
    void replacesACheckpointOfTheSameStep();
    void neverTakesWhatIsNotWhole();
    void removesNothingOfOthers();
    void replacesNothingOfOthers();
    void goesOnFromOneCheckpoint();
    void keepsWhatThereIsWhenTheDiskIsFull();
    void saysWhereNothingCanBeWritten_data();
    void saysWhereNothingCanBeWritten();
    void saysThatThereAreNoTensors();
    void saysWhatIsWrongWithAState_data();
    void saysWhatIsWrongWithAState();
    void saysThatThereIsNoCheckpoint_data();
    void saysThatThereIsNoCheckpoint();

private:
    QString write(const CheckpointState& state, const QByteArray& tensors = "tensors");
    QString path(const char* name) const { return m_folder->filePath(QString::fromUtf8(name)); }
    /// "step-000001 step-000002"
    QString entries() const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void CheckpointFolderTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

QString CheckpointFolderTest::write(const CheckpointState& state, const QByteArray& tensors)
{
    CheckpointFolder folder(m_folder->path());
    put(folder.begin(state.step), tensors);
    return folder.commit(state);
}

QString CheckpointFolderTest::entries() const
{
    return QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).join(QLatin1Char(' '));
}

void CheckpointFolderTest::findsWhatItWrote()
{
    const QString base = path("runs/first");
    CheckpointFolder folder(base);
    const QString tensors = folder.begin(120);
    QVERIFY(QDir::isAbsolutePath(tensors));
    put(tensors, "tensors");
    const QString written = folder.commit(stateOf(120));
    QCOMPARE(written, base + QLatin1String("/step-000120"));

    const CheckpointFolder::Found found = CheckpointFolder(base).newest();
    QCOMPARE(found.path, written);
    QVERIFY(found.state == stateOf(120));
    QFile file(found.tensors);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("tensors"));
}

void CheckpointFolderTest::keepsNumbersExactly()
{
    CheckpointState state = stateOf(12'345'678);
    state.samplesDone = (std::int64_t{1} << 53) + 1;
    state.epoch = std::numeric_limits<std::int64_t>::max();
    QVERIFY(write(state).endsWith(QLatin1String("/step-12345678")));
    QVERIFY(CheckpointFolder(m_folder->path()).newest().state == state);
}

void CheckpointFolderTest::keepsTheNewestTwo()
{
    for (const int step : {10, 20, 30, 40})
        write(stateOf(step));
    QCOMPARE(entries(), QStringLiteral("step-000030 step-000040"));
    QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 40);
}

void CheckpointFolderTest::takesWhatWasWrittenLastForTheNewest()
{
    write(stateOf(5000));
    // A run that began anew in the same folder.
    write(stateOf(10));
    QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
    write(stateOf(20));
    QCOMPARE(entries(), QStringLiteral("step-000010 step-000020"));
}

void CheckpointFolderTest::replacesACheckpointOfTheSameStep()
{
    write(stateOf(10), "old");
    CheckpointState again = stateOf(10);
    again.microBatchSize = 2;
    write(again, "new");
    QCOMPARE(entries(), QStringLiteral("step-000010"));
    const CheckpointFolder::Found found = CheckpointFolder(m_folder->path()).newest();
    QVERIFY(found.state == again);
    QFile file(found.tensors);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("new"));
}

void CheckpointFolderTest::neverTakesWhatIsNotWhole()
{
    write(stateOf(10));
    CheckpointFolder crashed(m_folder->path());
    put(crashed.begin(20), "half of the tens");
    QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
    // Nor one that lacked its name alone, even where it is asked for.
    QVERIFY(QFile::copy(path("step-000010/state.json"), path("step-000020.unfinished/state.json")));
    QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
    QVERIFY(!errorOf([&] { (void)CheckpointFolder(path("step-000020.unfinished/")).newest(); }).isEmpty());

    write(stateOf(30));
    QCOMPARE(entries(), QStringLiteral("step-000010 step-000030"));
}

void CheckpointFolderTest::removesNothingOfOthers()
{
    for (const char* name : {"notes.unfinished", "step-7.unfinished", "step-000001", "checkpoints"})
        QVERIFY(QDir().mkpath(path(name)));
    put(path("step-000002"), "a file");
    QVERIFY(QFile::link(m_folder->path(), path("step-000003.unfinished")));
    QVERIFY(QDir().mkpath(path("step-000004")));
    put(path("step-000004/state.json"), "{\"of\": \"another program\"}");
    const QString before = entries();
    for (const int step : {10, 20, 30})
        write(stateOf(step));
    QCOMPARE(entries(), QString(before).replace(QLatin1String("step-7"),
                                                QLatin1String("step-000020 step-000030 step-7")));
}

void CheckpointFolderTest::replacesNothingOfOthers()
{
    QVERIFY(QDir().mkpath(path("step-000010")));
    CheckpointFolder folder(m_folder->path());
    const QString sentence = errorOf([&] { (void)folder.begin(10); });
    QVERIFY2(sentence.contains(QLatin1String("something that is none is here; move it away")),
             qPrintable(sentence));
    QCOMPARE(entries(), QStringLiteral("step-000010"));
}

void CheckpointFolderTest::goesOnFromOneCheckpoint()
{
    write(stateOf(10));
    write(stateOf(20));
    const CheckpointFolder::Found found = CheckpointFolder(path("step-000010")).newest();
    QCOMPARE(found.state.step, 10);
    QCOMPARE(found.tensors, path("step-000010/tensors.safetensors"));
}

void CheckpointFolderTest::keepsWhatThereIsWhenTheDiskIsFull()
{
    write(stateOf(10));
    CheckpointFolder folder(m_folder->path());
    put(folder.begin(20), "tensors");
    {
        const FullDisk full(64);
        const QString sentence = errorOf([&] { (void)folder.commit(stateOf(20)); });
        QVERIFY2(sentence.contains(QLatin1String("The state of the checkpoint was not written (")),
                 qPrintable(sentence));
        QVERIFY2(sentence.contains(QLatin1String("make room")), qPrintable(sentence));
    }
    QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
    write(stateOf(20));
    QCOMPARE(entries(), QStringLiteral("step-000010 step-000020"));
}

void CheckpointFolderTest::saysWhereNothingCanBeWritten_data()
{
    QTest::addColumn<QString>("folder");
    QTest::newRow("read-only") << QStringLiteral("/proc/checkpoints");
    QTest::newRow("a file") << QStringLiteral("/etc/passwd");
    QTest::newRow("within a file") << QStringLiteral("/etc/passwd/checkpoints");
}

void CheckpointFolderTest::saysWhereNothingCanBeWritten()
{
    QFETCH(QString, folder);
    const QString sentence = errorOf([&] { (void)CheckpointFolder(folder).begin(10); });
    QVERIFY2(sentence.startsWith(folder), qPrintable(sentence));
    QVERIFY2(sentence.contains(QLatin1String("The folder for checkpoints cannot be made (")),
             qPrintable(sentence));
}

void CheckpointFolderTest::saysThatThereAreNoTensors()
{
    CheckpointFolder folder(m_folder->path());
    (void)folder.begin(10);
    QVERIFY(errorOf([&] {
                (void)folder.commit(stateOf(10));
            }).contains(QLatin1String("The worker has left no tensors here")));

    const QString written = write(stateOf(10));
    QVERIFY(QFile::remove(written + QLatin1String("/tensors.safetensors")));
    const QString sentence = errorOf([&] { (void)folder.newest(); });
    QVERIFY2(sentence.startsWith(written + QLatin1String("/tensors.safetensors: ")), qPrintable(sentence));
    QVERIFY2(sentence.contains(QLatin1String("is missing")), qPrintable(sentence));
}

void CheckpointFolderTest::saysWhatIsWrongWithAState_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const QByteArray& from, const QByteArray& to, const char* part) {
        QTest::newRow(name) << from << to << QString::fromUtf8(part);
    };
    row("nonsense", "\"epoch\": 2", "\"epoch\" 2", "state.json:4:13: The state of a checkpoint cannot be");
    row("cut off", "\"epoch\": 2", QByteArray(), ":4:");
    row("text for a number", "\"epoch\": 2", "\"epoch\": \"two\"",
        ":4:5: \"epoch\" is not a whole number of at least 0");
    row("fraction", "\"epoch\": 2", "\"epoch\": 2.5", "\"epoch\" is not a whole number of at least 0");
    row("negative", "\"epoch\": 2", "\"epoch\": -1", "\"epoch\" is not a whole number of at least 0");
    row("no sample", "\"batch_size\": 16", "\"batch_size\": 0",
        "\"batch_size\" is not a whole number of at least 1");
    row("missing", "\"epoch\": 2,", "", "state.json: \"epoch\" is not a whole number");
    row("number for a text", "\"fingerprint\": \"", "\"fingerprint\": 3, \"x\": \"",
        "\"fingerprint\" is not a text");
    row("newer", "\"batchpeak_checkpoint\": 1", "\"batchpeak_checkpoint\": 2",
        "A newer Batchpeak wrote this checkpoint (format 2, and this program knows 1)");
    row("of another program", "\"batchpeak_checkpoint\": 1", "\"other\": 1",
        "state.json: \"batchpeak_checkpoint\" is not");
}

void CheckpointFolderTest::saysWhatIsWrongWithAState()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, part);
    const QString path = write(stateOf(10)) + QLatin1String("/state.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    file.close();
    QVERIFY2(text.contains(from), text.constData());
    if (to.isNull())
        text.truncate(text.indexOf(from) + 3);
    else
        text.replace(from, to);
    put(path, text);
    const QString sentence = errorOf([&] { (void)CheckpointFolder(m_folder->path()).newest(); });
    QVERIFY2(sentence.startsWith(path), qPrintable(sentence));
    QVERIFY2(sentence.contains(part), qPrintable(sentence + QString::fromUtf8(text)));
}

void CheckpointFolderTest::saysThatThereIsNoCheckpoint_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("part");
    QTest::newRow("no folder") << QStringLiteral("none") << QStringLiteral("There is no such folder; give");
    QTest::newRow("a file") << QStringLiteral("file") << QStringLiteral("There is no such folder; give");
    QTest::newRow("empty") << QStringLiteral("empty")
                           << QStringLiteral("There is no checkpoint in this folder");
}

void CheckpointFolderTest::saysThatThereIsNoCheckpoint()
{
    QFETCH(QString, name);
    QFETCH(QString, part);
    put(path("file"), "text");
    QVERIFY(QDir().mkpath(path("empty")));
    const QString folder = m_folder->filePath(name);
    const QString sentence = errorOf([&] { (void)CheckpointFolder(folder).newest(); });
    QVERIFY2(sentence.startsWith(folder + QLatin1String(": ")), qPrintable(sentence));
    QVERIFY2(sentence.contains(part), qPrintable(sentence));
}

BATCHPEAK_TEST(CheckpointFolderTest)
#include "tst_checkpoint_folder.moc"
