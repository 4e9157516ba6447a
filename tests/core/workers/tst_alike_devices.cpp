// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "workers/alike_devices.h"

#include <QTest>

using namespace batchpeak::engine;

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

PlacedDevice gpu(const char* id, const char* name, std::int64_t gibibytes,
                 const char* libraries = "torch 2.11.0")
{
    PlacedDevice device{.id = QString::fromUtf8(id),
                        .device = {.kind = "cuda", .name = name, .totalBytes = gibibytes * gib},
                        .libraries = QString::fromUtf8(libraries)};
    device.placeText = QStringLiteral("ssh:") + device.id.section(QLatin1Char('/'), 0, 0);
    return device;
}

QString idsOf(const std::vector<PlacedDevice>& devices)
{
    QStringList ids;
    for (const PlacedDevice& device : devices)
        ids << device.id;
    return ids.join(QLatin1Char(' '));
}

} // namespace

class AlikeDevicesTest : public QObject
{
    Q_OBJECT

private slots:
    void groupsWhatIsAlike_data()
    {
        rows<std::vector<PlacedDevice>, Text>(
            {{"one kind",
              {{gpu("a/cuda:0", "H200", 140), gpu("b/cuda:0", "H200", 140)}, "a/cuda:0 b/cuda:0"}},
             {"by name",
              {{gpu("a/cuda:0", "H200", 140), gpu("b/cuda:0", "A100", 80), gpu("c/cuda:0", "H200", 140)},
               "a/cuda:0 c/cuda:0 | b/cuda:0"}},
             {"by memory",
              {{gpu("a/cuda:0", "A100", 80), gpu("b/cuda:0", "A100", 40)}, "a/cuda:0 | b/cuda:0"}},
             {"a little less memory",
              {{gpu("a/cuda:0", "A100", 80), gpu("b/cuda:0", "A100", 79)}, "a/cuda:0 b/cuda:0"}},
             {"by torch",
              {{gpu("a/cuda:0", "A100", 80), gpu("b/cuda:0", "A100", 80, "torch 2.4.0")},
               "a/cuda:0 | b/cuda:0"}}});
    }
    void groupsWhatIsAlike()
    {
        const auto& [devices, expected] = row<std::vector<PlacedDevice>, Text>();
        QStringList groups;
        QSet<QString> names;
        for (const AlikeDevices& group : alikeDevices(devices)) {
            groups << idsOf(group.devices);
            names << group.name;
        }
        QCOMPARE(groups.join(QLatin1String(" | ")), QString(expected));
        QCOMPARE(names.size(), groups.size());
    }

    void sharesOutDevices_data()
    {
        rows<int, int, Text>({{"one", {4, 1, "4"}},
                              {"evenly", {4, 2, "2 2"}},
                              {"nearly", {5, 2, "2 3"}},
                              {"no more than there are", {2, 5, "1 1"}}});
    }
    void sharesOutDevices()
    {
        const auto& [devices, count, expected] = row<int, int, Text>();
        QStringList sizes;
        for (const auto& part : evenParts(std::vector<PlacedDevice>(static_cast<std::size_t>(devices)),
                                          static_cast<std::size_t>(count)))
            sizes << QString::number(part.size());
        QCOMPARE(sizes.join(QLatin1Char(' ')), QString(expected));
    }

    void namesDevicesAtTheirPlaces()
    {
        std::vector<PlacedDevice> devices{gpu("a/cuda:0", "H200", 140), gpu("a/cuda:1", "H200", 140)};
        addDevice(devices, gpu("a/cuda:1", "H200", 140));
        QCOMPARE(idsOf(devices), QStringLiteral("a/cuda:0 a/cuda:1 a/cuda:1#2"));
        QCOMPARE(wordsFor(devices).join(QLatin1Char(' ')),
                 QStringLiteral("--on ssh:a --device a/cuda:0 --device a/cuda:1"));
        devices.front().placeText.clear();
        QCOMPARE(wordsFor({devices.front()}).join(QLatin1Char(' ')), QStringLiteral("--device a/cuda:0"));
    }

    void takesTheWordsOfAPlace_data()
    {
        rows<Text, Text>({{"all", {"", "n1:"}},
                          {"without a name", {"cuda:1 cpu", "n1:cuda:1 cpu"}},
                          {"its own", {"n2/cuda:0 n1/cuda:3", "n1:cuda:3"}},
                          {"one of several", {"n1+n2/cuda:0", "n1:cuda:0"}},
                          {"those of others", {"n2/cuda:0", ""}}});
    }
    void takesTheWordsOfAPlace()
    {
        const auto& [words, expected] = row<Text, Text>();
        const auto own = wordsAt(QStringLiteral("n1"), words.split(QLatin1Char(' '), Qt::SkipEmptyParts));
        QCOMPARE(own ? QStringLiteral("n1:") + own->join(QLatin1Char(' ')) : QString(), QString(expected));
    }
};

BATCHPEAK_TEST(AlikeDevicesTest)
#include "tst_alike_devices.moc"
