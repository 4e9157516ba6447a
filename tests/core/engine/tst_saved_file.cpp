// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/saved_file.h"
#include "engine/trusted_code.h"
#include "support/files.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <functional>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::test;

namespace {

/// Of more than one write.
const QByteArray old = QByteArray("batch_size: 32\n").repeated(3000);
const QByteArray present = QByteArray("batch_size: 64\n").repeated(4000);

} // namespace

class SavedFileTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void isOldOrNewAfterAPowerLoss_data()
    {
        rows<bool>({{"a new file", false}, {"one that is replaced", true}});
    }
    void isOldOrNewAfterAPowerLoss()
    {
        const bool isThere = row<bool>();
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        if (isThere)
            writeFile(path, old);
        RecordedDisk disk(m_folder->path());
        const std::size_t before = disk.operations();
        QCOMPARE(engine::replaceFile(path, present), QString());
        disk.stop();
        QVERIFY(disk.operations() > before);
        const QTemporaryDir after;
        const QString left = after.filePath(QStringLiteral("disk"));
        for (std::size_t cut = before; cut <= disk.operations(); ++cut) {
            for (const Unsynced unsynced : {Unsynced::Lost, Unsynced::Some, Unsynced::Torn}) {
                for (std::uint32_t seed = 0; seed < 20; ++seed) {
                    disk.restore(left, cut, unsynced, seed);
                    const QByteArray found = readFile(left + QStringLiteral("/params.yaml"));
                    const bool mayBeOld = cut < disk.operations();
                    QVERIFY2(found == present || (mayBeOld && found == (isThere ? old : QByteArray())),
                             qPrintable(QStringLiteral("Power loss before operation %1 of %2: %3 bytes")
                                            .arg(cut)
                                            .arg(disk.operations())
                                            .arg(found.size())));
                }
            }
        }
    }

    void staysItsOwners()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        const QByteArray name = QFile::encodeName(path);
        writeFile(path, old);
        // Only a super-user can give files away.
        constexpr uid_t other = 1000;
        if (::geteuid() == 0)
            QCOMPARE(::chown(name.constData(), other, other), 0);
        QCOMPARE(::chmod(name.constData(), 0640), 0);
        struct stat before
        {};
        QCOMPARE(::stat(name.constData(), &before), 0);
        QCOMPARE(engine::replaceFile(path, present), QString());
        struct stat after
        {};
        QCOMPARE(::stat(name.constData(), &after), 0);
        QCOMPARE(after.st_uid, before.st_uid);
        QCOMPARE(after.st_gid, before.st_gid);
        QCOMPARE(after.st_mode, before.st_mode);
    }

    void keepsTrustAfterAPowerLoss()
    {
        const QByteArray before = qgetenv("XDG_DATA_HOME");
        const QString home = m_folder->filePath(QStringLiteral("home/share"));
        const QString code = m_folder->filePath(QStringLiteral("grow.py"));
        writeFile(code, "grow");
        qputenv("XDG_DATA_HOME", QFile::encodeName(home));
        RecordedDisk disk(m_folder->path());
        const bool isWritten = engine::trustCode(engine::CodeContent::of(code));
        disk.stop();
        const QTemporaryDir after;
        disk.restore(after.filePath(QStringLiteral("disk")), disk.operations(), Unsynced::Lost, 0);
        qputenv("XDG_DATA_HOME", QFile::encodeName(after.filePath(QStringLiteral("disk/home/share"))));
        const bool isKept = engine::isTrusted(engine::CodeContent::of(code));
        qputenv("XDG_DATA_HOME", before);
        QVERIFY(isWritten);
        QVERIFY(isKept);
    }

    void saysWhatTheDiskRefuses_data()
    {
        rows<int, Text>(
            {{"full", {ENOSPC, "as on a full disk"}}, {"read-only", {EROFS, "Read-only file system"}}});
    }
    void saysWhatTheDiskRefuses()
    {
        const auto& [error, said] = row<int, Text>();
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        writeFile(path, old);
        {
            const RefusingDisk refusing(m_folder->path(), error);
            VERIFY_CONTAINS(engine::replaceFile(path, present), said);
        }
        QCOMPARE(readFile(path), old);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{QStringLiteral("params.yaml")});
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(SavedFileTest)
#include "tst_saved_file.moc"
