// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/config_file.h"
#include "files/written_config.h"
#include "store/exploration_store.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::engine;
using test::readFile;
using test::writeFile;

namespace {

const QByteArray params("train_input:\r\n  batch_size: 8\r\n  micro_batch_size: explore # sizes\r\n");

QByteArray withSize(const QByteArray& size)
{
    return QByteArray(params).replace("explore", size);
}

} // namespace

/// Tests sizes that are written and taken back.
class WrittenConfigTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    QString m_history;

    QString write(std::int64_t size, const QString& target)
    {
        const ConfigFile file = ConfigFile::open(m_path);
        return saveKept(file, file.withMicroBatchSize({.microBatchSize = size}), target, m_history).whyFinal;
    }

    QString giveAnotherName()
    {
        const QString name = m_folder->filePath(QStringLiteral("other.yaml"));
        if (::link(QFile::encodeName(m_path).constData(), QFile::encodeName(name).constData()) != 0)
            qFatal("no link can be made");
        return name;
    }

    LastWriting last(const QString& path) { return lastWriting(path, m_history).value(); }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(QStringLiteral("params.yaml"));
        m_history = m_folder->filePath(QStringLiteral("history/explorations.sqlite"));
        writeFile(m_path, params);
    }

    void takesBackOneWritingAfterTheOther()
    {
        QCOMPARE(write(2, m_path), QString());
        QCOMPARE(write(4, m_path), QString());
        QCOMPARE(readFile(m_path), withSize("4"));
        QVERIFY(!last(m_path).isChangedSince());
        QVERIFY2(
            changeByTakingBack(last(m_path)).contains(QStringLiteral("\n-  micro_batch_size: 4 # sizes")),
            qPrintable(changeByTakingBack(last(m_path))));
        takeBack(last(m_path), m_history);
        QCOMPARE(readFile(m_path), withSize("2"));
        takeBack(last(m_path), m_history);
        QCOMPARE(readFile(m_path), params);
        QVERIFY(!lastWriting(m_path, m_history));
    }

    void recognizesAFileThroughLinks()
    {
        const QString link = m_folder->filePath(QStringLiteral("link.yaml"));
        QVERIFY(QFile::link(m_path, link));
        QCOMPARE(write(2, link), QString());
        QVERIFY(lastWriting(m_path, m_history));
        QVERIFY(lastWriting(m_folder->filePath(QStringLiteral("./params.yaml")), m_history));
        takeBack(last(link), m_history);
        QCOMPARE(readFile(m_path), params);
        QVERIFY(QFileInfo(link).isSymLink());
    }

    void removesAFileThatDidNotExist()
    {
        const QString other = m_folder->filePath(QStringLiteral("new.yaml"));
        QCOMPARE(write(2, other), QString());
        takeBack(last(other), m_history);
        QVERIFY(!QFile::exists(other));
        QCOMPARE(readFile(m_path), params);
    }

    void detectsALaterChange()
    {
        QCOMPARE(write(2, m_path), QString());
        writeFile(m_path, withSize("3"));
        QVERIFY(last(m_path).isChangedSince());
        QVERIFY(last(m_path).changeText().contains(m_path));
        // If the user has restored the original, taking back loses nothing.
        writeFile(m_path, params);
        QVERIFY(!last(m_path).isChangedSince());
        QVERIFY(QFile::remove(m_path));
        QVERIFY(last(m_path).isChangedSince());
    }

    void detectsASizeThatIsAlreadyWritten()
    {
        writeFile(m_path, withSize("4"));
        const ConfigFile file = ConfigFile::open(m_path);
        const auto same = file.withMicroBatchSize({.microBatchSize = 4});
        QVERIFY(holdsAlready(file, same, m_path));
        QVERIFY(!holdsAlready(file, file.withMicroBatchSize({.microBatchSize = 2}), m_path));
        const QString copy = m_folder->filePath(QStringLiteral("copy.yaml"));
        QVERIFY(!holdsAlready(file, same, copy));
        // Another program changes the file, or removes it.
        writeFile(m_path, withSize("2"));
        QVERIFY(!holdsAlready(file, same, m_path));
        QVERIFY(QFile::remove(m_path));
        QVERIFY(!holdsAlready(file, same, m_path));
    }

    /// A change that is saved while the user is being asked must not be lost.
    void refusesToTakeBackAfterALaterChange()
    {
        QCOMPARE(write(2, m_path), QString());
        const LastWriting asked = last(m_path);
        writeFile(m_path, withSize("3"));
        VERIFY_CONTAINS(test::errorOf([&] { takeBack(asked, m_history); }), QStringLiteral("changed"));
        QCOMPARE(readFile(m_path), withSize("3"));
        QVERIFY(lastWriting(m_path, m_history));
    }

    void takesBackThroughADanglingLink()
    {
        const QString target = m_folder->filePath(QStringLiteral("target.yaml"));
        const QString link = m_folder->filePath(QStringLiteral("dangling.yaml"));
        QVERIFY(QFile::link(target, link));
        QCOMPARE(write(2, link), QString());
        QCOMPARE(readFile(target), withSize("2"));
        takeBack(last(target), m_history);
        QVERIFY(!QFile::exists(target));
    }

    void writesIfTheHistoryCannot()
    {
        writeFile(m_folder->filePath(QStringLiteral("history")), "no folder");
        QVERIFY(write(2, m_path).contains(QStringLiteral("cannot be undone")));
        QCOMPARE(readFile(m_path), withSize("2"));
        QVERIFY(!lastWriting(m_path, m_history));
    }

    void keepsTheOriginalOfWritingsInPlace()
    {
        const QString other = giveAnotherName();
        const ConfigFile file = ConfigFile::open(m_path);
        const auto saved = saveKept(file, file.withMicroBatchSize({.microBatchSize = 2}), m_path, m_history);
        QCOMPARE(saved.whyFinal, QString());
        VERIFY_CONTAINS(saved.inPlace, "2 names");
        QCOMPARE(readFile(other), withSize("2"));
        takeBack(last(m_path), m_history);
        QCOMPARE(readFile(other), params);
        QCOMPARE(readFile(m_path), params);
    }

    void refusesToWriteInPlaceWithoutAHistory_data()
    {
        test::rows<bool>({{"a history that cannot be written", true}, {"no history", false}});
    }
    void refusesToWriteInPlaceWithoutAHistory()
    {
        const QString other = giveAnotherName();
        writeFile(m_folder->filePath(QStringLiteral("history")), "no folder");
        QVERIFY(!keepError(m_history).isEmpty());
        const ConfigFile file = ConfigFile::open(m_path);
        const auto spliced = file.withMicroBatchSize({.microBatchSize = 2});
        const QString history = test::row<bool>() ? m_history : QString();
        VERIFY_CONTAINS(test::errorOf([&] { saveKept(file, spliced, m_path, history); }),
                        QStringLiteral("only be written in place"));
        QCOMPARE(readFile(other), params);
    }

    // No call may wait for the other end of the pipe, or read the device to its end.
    void refusesAPipeOrDeviceInPlaceOfTheConfig_data()
    {
        test::rows<bool>({{"a pipe", true}, {"a link to a device", false}});
    }
    void refusesAPipeOrDeviceInPlaceOfTheConfig()
    {
        QCOMPARE(write(2, m_path), QString());
        const ConfigFile file = ConfigFile::open(m_path);
        const auto spliced = file.withMicroBatchSize({.microBatchSize = 4});
        QVERIFY(QFile::remove(m_path));
        if (test::row<bool>())
            QCOMPARE(::mkfifo(QFile::encodeName(m_path).constData(), 0600), 0);
        else
            QVERIFY(QFile::link(QStringLiteral("/dev/zero"), m_path));
        QVERIFY(!file.isUnchanged());
        QVERIFY(!holdsAlready(file, file.withMicroBatchSize({.microBatchSize = 2}), m_path));
        VERIFY_CONTAINS(test::errorOf([&] { file.changeIn(spliced, m_path); }),
                        QStringLiteral("no regular file any more"));
        VERIFY_CONTAINS(test::errorOf([&] { saveKept(file, spliced, m_path, m_history); }),
                        QStringLiteral("no regular file any more"));
        if (test::row<bool>())
            VERIFY_CONTAINS(test::errorOf([&] { lastWriting(m_path, m_history); }),
                            QStringLiteral("no regular file"));
    }

    // Editors save in this way: they write a new file, then rename it.
    void acceptsAnotherFileWithTheSameContent()
    {
        const ConfigFile file = ConfigFile::open(m_path);
        const QString newFile = m_folder->filePath(QStringLiteral("params.yaml.new"));
        writeFile(newFile, params);
        QVERIFY(QFile::remove(m_path));
        QVERIFY(QFile::rename(newFile, m_path));
        saveKept(file, file.withMicroBatchSize({.microBatchSize = 2}), m_path, m_history);
        QCOMPARE(readFile(m_path), withSize("2"));
    }

    void keepsNothingIfWritingFails()
    {
        const ConfigFile file = ConfigFile::open(m_path);
        const auto spliced = file.withMicroBatchSize({.microBatchSize = 2});
        writeFile(m_path, withSize("3"));
        VERIFY_CONTAINS(test::errorOf([&] { saveKept(file, spliced, m_path, m_history); }),
                        QStringLiteral("has changed"));
        QVERIFY(!lastWriting(m_path, m_history));
    }

    void keepsTheNewestWritingsOfEachFile()
    {
        const QString other = m_folder->filePath(QStringLiteral("new.yaml"));
        QCOMPARE(write(2, other), QString());
        for (int time = 0; time < 2 * store::keptWritings; ++time)
            QCOMPARE(write(2 + time % 2, m_path), QString());
        int kept = 0;
        for (; const auto written = lastWriting(m_path, m_history); ++kept)
            takeBack(*written, m_history);
        QCOMPARE(kept, store::keptWritings);
        QVERIFY(lastWriting(other, m_history));
    }
};

BATCHPEAK_TEST(WrittenConfigTest)
#include "tst_written_config.moc"
