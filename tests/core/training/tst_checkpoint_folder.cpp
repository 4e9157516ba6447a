// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/program_lock.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/processes.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "syntax/config_error.h"
#include "training/checkpoints/checkpoint_folder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cerrno>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace batchpeak;
using test::errorOf;
using test::readFile;
using test::writeFile;
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
            .fingerprint = QStringLiteral("gpt2, \"ü\"\nseed 1"),
            .training = QStringLiteral("7d9c")};
}

/// Prevents files from growing beyond this many bytes, like a full disk.
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
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void findsItsOwnCheckpoint()
    {
        const QString base = path("runs/first");
        CheckpointFolder folder(base);
        const QString tensors = folder.begin(120);
        QVERIFY(QDir::isAbsolutePath(tensors));
        writeFile(tensors, "tensors");
        const QString written = folder.commit(stateOf(120));
        QCOMPARE(written, base + QLatin1String("/step-000120"));

        const CheckpointFolder::Found found = CheckpointFolder(base).newest();
        QCOMPARE(found.path, written);
        QVERIFY(found.state == stateOf(120));
        QCOMPARE(readFile(found.tensors), QByteArray("tensors"));
    }

    void keepsNumbersExactly()
    {
        CheckpointState state = stateOf(12'345'678);
        state.samplesDone = (std::int64_t{1} << 53) + 1;
        state.epoch = std::numeric_limits<std::int64_t>::max();
        QVERIFY(write(state).endsWith(QLatin1String("/step-12345678")));
        QVERIFY(CheckpointFolder(m_folder->path()).newest().state == state);
    }

    void keepsTheNewestTwo()
    {
        for (const int step : {10, 20, 30, 40})
            write(stateOf(step));
        QCOMPARE(entries(), QStringLiteral("step-000030 step-000040"));
        QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 40);
    }

    void treatsTheLastWrittenAsTheNewest()
    {
        write(stateOf(5000));
        // A new run in the same folder.
        write(stateOf(10));
        QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
        write(stateOf(20));
        QCOMPARE(entries(), QStringLiteral("step-000010 step-000020"));
    }

    void replacesACheckpointOfTheSameStep()
    {
        write(stateOf(10), "old");
        CheckpointState again = stateOf(10);
        again.microBatchSize = 2;
        write(again, "new");
        QCOMPARE(entries(), QStringLiteral("step-000010"));
        const CheckpointFolder::Found found = CheckpointFolder(m_folder->path()).newest();
        QVERIFY(found.state == again);
        QCOMPARE(readFile(found.tensors), QByteArray("new"));
    }

    void ignoresIncompleteCheckpoints()
    {
        write(stateOf(10));
        CheckpointFolder crashed(m_folder->path());
        writeFile(crashed.begin(20), "half of the tens");
        QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
        // Even a folder that lacks only its final name is no checkpoint, also if it is requested.
        QVERIFY(QFile::copy(path("step-000010/state.json"), path("step-000020.unfinished/state.json")));
        QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
        QVERIFY(
            !errorOf([&] { (void)CheckpointFolder(path("step-000020.unfinished/")).newest(); }).isEmpty());

        write(stateOf(30));
        QCOMPARE(entries(), QStringLiteral("step-000010 step-000030"));
    }

    void keepsEntriesOfOthers()
    {
        for (const char* name : {"notes.unfinished", "step-7.unfinished", "step-000001", "checkpoints"})
            QVERIFY(QDir().mkpath(path(name)));
        writeFile(path("step-000002"), "a file");
        QVERIFY(QFile::link(m_folder->path(), path("step-000003.unfinished")));
        QVERIFY(QDir().mkpath(path("step-000004")));
        writeFile(path("step-000004/state.json"), "{\"of\": \"another program\"}");
        const QString before = entries();
        for (const int step : {10, 20, 30})
            write(stateOf(step));
        QCOMPARE(entries(), QString(before).replace(QLatin1String("step-7"),
                                                    QLatin1String("step-000020 step-000030 step-7")));
    }

    void refusesToReplaceEntriesOfOthers()
    {
        QVERIFY(QDir().mkpath(path("step-000010")));
        CheckpointFolder folder(m_folder->path());
        const QString sentence = errorOf([&] { (void)folder.begin(10); });
        VERIFY_CONTAINS(sentence, "Something that is no checkpoint has the name of one; move it away");
        QCOMPARE(entries(), QStringLiteral("step-000010"));
    }

    // Checked before the training, because the step may be its last one.
    void refusesAnEntryWithTheNameOfACheckpoint_data()
    {
        using Make = std::function<void(const QString& path)>;
        rows<Make>({{"a folder", [](const QString& path) { QDir().mkpath(path); }},
                    {"a file", [](const QString& path) { writeFile(path, "notes"); }},
                    {"a link to nowhere",
                     [](const QString& path) { QFile::link(QStringLiteral("/nowhere"), path); }},
                    {"another program's", [](const QString& path) {
                         QDir().mkpath(path);
                         writeFile(path + QStringLiteral("/state.json"), "{\"of\": \"another program\"}");
                     }}});
    }
    void refusesAnEntryWithTheNameOfACheckpoint()
    {
        write(stateOf(10));
        row<std::function<void(const QString& path)>>()(path("step-000020"));
        CheckpointFolder folder(m_folder->path());
        const QString before = entries();
        for (const QString& sentence : {errorOf([&] { (void)folder.claim(QStringLiteral("7d9c")); }),
                                        errorOf([&] { (void)folder.begin(20); })}) {
            VERIFY_CONTAINS(sentence, "step-000020");
            VERIFY_CONTAINS(sentence, "Something that is no checkpoint has the name of one; move it away");
        }
        QCOMPARE(entries(), before);
    }

    void acceptsOtherEntries()
    {
        for (const char* name : {"notes", "step-7", "step-000010.unfinished", "step-000010.bak"})
            QVERIFY(QDir().mkpath(path(name)));
        QVERIFY(CheckpointFolder(m_folder->path()).claim(QStringLiteral("7d9c")));
    }

    void continuesWithoutLocks()
    {
        const test::RefusingDisk without(m_folder->path(), ENOLCK);
        const auto lock = CheckpointFolder(m_folder->path()).claim(QStringLiteral("7d9c"));
        QVERIFY(lock && !lock->isTaken());
    }

    void belongsToOneTraining()
    {
        const CheckpointFolder folder(m_folder->path());
        QVERIFY(folder.claim(QStringLiteral("7d9c")));
        write(stateOf(10));
        // The training resumes, or the same program starts it again.
        QVERIFY(folder.claim(QStringLiteral("7d9c")));
        const QString sentence = errorOf([&] { (void)folder.claim(QStringLiteral("another")); });
        VERIFY_CONTAINS(sentence, "step-000010");
        VERIFY_CONTAINS(sentence,
                        "of another training, whose folder this is; go on with that one by --resume");
    }

    void belongsToOneProgramAtATime()
    {
        // Another program holds the folder until it is killed.
        std::array<int, 2> held{};
        QCOMPARE(::pipe(held.data()), 0);
        const pid_t other = ::fork();
        if (other == 0) {
            const auto lock = CheckpointFolder(m_folder->path()).claim(QStringLiteral("7d9c"));
            const char byte = 1;
            [[maybe_unused]] const auto written = ::write(held[1], &byte, 1);
            ::pause();
            ::_exit(0);
        }
        char byte = 0;
        QCOMPARE(::read(held[0], &byte, 1), 1);
        const CheckpointFolder folder(m_folder->path());
        VERIFY_CONTAINS(errorOf([&] { (void)folder.claim(QStringLiteral("7d9c")); }),
                        qPrintable(QStringLiteral("Another training (process %1 on").arg(other)));
        test::sendSignal(other, SIGKILL);
        QCOMPARE(::waitpid(other, nullptr, 0), other);
        QVERIFY(folder.claim(QStringLiteral("7d9c")));
        ::close(held[0]);
        ::close(held[1]);
    }

    // The folder is replaced while the worker writes its tensors, which may take minutes.
    void refusesToWriteIntoAReplacedFolder_data()
    {
        using Replace = std::function<void(const QString& folder)>;
        const auto moveAway = [](const QString& folder) {
            QDir().rename(folder, folder + QStringLiteral(".old"));
        };
        rows<Replace>({{"removed", [](const QString& folder) { QDir(folder).removeRecursively(); }},
                       {"moved", moveAway},
                       {"another one",
                        [moveAway](const QString& folder) {
                            moveAway(folder);
                            writeFile(CheckpointFolder(folder).begin(1), "another's");
                        }},
                       {"a link to another one", [moveAway](const QString& folder) {
                            moveAway(folder);
                            writeFile(CheckpointFolder(folder + QStringLiteral(".new")).begin(1),
                                      "another's");
                            QFile::link(folder + QStringLiteral(".new"), folder);
                        }}});
    }
    void refusesToWriteIntoAReplacedFolder()
    {
        const QString folder = path("c");
        const QString training = QStringLiteral("7d9c");
        training::TrainingCheckpoints checkpoints(folder, 1, 0, {}, training,
                                                  CheckpointFolder(folder).claim(training));
        writeFile(checkpoints.begin(1), "tensors");
        row<std::function<void(const QString& folder)>>()(folder);
        const QString sentence =
            errorOf([&] { (void)checkpoints.commit({.step = 1}, training::MicroBatchSizes({}), 16); });
        VERIFY_STARTS_WITH(sentence, folder + QLatin1String(": "));
        VERIFY_CONTAINS(sentence, "This folder was removed or replaced while a checkpoint was written");
        QVERIFY(!QFileInfo::exists(folder + QStringLiteral("/step-000001")));
        // The next checkpoint claims the new folder.
        writeFile(checkpoints.begin(2), "tensors");
        QVERIFY(store::ProgramLock::isHeld(folder + QStringLiteral("/.training.lock")));
    }

    void continuesFromOneCheckpoint()
    {
        write(stateOf(10));
        write(stateOf(20));
        const CheckpointFolder::Found found = CheckpointFolder(path("step-000010")).newest();
        QCOMPARE(found.state.step, 10);
        QCOMPARE(found.tensors, path("step-000010/tensors.safetensors"));
    }

    void keepsCheckpointsWhenTheDiskIsFull()
    {
        write(stateOf(10));
        CheckpointFolder folder(m_folder->path());
        writeFile(folder.begin(20), "tensors");
        {
            const FullDisk full(64);
            const QString sentence = errorOf([&] { (void)folder.commit(stateOf(20)); });
            VERIFY_CONTAINS(sentence, "The state of the checkpoint was not written (");
            VERIFY_CONTAINS(sentence, "make room");
        }
        QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 10);
        write(stateOf(20));
        QCOMPARE(entries(), QStringLiteral("step-000010 step-000020"));
    }

    void reportsAFolderThatCannotBeWritten_data()
    {
        rows<Text>({{"read-only", "/proc/checkpoints"},
                    {"a file", "/etc/passwd"},
                    {"within a file", "/etc/passwd/checkpoints"}});
    }
    void reportsAFolderThatCannotBeWritten()
    {
        const auto& folder = row<Text>();
        const QString sentence = errorOf([&] { (void)CheckpointFolder(folder).begin(10); });
        VERIFY_STARTS_WITH(sentence, folder);
        VERIFY_CONTAINS(sentence, "The folder for checkpoints cannot be made (");
    }

    void reportsMissingTensors()
    {
        CheckpointFolder folder(m_folder->path());
        (void)folder.begin(10);
        VERIFY_CONTAINS(errorOf([&] { (void)folder.commit(stateOf(10)); }),
                        "The worker left no tensors here");

        const QString older = write(stateOf(10));
        const QString written = write(stateOf(20));
        const QString tensors = written + QLatin1String("/tensors.safetensors");
        QVERIFY(QFile::remove(tensors));
        const QString sentence = errorOf([&] { (void)folder.newest(); });
        VERIFY_STARTS_WITH(sentence, tensors + QLatin1String(": "));
        VERIFY_CONTAINS(sentence, "is missing");
        VERIFY_CONTAINS(sentence, QStringLiteral("--resume %1.").arg(older));
        QVERIFY(QDir().mkpath(tensors));
        VERIFY_CONTAINS(errorOf([&] { (void)folder.newest(); }), "is no regular file");
    }

    void reportsErrorsInAState_data()
    {
        const auto add = rows<QByteArray, QByteArray, Text>();
        add("nonsense",
            {"\"epoch\": 2", "\"epoch\" 2", "state.json:4:13: The state of a checkpoint cannot be"});
        add("cut off", {"\"epoch\": 2", {}, ":4:"});
        add("text for a number",
            {"\"epoch\": 2", "\"epoch\": \"two\"", ":4:5: \"epoch\" is not a whole number of at least 0"});
        add("fraction", {"\"epoch\": 2", "\"epoch\": 2.5", "\"epoch\" is not a whole number of at least 0"});
        add("negative", {"\"epoch\": 2", "\"epoch\": -1", "\"epoch\" is not a whole number of at least 0"});
        add("no sample", {"\"batch_size\": 16", "\"batch_size\": 0",
                          "\"batch_size\" is not a whole number of at least 1"});
        add("missing", {"\"epoch\": 2,", "", "state.json: \"epoch\" is not a whole number"});
        add("number for a text",
            {"\"fingerprint\": \"", "\"fingerprint\": 3, \"x\": \"", "\"fingerprint\" is not a text"});
        add("newer", {"\"batchpeak_checkpoint\": 1", "\"batchpeak_checkpoint\": 2",
                      "A newer Batchpeak wrote this checkpoint (format 2; this one knows 1)"});
        add("of another program",
            {"\"batchpeak_checkpoint\": 1", "\"other\": 1", "state.json: \"batchpeak_checkpoint\" is not"});
    }
    void reportsErrorsInAState()
    {
        const auto& [from, to, part] = row<QByteArray, QByteArray, Text>();
        const QString path = write(stateOf(10)) + QLatin1String("/state.json");
        QByteArray text = readFile(path);
        VERIFY_CONTAINS(text, from);
        if (to.isNull())
            text.truncate(text.indexOf(from) + 3);
        else
            text.replace(from, to);
        writeFile(path, text);
        const QString sentence = errorOf([&] { (void)CheckpointFolder(m_folder->path()).newest(); });
        VERIFY_STARTS_WITH(sentence, path);
        QVERIFY2(sentence.contains(part), qPrintable(sentence + QString::fromUtf8(text)));
    }

    // A checksum detects changed bytes even if all values remain valid.
    void detectsAChangedState_data()
    {
        rows<QByteArray, QByteArray>(
            {{"step", {"\"step\": 20", "\"step\": 21"}},
             {"samples that are done", {"\"samples_done\": 48", "\"samples_done\": 49"}},
             {"size", {"\"micro_batch_size\": 8", "\"micro_batch_size\": 4"}},
             {"batch", {"\"batch_size\": 16", "\"batch_size\": 32"}},
             {"seed", {"seed 1", "seed 2"}},
             {"training", {"7d9c", "7d9d"}},
             {"serial", {"\"serial\": 2", "\"serial\": 1"}},
             {"checksum", {"\"state_xxh3\": \"", "\"state_xxh3\": \"0"}}});
    }
    void detectsAChangedState()
    {
        const auto& [from, to] = row<QByteArray, QByteArray>();
        const QString older = write(stateOf(10));
        const QString newest = write(stateOf(20));
        change(newest, from, to);
        for (const QString& folder : {m_folder->path(), newest}) {
            const QString sentence = errorOf([&] { (void)CheckpointFolder(folder).newest(); });
            VERIFY_STARTS_WITH(sentence, newest + QLatin1String("/state.json: "));
            VERIFY_CONTAINS(sentence, "\"state_xxh3\"");
            VERIFY_CONTAINS(sentence, QStringLiteral("--resume %1.").arg(older));
        }
        QCOMPARE(CheckpointFolder(older).newest().state.step, 10);
        // A damaged checkpoint does not matter if a newer one is intact.
        write(stateOf(30));
        QCOMPARE(CheckpointFolder(m_folder->path()).newest().state.step, 30);
    }

    void reportsThatNoCheckpointIsIntact()
    {
        const QString checkpoint = write(stateOf(10));
        change(checkpoint, "seed 1", "seed 2");
        VERIFY_CONTAINS(errorOf([&] { (void)CheckpointFolder(checkpoint).newest(); }), "start afresh");
    }

    void readsAStateWithoutAChecksum()
    {
        const QString checkpoint = write(stateOf(10));
        removeChecksum(checkpoint);
        QVERIFY(CheckpointFolder(m_folder->path()).newest().state == stateOf(10));
        change(checkpoint, "\"step\": 10", "\"step\": 11");
        const QString sentence = errorOf([&] { (void)CheckpointFolder(m_folder->path()).newest(); });
        VERIFY_CONTAINS(sentence, "the state of step 11");
        // A name that the user chose does not contain a step.
        QVERIFY(QDir().rename(checkpoint, path("best")));
        QCOMPARE(CheckpointFolder(path("best")).newest().state.step, 11);
    }

    // Opening a pipe would block until another process writes to it.
    void refusesAPipe()
    {
        const QString pipe = write(stateOf(10)) + QLatin1String("/state.json");
        QVERIFY(QFile::remove(pipe));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        const CheckpointFolder folder(m_folder->path());
        const QString sentence = errorOf([&] { (void)folder.newest(); });
        VERIFY_STARTS_WITH(sentence, pipe + QLatin1String(": "));
        VERIFY_CONTAINS(sentence, "This is no regular file");
        VERIFY_CONTAINS(errorOf([&] { (void)folder.claim(QStringLiteral("7d9c")); }),
                        "Something that is no checkpoint has the name of one");
    }

    void reportsThatThereIsNoCheckpoint_data()
    {
        rows<Text, Text>({{"no folder", {"none", "There is no such folder; give"}},
                          {"a file", {"file", "There is no such folder; give"}},
                          {"empty", {"empty", "This folder has no complete checkpoint"}}});
    }
    void reportsThatThereIsNoCheckpoint()
    {
        const auto& [name, part] = row<Text, Text>();
        writeFile(path("file"), "text");
        QVERIFY(QDir().mkpath(path("empty")));
        const QString folder = m_folder->filePath(name);
        const QString sentence = errorOf([&] { (void)CheckpointFolder(folder).newest(); });
        VERIFY_STARTS_WITH(sentence, folder + QLatin1String(": "));
        VERIFY_CONTAINS(sentence, part);
    }

private:
    QString write(const CheckpointState& state, const QByteArray& tensors = "tensors")
    {
        CheckpointFolder folder(m_folder->path());
        writeFile(folder.begin(state.step), tensors);
        return folder.commit(state);
    }

    /// Replaces the first occurrence of \p from in the state of a checkpoint.
    static void change(const QString& checkpoint, const QByteArray& from, const QByteArray& to)
    {
        const QString file = checkpoint + QLatin1String("/state.json");
        QByteArray text = readFile(file);
        VERIFY_CONTAINS(text, from);
        writeFile(file, text.replace(text.indexOf(from), from.size(), to));
    }

    /// Removes the checksum of the state, which older programs did not write.
    static void removeChecksum(const QString& checkpoint)
    {
        const QByteArray text = readFile(checkpoint + QLatin1String("/state.json"));
        const qsizetype place = text.indexOf("    \"state_xxh3\"");
        QVERIFY(place > 0);
        change(checkpoint, text.mid(place, text.indexOf('\n', place) + 1 - place), "");
    }

    QString path(const char* name) const { return m_folder->filePath(QString::fromUtf8(name)); }
    /// Returns the names of all entries, such as "step-000001 step-000002".
    QString entries() const
    {
        return QDir(m_folder->path())
            .entryList(QDir::AllEntries | QDir::NoDotAndDotDot)
            .join(QLatin1Char(' '));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(CheckpointFolderTest)
#include "tst_checkpoint_folder.moc"
