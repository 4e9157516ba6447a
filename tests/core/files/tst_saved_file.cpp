// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/saved_file.h"
#include "files/trusted_code.h"
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
#include <csignal>
#include <functional>
#include <memory>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::test;

namespace {

/// Texts that take more than one write.
const QByteArray old = QByteArray("batch_size: 32\n").repeated(3000);
const QByteArray present = QByteArray("batch_size: 64\n").repeated(4000);

constexpr const char* accessList = "system.posix_acl_access";
constexpr const char* defaultAccessList = "system.posix_acl_default";

/// Returns an access list for the owner, the group, all others and the user 65534. \p userRights are the
/// rights of that user, and the mask (struct posix_acl_xattr_entry in linux/posix_acl_xattr.h).
QByteArray accessListWith(char userRights)
{
    QByteArray list("\x02\0\0\0", 4);
    const auto add = [&list](char kind, char rights, const QByteArray& user) {
        list += kind + QByteArray("\0", 1) + rights + QByteArray("\0", 1) + user;
    };
    const QByteArray nobody("\xFF\xFF\xFF\xFF", 4);
    add(0x01, 6, nobody);
    add(0x02, userRights, QByteArray("\xFE\xFF\0\0", 4));
    add(0x04, 4, nobody);
    add(0x10, userRights, nobody);
    add(0x20, 0, nobody);
    return list;
}

bool setAttribute(const QString& path, const char* attribute, const QByteArray& value)
{
    return ::setxattr(QFile::encodeName(path).constData(), attribute, value.constData(),
                      static_cast<std::size_t>(value.size()), 0) == 0;
}

/// Returns the value of an extended attribute, or null if there is none.
QByteArray attributeOf(const QString& path, const char* attribute)
{
    QByteArray value(1000, '\0');
    const ssize_t size = ::getxattr(QFile::encodeName(path).constData(), attribute, value.data(),
                                    static_cast<std::size_t>(value.size()));
    return size < 0 ? QByteArray() : value.first(size);
}

struct stat statusOf(const QString& path)
{
    struct stat status
    {};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0)
        qFatal("there is no %s", qPrintable(path));
    return status;
}

/// File on its own mount, visible to this thread only.
class Mount
{
public:
    Mount(const QString& from, const QString& to) : m_to(QFile::encodeName(to))
    {
        m_isThere =
            ::unshare(CLONE_NEWNS) == 0 &&
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
            ::mount(QFile::encodeName(from).constData(), m_to.constData(), nullptr, MS_BIND, nullptr) == 0;
    }
    ~Mount()
    {
        if (m_isThere)
            ::umount(m_to.constData());
    }
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;

    bool isThere() const { return m_isThere; }

private:
    QByteArray m_to;
    bool m_isThere = false;
};

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

    void keepsTheOwner()
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

    void keepsAccessListAndAttributes()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        writeFile(path, old);
        if (!setAttribute(path, accessList, accessListWith(6)) || !setAttribute(path, "user.note", "mine"))
            QSKIP("This file system has no access lists or attributes.");
        const struct stat before = statusOf(path);
        QCOMPARE(engine::wayToWrite(path).inPlace, QString());
        QCOMPARE(engine::replaceFile(path, present), QString());
        QCOMPARE(readFile(path), present);
        QVERIFY(statusOf(path).st_ino != before.st_ino);
        QCOMPARE(statusOf(path).st_mode, before.st_mode);
        QCOMPARE(attributeOf(path, accessList), accessListWith(6));
        QCOMPARE(attributeOf(path, "user.note"), QByteArray("mine"));
    }

    // A new file inherits the default access list of its folder.
    void doesNotInheritAnAccessList()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        writeFile(path, old);
        QCOMPARE(::chmod(QFile::encodeName(path).constData(), 0640), 0);
        if (!setAttribute(m_folder->path(), defaultAccessList, accessListWith(6)))
            QSKIP("This file system has no access lists.");
        QCOMPARE(engine::replaceFile(path, present), QString());
        QCOMPARE(readFile(path), present);
        QCOMPARE(attributeOf(path, accessList), QByteArray());
        QCOMPARE(statusOf(path).st_mode & 0777, 0640);
    }

    void writesFilesWithSeveralNamesInPlace()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        const QString other = m_folder->filePath(QStringLiteral("other.yaml"));
        writeFile(path, present);
        QCOMPARE(::link(QFile::encodeName(path).constData(), QFile::encodeName(other).constData()), 0);
        VERIFY_CONTAINS(engine::wayToWrite(path).inPlace, "2 names");
        QCOMPARE(engine::wayToWrite(path).problem, QString());
        // The new text is shorter, so the file must be truncated.
        const auto way = engine::replaceFile(path, old, std::nullopt, engine::InPlace::WhereNeeded);
        QCOMPARE(way.problem, QString());
        VERIFY_CONTAINS(way.inPlace, "2 names");
        QCOMPARE(readFile(path), old);
        QCOMPARE(readFile(other), old);
        QCOMPARE(statusOf(path).st_nlink, nlink_t(2));
    }

    void writesMountedFilesInPlace()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        const QString source = m_folder->filePath(QStringLiteral("source.yaml"));
        writeFile(path, {});
        writeFile(source, old);
        const Mount mount(source, path);
        if (!mount.isThere())
            QSKIP("Only a super-user mounts files.");
        VERIFY_CONTAINS(engine::wayToWrite(path).inPlace, "mounted by itself");
        QCOMPARE(engine::replaceFile(path, present), QString());
        QCOMPARE(readFile(source), present);
    }

    // wayToWrite() cannot predict this, for example for a mount on an old kernel.
    void writesInPlaceIfTheFileCannotBeReplaced()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        writeFile(path, old);
        const RefusingDisk refusing(m_folder->path(), EBUSY);
        const ino_t before = statusOf(path).st_ino;
        const auto refused = engine::replaceFile(path, present, std::nullopt, engine::InPlace::Never);
        VERIFY_CONTAINS(refused.problem, "busy");
        QCOMPARE(readFile(path), old);
        const auto way = engine::replaceFile(path, present, std::nullopt, engine::InPlace::WhereNeeded);
        QCOMPARE(way.problem, QString());
        VERIFY_CONTAINS(way.inPlace, "busy");
        QCOMPARE(readFile(path), present);
        QCOMPARE(statusOf(path).st_ino, before);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{QStringLiteral("params.yaml")});
    }

    void losesNothingInPlaceOnAFullDisk()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        writeFile(path, old);
        QCOMPARE(::link(QFile::encodeName(path).constData(),
                        QFile::encodeName(m_folder->filePath(QStringLiteral("other.yaml"))).constData()),
                 0);
        // The limit lets a part of the new bytes be written, as a full disk does.
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{.rlim_cur = rlim_t(old.size() + 1), .rlim_max = before.rlim_max};
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const QString problem = engine::replaceFile(path, present);
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, handler);
        VERIFY_CONTAINS(problem, "as on a full disk");
        QCOMPARE(readFile(path), old);
    }

    void replacesOnlyTheExpectedFile()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        writeFile(path, old);
        const auto expected = store::identityOf(path);
        // Both files exist at the same time, so they certainly differ.
        const QString other = m_folder->filePath(QStringLiteral("other.yaml"));
        writeFile(other, old);
        QVERIFY(QFile::remove(path));
        QVERIFY(QFile::rename(other, path));
        const auto way = engine::replaceFile(path, present, expected, engine::InPlace::WhereNeeded);
        VERIFY_CONTAINS(way.problem, "another file");
        QCOMPARE(readFile(path), old);
    }

    // A folder may take the place of a config while the config is explored.
    void refusesAFolder()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        QVERIFY(QDir().mkpath(path + QStringLiteral("/in it")));
        const engine::WayToWrite way = engine::wayToWrite(path);
        QCOMPARE(way.inPlace, QString());
        QVERIFY(!way.problem.isEmpty());
        QCOMPARE(engine::replaceFile(path, present), way.problem);
    }

    void refusesLinksInACircle()
    {
        const QString path = m_folder->filePath(QStringLiteral("a"));
        QVERIFY(QFile::link(m_folder->filePath(QStringLiteral("b")), path));
        QVERIFY(QFile::link(path, m_folder->filePath(QStringLiteral("b"))));
        VERIFY_CONTAINS(engine::wayToWrite(path).problem, "circle");
        VERIFY_CONTAINS(engine::replaceFile(path, present), "circle");
        QVERIFY(QFileInfo(path).isSymLink());
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System),
                 (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
    }

    void refusesAPipe()
    {
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
        VERIFY_CONTAINS(engine::wayToWrite(path).problem, "no regular file");
        VERIFY_CONTAINS(engine::replaceFile(path, present), "no regular file");
        QVERIFY(S_ISFIFO(statusOf(path).st_mode));
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

    void reportsErrorsOfTheDisk_data()
    {
        rows<int, Text>(
            {{"full", {ENOSPC, "as on a full disk"}}, {"read-only", {EROFS, "Read-only file system"}}});
    }
    void reportsErrorsOfTheDisk()
    {
        const auto& [error, message] = row<int, Text>();
        const QString path = m_folder->filePath(QStringLiteral("params.yaml"));
        writeFile(path, old);
        {
            const RefusingDisk refusing(m_folder->path(), error);
            VERIFY_CONTAINS(engine::replaceFile(path, present), message);
        }
        QCOMPARE(readFile(path), old);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{QStringLiteral("params.yaml")});
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(SavedFileTest)
#include "tst_saved_file.moc"
