// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/option_values.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <functional>
#include <numeric>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak::engine;

namespace {

/// Returns the message of the UsageError that an attempt throws; empty if it throws none.
template<typename Attempt>
QString usageErrorOf(Attempt attempt)
{
    try {
        attempt();
    } catch (const UsageError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

using Lengths = std::vector<std::int64_t>;

/// Checks a row of rows<std::string, Value>(). Its expected value is \p refused if the text must be refused.
template<typename Value, typename Read>
void checkRow(Read read, Value refused)
{
    const auto& [text, expected] = row<std::string, Value>();
    Value value = refused;
    const QString complaint = usageErrorOf([&, text = text] { value = static_cast<Value>(read(text)); });
    QCOMPARE(value, expected);
    QCOMPARE(complaint.isEmpty(), expected != refused);
    const QString quoted = QStringLiteral("'%1'").arg(QString::fromStdString(text));
    QVERIFY2(complaint.isEmpty() || complaint.contains(quoted), qPrintable(complaint));
}

} // namespace

/// Tests the values of options as users type them.
class OptionValuesTest : public QObject
{
    Q_OBJECT

private slots:
    void readsAmountsOfMemory_data()
    {
        rows<std::string, std::int64_t>({{"binary", {"2GiB", std::int64_t{2} * 1024 * 1024 * 1024}},
                                         {"decimal", {"1.5GB", 1500000000}},
                                         {"small letters", {"800mib", 800 * 1024 * 1024}},
                                         {"a space", {"1 KiB", 1024}},
                                         {"bytes", {"512B", 512}},
                                         {"no unit", {"6", 0}},
                                         {"a letter alone", {"2G", std::int64_t{2} << 30}},
                                         {"another letter", {"1.5T", std::int64_t{3} << 39}},
                                         {"a small letter", {"800m", 800 << 20}},
                                         {"kibibytes", {"512K", 512 << 10}},
                                         {"half a unit", {"2Gi", 0}},
                                         {"zero", {"0GiB", 0}},
                                         {"negative", {"-2GiB", 0}},
                                         {"beyond 64 bits", {"99999999999TiB", 0}},
                                         {"not a number", {"nanGiB", 0}},
                                         {"comma of another locale", {"1,5GiB", 0}},
                                         {"empty", {"", 0}}});
    }
    void readsAmountsOfMemory() { checkRow<std::int64_t>(bytesFromText, 0); }

    void writesTextsThatItCanRead()
    {
        QCOMPARE(bytesToText(std::int64_t{3} << 29), "1536MiB");
        QCOMPARE(bytesToText(1000001), "1000001B");
        QCOMPARE(durationToText(std::chrono::seconds(5400)), "1h30m");
        QCOMPARE(durationToText(std::chrono::seconds(61)), "1m1s");
        QCOMPARE(shareToPercentText(0.07), "7");
        QCOMPARE(shareToPercentText(shareFromPercentText("2.3", 0, 50)), "2.3");
        QCOMPARE(numberToText(0.0001), "0.0001");
        QCOMPARE(numberFromText(numberToText(1e300)), 1e300);
    }

    void readsDurations_data()
    {
        rows<std::string, int>({{"seconds", {"90s", 90}},
                                {"minutes", {"10m", 600}},
                                {"hours and minutes", {"1h30m", 5400}},
                                {"fraction", {"1.5m", 90}},
                                {"no unit", {"10", 0}},
                                {"wrong order", {"30m1h", 0}},
                                {"a unit twice", {"1m1m", 0}},
                                {"unknown unit", {"2d", 0}},
                                {"nothing", {"0s", 0}},
                                {"negative", {"-5m", 0}},
                                {"longer than a life", {"99999999h", 0}},
                                {"empty", {"", 0}}});
    }
    void readsDurations()
    {
        checkRow<int>([](const auto& text) { return durationFromText(text).count(); }, 0);
    }

    void readsPercentages_data()
    {
        rows<std::string, double>({{"whole", {"8", 0.08}},
                                   {"with its sign", {"8%", 0.08}},
                                   {"fraction", {"2.5", 0.025}},
                                   {"at the bound", {"50", 0.5}},
                                   {"above it", {"50.5", -1.0}},
                                   {"below it", {"0.5", -1.0}},
                                   {"words", {"all", -1.0}},
                                   {"another unit", {"8m", -1.0}}});
    }
    void readsPercentages()
    {
        checkRow<double>([](const auto& text) { return shareFromPercentText(text, 1, 50); }, -1);
    }

    void readsNumbers_data()
    {
        rows<std::string, double>({{"whole", {"1", 1.0}},
                                   {"fraction", {"0.5", 0.5}},
                                   {"none", {"0", 0.0}},
                                   {"negative", {"-1", -1.0}},
                                   {"with a unit", {"1x", -1.0}},
                                   {"empty", {"", -1.0}}});
    }
    void readsNumbers() { checkRow<double>(numberFromText, -1); }

    void readsCounts_data()
    {
        rows<std::string, int>({{"in bounds", {"7", 7}},
                                {"below", {"0", -1}},
                                {"above", {"101", -1}},
                                {"fraction", {"7.5", -1}},
                                {"beyond 64 bits", {"99999999999999999999", -1}},
                                {"empty", {"", -1}}});
    }
    void readsCounts()
    {
        checkRow<int>([](const auto& text) { return countFromText(text, 1, 100); }, -1);
    }

    void readsNumbersAboveZero_data()
    {
        rows<std::string, double>({{"decimal", {"0.0003", 0.0003}},
                                   {"with an exponent", {"3e-4", 3e-4}},
                                   {"zero", {"0", 0.0}},
                                   {"negative", {"-0.1", 0.0}},
                                   {"infinite", {"inf", 0.0}},
                                   {"followed by more", {"1e-3x", 0.0}},
                                   {"empty", {"", 0.0}}});
    }
    void readsNumbersAboveZero() { checkRow<double>(positiveNumberFromText, 0); }

    void explainsInvalidValues_data()
    {
        rows<std::function<void()>, const char*, const char*>(
            {{"a count",
              {[] { countFromText("0", 1, largestBatch); },
               "Largest size must be a whole number between 1 and 2,147,483,648.",
               "--max must be a whole number between 1 and 2147483648, not '0'."}},
             {"a percentage",
              {[] { shareFromPercentText("150", 0.1, 50); },
               "Largest size must be a percentage between 0.1 and 50.",
               "--max must be a percentage between 0.1 and 50, not '150'."}}});
    }
    void explainsInvalidValues()
    {
        const auto& [read, inAWindow, inATerminal] = row<std::function<void()>, const char*, const char*>();
        try {
            read();
            QFAIL("it was read");
        } catch (const ValueError& error) {
            const QLocale english(QLocale::English, QLocale::UnitedStates);
            QCOMPARE(error.sentence(QStringLiteral("Largest size"), english), QString::fromUtf8(inAWindow));
            QCOMPARE(error.quotingSentence(QStringLiteral("--max")), QString::fromUtf8(inATerminal));
            const QString german = error.sentence(QStringLiteral("x"), QLocale(QLocale::German));
            QVERIFY2(!german.contains(QStringLiteral("0.1")) && !german.contains(QStringLiteral("2,147")),
                     qPrintable(german));
        }
    }

    void acceptsNumbersInTheUsersLocale_data()
    {
        const QLocale german(QLocale::German);
        const QLocale english(QLocale::English, QLocale::UnitedStates);
        rows<QLocale, const char*, const char*>({{"a comma", {german, "1,5", "1.5"}},
                                                 {"a point all the same", {german, "1.5", "1.5"}},
                                                 {"groups", {german, "65.535", "65535"}},
                                                 {"groups and a comma", {german, "1.234,5", "1234.5"}},
                                                 {"with its unit", {german, "1,5GiB", "1.5GiB"}},
                                                 {"more than one", {german, "1h30m", "1h30m"}},
                                                 {"English groups", {english, "65,535", "65535"}},
                                                 {"no English groups", {english, "1,5", "1,5"}},
                                                 {"an English fraction", {english, "1,234.5", "1234.5"}},
                                                 {"an exponent", {english, "3e-4", "3e-4"}},
                                                 {"words", {german, "explore", "explore"}}});
    }
    void acceptsNumbersInTheUsersLocale()
    {
        const auto& [locale, typed, plain] = row<QLocale, const char*, const char*>();
        QCOMPARE(withPlainNumbers(QString::fromUtf8(typed), locale), QString::fromUtf8(plain));
        QCOMPARE(withPlainNumbers(withLocalNumbers(QString::fromUtf8(plain), locale), locale),
                 QString::fromUtf8(plain));
    }

    void readsOneSampleLengthPerLine_data()
    {
        rows<QByteArray, Lengths>(
            {{"numbers", {"12\n7\n300\n", {7, 12, 300}}},
             {"no newline at the end", {"12\n7", {7, 12}}},
             {"a byte order mark",
              {"\xEF\xBB\xBF"
               "12\r\n7\r\n",
               {7, 12}}},
             {"comments, blank lines, other line ends", {"# of my data\r\n12\r\n\r\n 7 \r\n", {7, 12}}}});
    }
    void readsOneSampleLengthPerLine()
    {
        const auto& [text, lengths] = row<QByteArray, Lengths>();
        QCOMPARE(sampleLengthsFromText(text, QStringLiteral("l.txt")), lengths);
    }

    void keepsTheShapeOfLongListsOfLengths()
    {
        QByteArray text;
        for (int i = 10000; i >= 1; --i)
            text += QByteArray::number(i) + '\n';
        const Lengths lengths = sampleLengthsFromText(text, QStringLiteral("l.txt"));
        QCOMPARE(lengths.size(), std::size_t{1000});
        QVERIFY(std::is_sorted(lengths.begin(), lengths.end()));
        const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 1000;
        QVERIFY(std::abs(mean / 5000.5 - 1) < 1e-3);
        QVERIFY(lengths.front() <= 10 && lengths.back() >= 9991);
    }

    void namesInvalidLines_data()
    {
        rows<QByteArray, const char*>(
            {{"a word", {"12\nlong\n", "l.txt:2: 'long'"}},
             {"zero", {"0\n", "l.txt:1: '0'"}},
             {"two on a line", {"12 7\n", "l.txt:1: '12 7'"}},
             {"control characters",
              {QByteArray("5\n1\0\x1b[2J\n", 9), "l.txt:2: '1\\x00\\x1b[2J' is not a sample length"}},
             {"nothing", {"# none\n", "has no sample lengths"}}});
    }
    void namesInvalidLines()
    {
        const auto& [text, named] = row<QByteArray, const char*>();
        const QString complaint =
            usageErrorOf([text = text] { sampleLengthsFromText(text, QStringLiteral("l.txt")); });
        QVERIFY2(complaint.contains(QLatin1String(named)), qPrintable(complaint));
    }

    void explainsUnreadableFilesOfLengths_data()
    {
        rows<const char*, const char*>({{"not there", {"nowhere/l.txt", "cannot be read: No such file"}},
                                        {"a folder", {".", "cannot be read: Is a directory"}},
                                        {"a pipe that nobody writes into", {"pipe", "has no sample lengths"}},
                                        {"a pipe without an end", {"written", "did not end within"}},
                                        {"more than is read", {"large", "is larger than 64 MiB"}}});
    }
    void explainsUnreadableFilesOfLengths()
    {
        const auto& [name, message] = row<const char*, const char*>();
        const QTemporaryDir folder;
        const auto path = [&](const char* file) { return folder.filePath(QString::fromLatin1(file)); };
        for (const char* pipe : {"pipe", "written"})
            QCOMPARE(::mkfifo(QFile::encodeName(path(pipe)).constData(), 0600), 0);
        QFile writer(path("written"));
        const int descriptor = ::open(QFile::encodeName(writer.fileName()).constData(), O_RDWR | O_CLOEXEC);
        QVERIFY(writer.open(descriptor, QIODevice::WriteOnly, QFileDevice::AutoCloseHandle));
        QFile large(path("large"));
        QVERIFY(large.open(QIODevice::WriteOnly) && large.resize((qint64{64} << 20) + 1));
        const QString complaint = usageErrorOf([file = path(name)] { sampleLengthsFromFile(file); });
        QVERIFY2(complaint.contains(QLatin1String(message)), qPrintable(complaint));
    }

    void readsLengthsFromAPipe()
    {
        std::array<int, 2> ends{-1, -1};
        QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
        QCOMPARE(::write(ends[1], "12\n7\n", 5), ssize_t{5});
        ::close(ends[1]);
        QCOMPARE(sampleLengthsFromFile(QStringLiteral("/proc/self/fd/%1").arg(ends[0])), (Lengths{7, 12}));
        ::close(ends[0]);
    }
};

BATCHPEAK_TEST(OptionValuesTest)
#include "tst_option_values.moc"
