// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/config_file.h"
#include "files/output_place.h"
#include "files/trusted_code.h"
#include "options/exploration_options.h"
#include "store/exploration_store.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::engine;
using test::rows;
using test::writeFile;

namespace {

/// Two paths in the folder of the test.
struct Pair
{
    const char* path;
    const char* other;
    bool isSame = true;
};

struct Place
{
    const char* path;
    QStringList needed = {};
    bool isOurs = false;
    OutputObstacle obstacle = OutputObstacle::None;
};

} // namespace

class OutputPlaceTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        for (const char* folder : {"data/deep", "other"})
            QVERIFY(QDir(m_folder.path()).mkpath(QString::fromLatin1(folder)));
        for (const char* file : {"config.yaml", "notes", "data/1.npy", "data/deep/2.npy", "other/notes"})
            writeFile(path(file), "precious");
        QVERIFY(QFile::link(path("config.yaml"), path("link")));
        QVERIFY(QFile::link(path("new"), path("link to new")));
        QVERIFY(QFile::link(path("data"), path("linked data")));
        hardLink("config.yaml", "hard link");
        hardLink("data/1.npy", "hard link to data");
        QCOMPARE(::mkfifo(QFile::encodeName(path("pipe")).constData(), 0600), 0);
    }

    void recognizesAFileByAllItsNames_data()
    {
        rows<Pair>({{"its name", {"config.yaml", "config.yaml"}},
                    {"a roundabout way", {"config.yaml", "data/../config.yaml"}},
                    {"a link", {"config.yaml", "link"}},
                    {"a hard link", {"link", "hard link"}},
                    {"a linked folder", {"data/1.npy", "linked data/1.npy"}},
                    {"another one", {"config.yaml", "notes", false}},
                    {"another one of that name", {"notes", "other/notes", false}},
                    {"one that is there and one that is not", {"notes", "new", false}},
                    {"neither is there", {"new", "new"}},
                    {"neither is there, in a roundabout way", {"data/new", "./data/deep/../new"}},
                    {"neither is there, in a linked folder", {"data/new", "linked data/new"}},
                    {"a link to where neither is", {"new", "link to new"}},
                    {"neither is there, of two names", {"new", "newer", false}},
                    {"neither is there, in two folders", {"new", "data/new", false}},
                    {"no folder either", {"no/new", "no/new", false}}});
    }
    void recognizesAFileByAllItsNames()
    {
        const auto& [one, other, isSame] = test::row<Pair>();
        QCOMPARE(isSameFile(path(one), path(other)), isSame);
        QCOMPARE(isSameFile(path(other), path(one)), isSame);
        QVERIFY(!isSameFile(path(one), QString()));
        QVERIFY(!isSameFile(QString(), QString()));
    }

    void reportsObstacles_data()
    {
        using enum OutputObstacle;
        const QStringList config{QString(), path("config.yaml")};
        const QStringList data{path("data")};
        rows<Place>(
            {{"nothing", {.path = "new", .needed = config + data}},
             {"a needed file", {.path = "config.yaml", .needed = config, .obstacle = Needed}},
             {"its hard link", {.path = "hard link", .needed = config, .obstacle = Needed}},
             {"a needed file of ours",
              {.path = "config.yaml", .needed = config, .isOurs = true, .obstacle = Needed}},
             {"where one will be written",
              {.path = "new", .needed = {path("link to new")}, .obstacle = Needed}},
             {"another file", {.path = "notes", .needed = config, .obstacle = There}},
             {"another file of ours", {.path = "notes", .needed = config, .isOurs = true}},
             {"a file of a folder", {.path = "data/1.npy", .needed = data, .obstacle = Needed}},
             {"a file deep in it", {.path = "data/deep/2.npy", .needed = data, .obstacle = Needed}},
             {"a hard link to one", {.path = "hard link to data", .needed = data, .obstacle = Needed}},
             {"ours in a folder", {.path = "data/1.npy", .needed = data, .isOurs = true}},
             {"a new one in a folder", {.path = "data/new", .needed = data}},
             {"a pipe", {.path = "pipe", .needed = config + data}}});
    }
    void reportsObstacles()
    {
        const auto& [name, needed, isOurs, obstacle] = test::row<Place>();
        QCOMPARE(obstacleTo(path(name), needed, isOurs), obstacle);
    }

    void namesTheFilesThatAConfigNeeds()
    {
        const QString config = path("script.yaml");
        writeFile(config, "batchpeak: 1\n"
                          "batch_size: 8\n"
                          "batch_increase_function: grow.py\n"
                          "model:\n"
                          "  family: torchscript\n"
                          "  file: nets/module.pt\n"
                          "  inputs:\n"
                          "    - {shape: [8]}\n"
                          "  output: loss\n");
        const QString network = path("network.json");
        writeFile(network, "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 32, \"n_head\": 2}\n");
        const ConfigFile file = ConfigFile::open(config);
        const QStringList needed = filesNeededBy(file) + filesNeededBy(file.withModel(network));
        const QString history = store::ExplorationStore::defaultPath();
        for (const QString& each :
             {config, path("nets/module.pt"), path("grow.py"), network, history,
              history + QStringLiteral("-wal"), history + QStringLiteral("-shm"), trustListPath()})
            QVERIFY2(needed.contains(each),
                     qPrintable(each + QLatin1Char('\n') + needed.join(QLatin1Char('\n'))));
        // Ids of the hub are not listed, as no user would write to them.
        for (const QString& each : needed)
            QVERIFY2(each.isEmpty() || QDir::isAbsolutePath(each), qPrintable(each));
    }

    void namesTheFilesOfOptions()
    {
        const ExplorationOptions here{
            .sampleLengthsPath = path("notes"),
            .workerCommand = QStringLiteral("python3 -u \"%1\" --size 3").arg(path("config.yaml")),
            .python = path("other/notes")};
        for (const QString& each : {path("notes"), path("config.yaml"), path("other/notes")})
            QVERIFY2(filesNeededBy(here).contains(each), qPrintable(each));
        ExplorationOptions elsewhere = here;
        elsewhere.places = {QStringLiteral("ssh host")};
        QVERIFY(!filesNeededBy(elsewhere).contains(path("config.yaml")));
    }

private:
    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    void hardLink(const char* from, const char* to) const
    {
        QCOMPARE(::link(QFile::encodeName(path(from)).constData(), QFile::encodeName(path(to)).constData()),
                 0);
    }

    QTemporaryDir m_folder;
};

BATCHPEAK_TEST(OutputPlaceTest)
#include "tst_output_place.moc"
