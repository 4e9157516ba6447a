// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/config_file.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "text/errors.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak;
using batchpeak::config::ConfigError;
using batchpeak::engine::ConfigFile;
using test::errorOf;

namespace {

const QByteArray sound("train_input:\n  batch_size: 8\n  micro_batch_size: explore # sizes\n");
const QByteArray written("train_input:\n  batch_size: 8\n  micro_batch_size: 4 # sizes\n");

/// Config in Batchpeak's own format, with a made-up network of at most 64 tokens.
const QByteArray ownNetwork("batchpeak: 1\n"
                            "batch_size: 2\n"
                            "model:\n"
                            "  family: gpt2\n"
                            "  vocabulary_size: 16\n"
                            "  hidden_size: 8\n"
                            "  layers: 1\n"
                            "  heads: 2\n"
                            "  key_value_heads: 2\n"
                            "  feed_forward_size: 16\n"
                            "  max_positions: 64\n");

const model::ModelSpec& modelOf(const ConfigFile& file)
{
    return std::get<model::ModelSpec>(file.contents().model);
}

} // namespace

class ConfigFileTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_path = m_folder->filePath(QStringLiteral("params.yaml"));
        test::writeFile(m_path, sound);
    }

    void writesTheSize()
    {
        const ConfigFile file = ConfigFile::open(m_path);
        QCOMPARE(file.path(), m_path);
        QCOMPARE(file.contents().train->globalBatchSize, 8);
        file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), m_path);
        QCOMPARE(test::readFile(m_path), written);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{QStringLiteral("params.yaml")});
    }

    void writesToAnotherFile()
    {
        const QString other = m_folder->filePath(QStringLiteral("out.yaml"));
        const ConfigFile file = ConfigFile::open(m_path);
        file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), other);
        QCOMPARE(test::readFile(other), written);
        QCOMPARE(test::readFile(m_path), sound);
    }

    void keepsPermissions()
    {
        const auto permissions = QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ReadGroup;
        QVERIFY(QFile::setPermissions(m_path, permissions));
        const auto before = QFileInfo(m_path).permissions();
        const ConfigFile file = ConfigFile::open(m_path);
        file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), m_path);
        QCOMPARE(QFileInfo(m_path).permissions(), before);
    }

    void followsLinks()
    {
        const QString link = m_folder->filePath(QStringLiteral("link.yaml"));
        QVERIFY(QFile::link(QStringLiteral("params.yaml"), link));
        const ConfigFile file = ConfigFile::open(link);
        file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), link);
        QVERIFY(QFileInfo(link).isSymLink());
        QCOMPARE(test::readFile(m_path), written);
    }

    void followsALinkIntoAnotherFolder()
    {
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("store")));
        const QString target = m_folder->filePath(QStringLiteral("store/params.yaml"));
        QVERIFY(QFile::rename(m_path, target));
        const auto permissions = QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ReadOther;
        QVERIFY(QFile::setPermissions(target, permissions));
        const auto before = QFileInfo(target).permissions();
        QVERIFY(QFile::link(QStringLiteral("store/params.yaml"), m_path));
        const ConfigFile file = ConfigFile::open(m_path);
        file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), m_path);
        QVERIFY(QFileInfo(m_path).isSymLink());
        QCOMPARE(test::readFile(target), written);
        QCOMPARE(QFileInfo(target).permissions(), before);
        QCOMPARE(QDir(m_folder->filePath(QStringLiteral("store"))).entryList(QDir::Files),
                 QStringList{QStringLiteral("params.yaml")});
    }

    void showsTheChangeInAdvance_data()
    {
        rows<Text, Text>({{"in place", {"params.yaml", "b/params.yaml"}},
                          {"to another file", {"./out.yaml", "b/./out.yaml"}},
                          {"from the root on", {"/tmp/out.yaml", "b/tmp/out.yaml"}}});
    }
    void showsTheChangeInAdvance()
    {
        const auto& [target, after] = row<Text, Text>();
        const QDir before = QDir::current();
        QVERIFY(QDir::setCurrent(m_folder->path()));
        const ConfigFile file = ConfigFile::open(QStringLiteral("params.yaml"));
        const auto spliced = file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4});
        const QString change = file.changeIn(spliced, target);
        const QStringList files = QDir(m_folder->path()).entryList(QDir::Files);
        QVERIFY(QDir::setCurrent(before.path()));
        QCOMPARE(change, QStringLiteral("--- a/params.yaml\n+++ %1\n"
                                        "@@ -1,3 +1,3 @@\n train_input:\n   batch_size: 8\n"
                                        "-  micro_batch_size: explore # sizes\n"
                                        "+  micro_batch_size: 4 # sizes\n")
                             .arg(after));
        QCOMPARE(files, QStringList{QStringLiteral("params.yaml")});
        QCOMPARE(test::readFile(m_path), sound);
    }

    void writesTheSizesOfBothPhases_data()
    {
        test::rows<QByteArray, QByteArray>(
            {{"Cerebras",
              {"train_input:\n  batch_size: 8\neval_input:\n  batch_size: 8\n  micro_batch_size: auto\n",
               "train_input:\n  batch_size: 8\n  micro_batch_size: 4\neval_input:\n  batch_size: 8\n"
               "  micro_batch_size: 2\n"}},
             {"Hugging Face",
              {"output_dir: out\nper_device_train_batch_size: 8\ngradient_accumulation_steps: 1\n"
               "per_device_eval_batch_size: 8\n",
               "output_dir: out\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 2\n"
               "per_device_eval_batch_size: 2\n"}}});
    }
    void writesTheSizesOfBothPhases()
    {
        const auto& [before, after] = test::row<QByteArray, QByteArray>();
        test::writeFile(m_path, before);
        const ConfigFile file = ConfigFile::open(m_path);
        const auto spliced = file.withMicroBatchSizes({{.phase = model::Phase::Train, .microBatchSize = 4},
                                                       {.phase = model::Phase::Eval, .microBatchSize = 2}});
        QCOMPARE(QByteArray::fromStdString(spliced.text), after);
    }

    void notesAPhaseThatStillExplores_data()
    {
        rows<std::vector<model::Phase>, int>({{"training", {{model::Phase::Train}, 1}},
                                              {"evaluation", {{model::Phase::Eval}, 1}},
                                              {"both", {{model::Phase::Train, model::Phase::Eval}, 0}}});
    }
    void notesAPhaseThatStillExplores()
    {
        const auto& [phases, notes] = row<std::vector<model::Phase>, int>();
        test::writeFile(m_path, "train_input: {batch_size: 8, micro_batch_size: explore}\n"
                                "eval_input: {batch_size: 8, micro_batch_size: explore}\n");
        std::vector<config::ChosenSize> chosen;
        for (model::Phase phase : phases)
            chosen.push_back({.phase = phase, .microBatchSize = 4});
        const auto spliced = ConfigFile::open(m_path).withMicroBatchSizes(chosen);
        const char* other =
            phases.front() == model::Phase::Train ? "explore in evaluation" : "explore in training";
        QCOMPARE(std::ranges::count_if(
                     spliced.notes, [&](const std::string& note) { return note.find(other) != note.npos; }),
                 notes);
        QCOMPARE(spliced.notes.size(), std::size_t(notes));
    }

    void refusesTwoSizesInOnePlace()
    {
        test::writeFile(m_path, "train_input: &input\n  batch_size: 8\n  micro_batch_size: 8\n"
                                "eval_input: *input\n");
        const ConfigFile file = ConfigFile::open(m_path);
        const QString error = errorOf([&] {
            file.withMicroBatchSizes({{.phase = model::Phase::Train, .microBatchSize = 4},
                                      {.phase = model::Phase::Eval, .microBatchSize = 2}});
        });
        VERIFY_CONTAINS(error, "one place in this config");
    }

    void refusesToShowChangesToAModifiedFile()
    {
        const ConfigFile file = ConfigFile::open(m_path);
        const auto spliced = file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4});
        const QByteArray changed = sound + "model: {}\n";
        test::writeFile(m_path, changed);
        const QString error = errorOf([&] { file.changeIn(spliced, m_path); });
        VERIFY_CONTAINS(error, "changed since it was read");
        QCOMPARE(test::readFile(m_path), changed);
    }

    void doesNotOverwriteAModifiedFile_data()
    {
        rows<bool>({{"by its name", false}, {"through a link", true}});
    }
    void doesNotOverwriteAModifiedFile()
    {
        const auto& throughLink = row<bool>();
        const QString link = m_folder->filePath(QStringLiteral("link.yaml"));
        QVERIFY(QFile::link(m_path, link));
        const ConfigFile file = ConfigFile::open(m_path);
        const QByteArray changed = sound + "model: {}\n";
        test::writeFile(m_path, changed);
        const auto save = [&] {
            file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}),
                      throughLink ? link : m_path);
        };
        VERIFY_CONTAINS(errorOf(save), "changed since it was read");
        QCOMPARE(test::readFile(m_path), changed);
    }

    void namesPathAndPlace()
    {
        test::writeFile(m_path, "train_input:\n  batch_size: 8\n  micro_batch_size: 9\n");
        const QString error = errorOf([&] { ConfigFile::open(m_path); });
        VERIFY_STARTS_WITH(error, m_path + QStringLiteral(":3:21: The micro_batch_size 9"));
    }

    void namesThePathOfARefusedSize()
    {
        const ConfigFile file = ConfigFile::open(m_path);
        const QString error =
            errorOf([&] { file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 9}); });
        VERIFY_STARTS_WITH(error, m_path + QStringLiteral(":2:15: "));
    }

    void keepsTheChoiceOfARefusedBatch()
    {
        const config::BatchNotKept error({.globalBatchSize = 16}, {.microBatchSize = 6},
                                         {.line = 2, .column = 15});
        const config::BatchNotKept placed = engine::located(m_path, error);
        VERIFY_STARTS_WITH(placed.what(), m_path + QStringLiteral(":2:15: A batch of 16 cannot be split"));
        QCOMPARE(placed.below(), std::optional<std::int64_t>(12));
        QCOMPARE(placed.above(), 18);
        QCOMPARE(placed.position(), (config::TextPosition{.line = 2, .column = 15}));
    }

    void usesTheNetworkOfAnotherConfig_data()
    {
        rows<Text, Text>({{"a file", {"own.yaml", "own.yaml"}},
                          {"a folder with a config.json", {"llama", "llama/config.json"}}});
    }
    void usesTheNetworkOfAnotherConfig()
    {
        const auto& [asked, source] = row<Text, Text>();
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("llama")));
        test::writeFile(m_folder->filePath(source), ownNetwork);
        const ConfigFile file = ConfigFile::open(m_path);
        QVERIFY(std::holds_alternative<config::UnsupportedModel>(file.contents().model));
        QCOMPARE(file.modelSource(), QString());

        const ConfigFile chosen = file.withModel(m_folder->filePath(asked));
        QCOMPARE(chosen.modelSource(), m_folder->filePath(source));
        QVERIFY(std::holds_alternative<model::DecoderSpec>(modelOf(chosen).architecture));
        QCOMPARE(chosen.contents().sequenceLength, 64);
        QCOMPARE(chosen.contents().formatName, file.contents().formatName);
        QVERIFY(chosen.contents().train == file.contents().train);
        QCOMPARE(chosen.path(), m_path);
        chosen.save(chosen.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), m_path);
        QCOMPARE(test::readFile(m_path), written);
    }

    void replacesAChosenNetwork()
    {
        const QString first = m_folder->filePath(QStringLiteral("first.yaml"));
        const QString second = m_folder->filePath(QStringLiteral("second.yaml"));
        test::writeFile(first, ownNetwork);
        test::writeFile(second, QByteArray(ownNetwork).replace("max_positions: 64", "max_positions: 32"));
        const ConfigFile file = ConfigFile::open(m_path);
        const ConfigFile chosen = file.withModel(first).withModel(second);
        QCOMPARE(chosen.modelSource(), second);
        QCOMPARE(chosen.contents().sequenceLength, 32);
        QCOMPARE(chosen.contents().warnings.size(), file.withModel(second).contents().warnings.size());
    }

    // The path of a script is relative to the config that names it, not to the explored config.
    void findsAScriptNextToTheConfigThatNamesIt()
    {
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("networks")));
        const QString source = m_folder->filePath(QStringLiteral("networks/own.yaml"));
        test::writeFile(source, "batchpeak: 1\nbatch_size: 2\nmodel:\n  family: torchscript\n  file: net.pt\n"
                                "  inputs:\n    - {shape: [8], type: float32}\n  output: loss\n");
        const ConfigFile chosen = ConfigFile::open(m_path).withModel(source);
        QCOMPARE(QString::fromStdString(std::get<model::ScriptSpec>(modelOf(chosen).architecture).file),
                 m_folder->filePath(QStringLiteral("networks/net.pt")));
    }

    void warnsOfBatchNormalizationInAChosenNetwork()
    {
        const QString source = m_folder->filePath(QStringLiteral("resnet.yaml"));
        test::writeFile(source, "batchpeak: 1\nbatch_size: 2\nmodel: {family: resnet, depth: 18}\n");
        const ConfigFile chosen = ConfigFile::open(m_path).withModel(source);
        const auto& warnings = chosen.contents().warnings;
        QCOMPARE(std::ranges::count_if(warnings,
                                       [](const config::Warning& warning) {
                                           return warning.sentence.starts_with("The network has batch norm");
                                       }),
                 1);
    }

    void refusesANetwork_data()
    {
        rows<Text, Text>(
            {{"no file and no id",
              {"nobody/nothing-1b", "nobody/nothing-1b: The network is named \"nobody/nothing-1b\", of which "
                                    "no config.json is in "}},
             {"no config", {"text.yaml", "text.yaml: Unrecognized config"}},
             {"a fault in it", {"faulty.yaml", "faulty.yaml:7:10: "}},
             {"no network in it", {"params.yaml", "params.yaml: The config has no model section"}}});
    }
    void refusesANetwork()
    {
        const auto& [asked, error] = row<Text, Text>();
        test::writeFile(m_path, "train_input:\n  batch_size: 8\n  max_sequence_length: 50\n");
        test::writeFile(m_folder->filePath(QStringLiteral("text.yaml")), "all: {is: well}\n");
        test::writeFile(m_folder->filePath(QStringLiteral("faulty.yaml")),
                        QByteArray(ownNetwork).replace("  layers: 1\n", "  width: 1\n"));
        const QDir before = QDir::current();
        QVERIFY(QDir::setCurrent(m_folder->path()));
        const QString problem =
            errorOf([&] { ConfigFile::open(QStringLiteral("params.yaml")).withModel(asked); });
        QVERIFY(QDir::setCurrent(before.path()));
        VERIFY_STARTS_WITH(problem, error);
    }

    void refusesToOpen_data()
    {
        rows<Text, Text>({{"no file", {"absent.yaml", "no such file"}},
                          {"a folder", {".", "a folder"}},
                          {"a device", {"/dev/zero", "no regular file"}},
                          {"50 MB", {"large.yaml", "has 50000000 bytes"}},
                          {"an empty file", {"empty.yaml", "is empty"}}});
    }
    void refusesToOpen()
    {
        const auto& [path, named] = row<Text, Text>();
        QFile large(m_folder->filePath(QStringLiteral("large.yaml")));
        QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(50'000'000));
        test::writeFile(m_folder->filePath(QStringLiteral("empty.yaml")), {});
        const QString full = QDir(m_folder->path()).absoluteFilePath(path);
        const QString error = errorOf([&] { ConfigFile::open(full); });
        QVERIFY2(error.startsWith(full + QStringLiteral(":")) && error.contains(named), qPrintable(error));
    }

    // Opening a leased file may block until the other program releases it, as with /proc/kmsg.
    void refusesAFileThatAnotherProgramHolds()
    {
        const auto before = std::signal(SIGIO, SIG_IGN);
        const int holder = ::open(QFile::encodeName(m_path).constData(), O_RDWR | O_CLOEXEC);
        const bool isHeld = ::fcntl(holder, F_SETLEASE, F_WRLCK) == 0;
        const QString error = isHeld ? errorOf([&] { ConfigFile::open(m_path); }) : QString();
        ::close(holder);
        std::signal(SIGIO, before);
        if (!isHeld)
            QSKIP("This file system gives no leases.");
        VERIFY_CONTAINS(error, "another program");
    }

    void leavesNoPartialFile_data()
    {
        rows<Text>({{"a folder that is not there", "absent/out.yaml"}, {"a folder", "."}});
    }
    void leavesNoPartialFile()
    {
        const auto& path = row<Text>();
        const QString full = QDir(m_folder->path()).absoluteFilePath(path);
        const ConfigFile file = ConfigFile::open(m_path);
        const QString error = errorOf([&] {
            file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), full);
        });
        VERIFY_CONTAINS(error, "was not written");
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{QStringLiteral("params.yaml")});
        QCOMPARE(test::readFile(m_path), sound);
    }

    // A limit on the size of files makes a write fail in the same way as a full disk.
    void survivesAFullDisk()
    {
        const ConfigFile file = ConfigFile::open(m_path);
        const auto spliced = file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4});
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const QString error = errorOf([&] { file.save(spliced, m_path); });
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, handler);
        VERIFY_CONTAINS(error, "was not written");
        VERIFY_CONTAINS(error, "as on a full disk");
        QCOMPARE(test::readFile(m_path), sound);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{QStringLiteral("params.yaml")});
    }

    void writesIntoAPipe()
    {
        const QString pipe = m_folder->filePath(QStringLiteral("pipe"));
        QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        const int reader = ::open(QFile::encodeName(pipe).constData(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reader >= 0);
        const ConfigFile file = ConfigFile::open(m_path);
        file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), pipe);
        QByteArray received(1024, '\0');
        received.truncate(
            std::max<ssize_t>(0, ::read(reader, received.data(), std::size_t(received.size()))));
        ::close(reader);
        QCOMPARE(received, written);
        QVERIFY(!QFileInfo(pipe).isFile());
    }

    void doesNotWaitForAReaderOfAPipe()
    {
        const QString pipe = m_folder->filePath(QStringLiteral("pipe"));
        QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        const ConfigFile file = ConfigFile::open(m_path);
        const auto spliced = file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4});
        VERIFY_CONTAINS(errorOf([&] { file.save(spliced, pipe); }), "no program reads from it");
    }

    void writesMoreThanAPipeHolds()
    {
        const QString pipe = m_folder->filePath(QStringLiteral("pipe"));
        QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        const int reader = ::open(QFile::encodeName(pipe).constData(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reader >= 0);
        QCOMPARE(::fcntl(reader, F_SETFL, 0), 0);
        QByteArray received;
        std::jthread reading([&] {
            // Until a writer has opened the pipe, a read would return immediately.
            pollfd begun{.fd = reader, .events = POLLIN, .revents = 0};
            ::poll(&begun, 1, -1);
            std::array<char, 4096> buffer{};
            for (ssize_t count = 0; (count = ::read(reader, buffer.data(), buffer.size())) > 0;)
                received.append(buffer.data(), count);
        });
        const std::string text(std::size_t{1} << 20, 'x');
        ConfigFile::open(m_path).save({.text = text}, pipe);
        reading.join();
        ::close(reader);
        QCOMPARE(received.toStdString(), text);
    }

    void needsPermissions()
    {
        if (geteuid() == 0)
            QSKIP("The superuser may read and write everything.");
        const ConfigFile file = ConfigFile::open(m_path);
        const auto save = [&] {
            file.save(file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 4}), m_path);
        };
        QVERIFY(QFile::setPermissions(m_path, QFileDevice::ReadOwner));
        VERIFY_CONTAINS(errorOf(save), "was not written");
        QVERIFY(QFile::setPermissions(m_path, QFileDevice::WriteOwner));
        VERIFY_CONTAINS(errorOf([&] { ConfigFile::open(m_path); }), "check its permissions");
        QVERIFY(QFile::setPermissions(m_path, QFileDevice::ReadOwner | QFileDevice::WriteOwner));
        QVERIFY(QFile::setPermissions(m_folder->path(), QFileDevice::ReadOwner | QFileDevice::ExeOwner));
        VERIFY_CONTAINS(errorOf(save), "was not written");
        QVERIFY(QFile::setPermissions(m_folder->path(), QFileDevice::ReadOwner | QFileDevice::WriteOwner |
                                                            QFileDevice::ExeOwner));
        QCOMPARE(test::readFile(m_path), sound);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(ConfigFileTest)
#include "tst_config_file.moc"
