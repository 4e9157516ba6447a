// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_survey.h"
#include "distinct_runs.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "survey_table.h"
#include "trial_sequence.h"

#include <QTemporaryDir>
#include <QTest>

#include <vector>

using namespace batchpeak;

namespace {

QString corpus()
{
    return QStringLiteral(BATCHPEAK_TEST_DATA "/corpus");
}

std::vector<SurveyedFile> survey()
{
    std::vector<SurveyedFile> files;
    for (const QString& path : configsBelow(corpus()))
        files.push_back(surveyed(path, corpus()));
    return files;
}

/// Returns the load request of a decoder with default options, made smaller.
trial::LoadRequest smallLoad()
{
    return shrunkLoad(corpus() + QStringLiteral("/llama-factory/lora.yaml"));
}

} // namespace

/// Tests the outcomes of a folder's files, and of trials of their contents.
class ConfigSurveyTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_noNetworks.isValid());
        qputenv("HF_HUB_CACHE", m_noNetworks.path().toUtf8());
    }

    void judgesAFile_data()
    {
        rows<Text, Text, Text>(
            {{"approximate", {"axolotl/qlora.yml", "axolotl", "a compiled network"}},
             {"an unknown hub id",
              {"axolotl/unknown_network.yml", "axolotl", "refused: a hub id that is not known"}},
             {"another kind of run",
              {"llama-factory/dpo.yaml", "llama-factory", "refused: preferences or rewards"}},
             {"as configured", {"own/dora.yaml", "own", "measured as configured"}},
             {"no config", {"own/volumes.yaml", "own", "not recognized"}}});
    }
    void judgesAFile()
    {
        const auto& [path, repository, verdict] = row<Text, Text, Text>();
        const SurveyedFile file = surveyed(corpus() + QLatin1Char('/') + path, corpus());
        QCOMPARE(file.repository, QString(repository));
        VERIFY_CONTAINS(QString::fromStdString(filesText({file}, roadOfWorker)), QString(verdict));
    }

    void countsEachFileOnce()
    {
        const QString text = QString::fromStdString(surveyText(survey(), roadOfWorker));
        const QString all = text.section(QStringLiteral("| all"), 1, 1).section(QLatin1Char('\n'), 0, 0);
        QCOMPARE(all.simplified(), QStringLiteral("| 8 | 7 | 4 (57 %) | 1 (14 %) | 2 (29 %) | 5 (71 %) |"));
        VERIFY_CONTAINS(text, QStringLiteral("1 of 8 files are no config"));
    }

    void mergesEqualRuns()
    {
        std::vector<SurveyedFile> files = survey();
        const std::size_t once = distinctRuns(files).runs.size();
        QCOMPARE(once, std::size_t(5));
        const std::vector<SurveyedFile> again = files;
        files.insert(files.end(), again.begin(), again.end());
        const DistinctRuns twice = distinctRuns(files);
        QCOMPARE(twice.runs.size(), once);
        for (const DistinctRun& run : twice.runs)
            QCOMPARE(run.configs, 2);
    }

    /// A network that the worker refuses fails only its own trial.
    void continuesAfterTrialsThatFail()
    {
        trial::LoadRequest impossible = smallLoad();
        std::get<model::DecoderSpec>(impossible.model.architecture).keyValueHeads = 3;
        std::vector<QString> problems;
        TrialSequence sequence(TrialSequence::ownWorker(QStringLiteral(BATCHPEAK_WORKER)),
                               {smallLoad(), impossible, smallLoad()},
                               [&problems](std::size_t index, const SequenceResult& result) {
                                   QCOMPARE(index, problems.size());
                                   problems.push_back(result.problem);
                               });
        sequence.run();
        QCOMPARE(problems.size(), std::size_t(3));
        QCOMPARE(problems[0], QString());
        VERIFY_CONTAINS(problems[1], QStringLiteral("are not a multiple of"));
        QCOMPARE(problems[2], QString());
    }

    /// No memory of the network is taken, so that one of any size can be built.
    void buildsNetworksAlone()
    {
        trial::LoadRequest impossible = smallLoad();
        std::get<model::DecoderSpec>(impossible.model.architecture).keyValueHeads = 3;
        std::vector<SequenceResult> results;
        TrialSequence sequence(
            TrialSequence::ownWorker(QStringLiteral(BATCHPEAK_WORKER)), {smallLoad(), impossible},
            [&results](std::size_t, const SequenceResult& result) { results.push_back(result); },
            TrialSequence::Depth::Networks);
        sequence.run();
        QCOMPARE(results.size(), std::size_t(2));
        QCOMPARE(results[0].problem, QString());
        QCOMPARE(results[0].microBatchSize, std::int64_t(0));
        VERIFY_CONTAINS(results[1].problem, QStringLiteral("are not a multiple of"));
    }

    void takesTheBetterRoad_data()
    {
        const SurveyedRoad closed{.refusal = "preferences or rewards"};
        SurveyedRoad approximate;
        approximate.fidelity.addReason("another kernel");
        const SurveyedRoad exact;
        rows<SurveyedRoad, std::optional<SurveyedRoad>, bool>(
            {{"no Python", {closed, std::nullopt, false}},
             {"Python alone", {closed, approximate, true}},
             {"the worker alone", {approximate, closed, false}},
             {"both alike", {exact, exact, false}},
             {"Python as configured", {approximate, exact, true}},
             {"the worker as configured", {exact, approximate, false}},
             {"neither", {closed, closed, false}}});
    }
    void takesTheBetterRoad()
    {
        const auto& [worker, python, takesPython] = row<SurveyedRoad, std::optional<SurveyedRoad>, bool>();
        const SurveyedFile file{.worker = worker, .python = python};
        QCOMPARE(&file.either(), takesPython ? &*file.python : &file.worker);
    }

    void endsWithoutAWorker()
    {
        std::vector<QString> problems;
        TrialSequence sequence(
            {.program = QStringLiteral("/nowhere/worker")}, {smallLoad(), smallLoad()},
            [&problems](std::size_t, const SequenceResult& result) { problems.push_back(result.problem); });
        sequence.run();
        QCOMPARE(problems.size(), std::size_t(2));
        VERIFY_CONTAINS(problems[0], QStringLiteral("/nowhere/worker"));
    }

private:
    QTemporaryDir m_noNetworks;
};

BATCHPEAK_TEST(ConfigSurveyTest)
#include "tst_config_survey.moc"
