// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_messages.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "trial/protocol.h"

#include <QTest>

#include <clocale>

using namespace batchpeak;
using namespace batchpeak::trial;

class ProtocolTest : public QObject
{
    Q_OBJECT

private slots:
    void acceptsLinesAtTheLimits()
    {
        QVERIFY(std::holds_alternative<ParentMessage>(parseParentMessage(view(nested(32)))));
        QVERIFY(std::holds_alternative<ParentMessage>(
            parseParentMessage(view(nested(2).leftJustified(maxLineBytes)))));
    }

    // A pipe may end anywhere, so no prefix of a line may be accepted as a whole message.
    void refusesEveryCutLine_data()
    {
        rows<TrialResult>({{"of a trial", fullResult()},
                           {"of a comparison", fullComparison()},
                           {"of a comparison that was cut short", cutComparison()}});
    }
    void refusesEveryCutLine()
    {
        std::string line = toLine(WorkerMessage(row<TrialResult>()));
        line.pop_back();
        for (std::size_t length = 0; length < line.size(); ++length) {
            const auto parsed = parseWorkerMessage(std::string_view(line).substr(0, length));
            QVERIFY2(std::holds_alternative<ProtocolError>(parsed), line.substr(0, length).c_str());
        }
    }

    void writesTextOfAnyBytes()
    {
        const std::string line = toLine(WorkerMessage(Log{.text = std::string("\xff") + '\0' + "ok"}));
        const auto parsed = parseWorkerMessage(line);
        QVERIFY(std::holds_alternative<WorkerMessage>(parsed));
        QVERIFY(std::get<Log>(std::get<WorkerMessage>(parsed)).text.ends_with("ok"));
    }

    void limitsTheLengthOfALine()
    {
        const std::string line = toLine(WorkerMessage(WorkerError{.text = std::string(maxLineBytes, '"')}));
        QVERIFY(line.size() < maxLineBytes);
    }

    void restoresEveryEnumerator()
    {
        for (const DataKind kind : {DataKind::Synthetic, DataKind::Text, DataKind::Arrays})
            QCOMPARE(fromText<DataKind>(toText(kind)), kind);
        for (const LossWeighting weighting : {LossWeighting::Samples, LossWeighting::Tokens})
            QCOMPARE(fromText<LossWeighting>(toText(weighting)), weighting);
    }

    void ignoresALocaleWithDecimalComma()
    {
        const char* comma = nullptr;
        for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
            comma = comma ? comma : std::setlocale(LC_ALL, name);
        if (!comma)
            QSKIP("No locale with a decimal comma is installed.");
        const std::string line = toLine(WorkerMessage(fullResult()));
        const auto parsed = parseWorkerMessage(line);
        std::setlocale(LC_ALL, "C");
        QVERIFY(line.find("0.004") != std::string::npos);
        QVERIFY(std::get<WorkerMessage>(parsed) == WorkerMessage(fullResult()));
    }
};

BATCHPEAK_TEST(ProtocolTest)
#include "tst_protocol.moc"
