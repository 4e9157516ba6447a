// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "text/readable_text.h"

#include <QTest>

#include <chrono>
#include <optional>
#include <string>

using namespace batchpeak::engine;

namespace {

constexpr double mebibyte = 1048576.0;
const QLocale american(QLocale::English, QLocale::UnitedStates);

} // namespace

class ReadableTextTest : public QObject
{
    Q_OBJECT

private slots:
    void formatsEnergy_data()
    {
        rows<double, std::string>({{"thousands", {12345.0, "12.3 kJ/sample"}},
                                   {"just below a thousand", {999.9, "1.00 kJ/sample"}},
                                   {"hundreds", {432.1, "432 J/sample"}},
                                   {"just below a hundred", {99.96, "100 J/sample"}},
                                   {"tens", {12.34, "12.3 J/sample"}},
                                   {"some", {1.234, "1.23 J/sample"}},
                                   {"a part of one", {0.0421, "42.1 mJ/sample"}},
                                   {"hardly any", {0.00000321, "3.21 µJ/sample"}},
                                   {"less than that", {0.0000000321, "0.03 µJ/sample"}}});
    }
    void formatsEnergy()
    {
        const auto& [joules, text] = row<double, std::string>();
        QCOMPARE(energyPerSampleText(joules, QLocale::c()).toStdString(), text);
    }

    void formatsEnergyInTheUsersLocale()
    {
        QCOMPARE(energyPerSampleText(1.5, QLocale(QLocale::German)), QStringLiteral("1,50 J/sample"));
    }

    void formatsALoss_data()
    {
        rows<double, std::string>({{"usual", {2.4131, "2.413"}},
                                   {"negative", {-0.5, "-0.500"}},
                                   {"large", {999999.0, "999,999.000"}},
                                   {"beyond reason", {1e308, "1.000E+308"}}});
    }
    void formatsALoss()
    {
        const auto& [loss, text] = row<double, std::string>();
        QCOMPARE(lossText(loss, american).toStdString(), text);
    }

    void roundsARateToItsPrecision_data()
    {
        rows<double, double, std::string>({{"interval of tens", {2266.0, 38.0, "2,266 ± 38"}},
                                           {"interval of ones", {115.4, 6.2, "115 ± 6"}},
                                           {"interval below one", {2.514, 0.042, "2.51 ± 0.04"}},
                                           {"no spread at all", {2.514, 0.0, "2.51 ± 0.00"}}});
    }
    void roundsARateToItsPrecision()
    {
        const auto& [value, half, expected] = row<double, double, std::string>();
        const double error = half / value / standardErrorsOf95Percent;
        QCOMPARE(rateText(value, error, american).toStdString(), expected);
        QCOMPARE(rateText(value, error, QLocale::c()),
                 QString::fromStdString(expected).remove(QLatin1Char(',')));
    }

    void formatsARateWithoutAnError()
    {
        QCOMPARE(rateText(2.514, std::nullopt, QLocale::c()), QStringLiteral("2.51"));
        QCOMPARE(rateText(0.0313, std::nullopt, QLocale::c()), QStringLiteral("0.0313"));
        QCOMPARE(rateText(2115.4, american), QStringLiteral("2,115"));
    }

    void choosesACommonUnitOfMemory_data()
    {
        rows<double, double, std::string>(
            {{"small device", {800.0 * mebibyte, 312.4 * mebibyte, "312 MiB"}},
             {"small peak", {800.0 * mebibyte, 23.5 * mebibyte, "23.5 MiB"}},
             {"large device, small peak", {8192.0 * mebibyte, 860.0 * mebibyte, "0.84 GiB"}},
             {"large peak", {81920.0 * mebibyte, 61132.8 * mebibyte, "59.7 GiB"}},
             {"nothing known", {0.0, 1024.0 * mebibyte, "1.00 GiB"}}});
    }
    void choosesACommonUnitOfMemory()
    {
        const auto& [largest, bytes, expected] = row<double, double, std::string>();
        const MemoryUnit unit = MemoryUnit::forBytes(largest);
        QCOMPARE((memoryText(bytes, unit, QLocale::c()) + QLatin1Char(' ') + unit.name).toStdString(),
                 expected);
    }

    void choosesAUnitForOneAmountOfMemory_data()
    {
        rows<double, std::string>(
            {{"none", {0.0, "0 B"}},
             {"bytes", {512.0, "512 B"}},
             {"kibibytes", {1536.0, "1.50 KiB"}},
             {"tens of mebibytes", {44.0 * mebibyte, "44.0 MiB"}},
             {"hundreds of mebibytes", {800.0 * mebibyte, "800 MiB"}},
             {"gibibytes", {1536.0 * mebibyte, "1.50 GiB"}},
             {"tens of gibibytes", {79.1 * 1024.0 * mebibyte, "79.1 GiB"}},
             {"more than there is", {4096.0 * 1024.0 * 1024.0 * mebibyte, "4,096 TiB"}}});
    }
    void choosesAUnitForOneAmountOfMemory()
    {
        const auto& [bytes, expected] = row<double, std::string>();
        QCOMPARE(memoryText(bytes, american).toStdString(), expected);
    }

    void distinguishesTwoNumbersOfBytes_data()
    {
        constexpr std::int64_t mebi = 1 << 20;
        rows<std::int64_t, std::int64_t, Text>(
            {{"far apart", {20 * mebi, 10 * mebi, "20.0 MiB|10.0 MiB"}},
             {"close", {19'320'000, 19'300'000, "18.42 MiB|18.41 MiB"}},
             {"a block apart", {19'293'696, 19'293'184, "18.400 MiB|18.399 MiB"}},
             {"a block of much", {(80LL << 30) + 512, 80LL << 30, "85,899,346,432 B|85,899,345,920 B"}},
             {"the same", {5 * mebi, 5 * mebi, "5.0 MiB|5.0 MiB"}},
             {"none", {0, 5 * mebi, "0 bytes|5.0 MiB"}}});
    }
    void distinguishesTwoNumbersOfBytes()
    {
        const auto& [first, second, texts] = row<std::int64_t, std::int64_t, Text>();
        const ComparedBytes bytes = comparedBytesText(first, second, american);
        QCOMPARE(bytes.first + QLatin1Char('|') + bytes.second, texts);
    }

    void formatsDurations_data()
    {
        rows<double, std::string>({{"tenths", {4.12, "4.1 s"}},
                                   {"rounds up to ten", {9.96, "10 s"}},
                                   {"just below a minute", {59.4, "59 s"}},
                                   {"minutes", {72.0, "1 min 12 s"}},
                                   {"hours", {7500.0, "2 h 5 min"}},
                                   {"never negative", {-3.0, "0.0 s"}}});
    }
    void formatsDurations()
    {
        const auto& [seconds, expected] = row<double, std::string>();
        QCOMPARE(durationText(seconds, QLocale::c()).toStdString(), expected);
    }

    void roundsTimeLimits_data()
    {
        rows<int, std::string>({{"part of a second", {450, "450 ms"}},
                                {"seconds", {12'000, "12 s"}},
                                {"minutes", {301'000, "5 min"}},
                                {"hours", {5'400'000, "1 h 30 min"}}});
    }
    void roundsTimeLimits()
    {
        const auto& [milliseconds, expected] = row<int, std::string>();
        QCOMPARE(durationText(std::chrono::milliseconds(milliseconds)).toStdString(), expected);
    }

    void formatsPercentages_data()
    {
        rows<QString, std::string>({{"usual", {percentText(0.0081, QLocale::c()), "0.8 %"}},
                                    {"less", {percentText(-0.0081, QLocale::c()), "-0.8 %"}},
                                    {"fine", {percentText(0.0081, QLocale::c(), 2), "0.81 %"}},
                                    {"German", {percentText(0.0081, QLocale(QLocale::German)), "0,8 %"}}});
    }
    void formatsPercentages()
    {
        const auto& [written, expected] = row<QString, std::string>();
        QCOMPARE(written.toStdString(), expected);
    }

    void usesTheSingular()
    {
        QCOMPARE(trialsText(1), QStringLiteral("1 trial"));
        QCOMPARE(trialsText(12), QStringLiteral("12 trials"));
        QCOMPARE(stepsText(1), QStringLiteral("1 step"));
    }
};

BATCHPEAK_TEST(ReadableTextTest)
#include "tst_readable_text.moc"
