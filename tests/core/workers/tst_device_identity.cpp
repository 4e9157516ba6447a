// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/device_identity.h"

#include <QTest>

using namespace batchpeak;
using engine::DeviceIdentity;

namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

DeviceIdentity first()
{
    return {.name = QStringLiteral("H200"), .uuid = QStringLiteral("GPU-1"), .totalBytes = 140 * gibibyte};
}

struct Row
{
    DeviceIdentity now;
    bool isAnother = true;
    /// Part of the message about the difference.
    Text said = {};
};

} // namespace

/// Tests whether two workers run on the same device, and the message if they do not.
class DeviceIdentityTest : public QObject
{
    Q_OBJECT

private slots:
    void distinguishesDevices_data()
    {
        const QString name = first().name;
        const QString uuid = first().uuid;
        rows<Row>({{"the same", {first(), false}},
                   {"nothing is told", {{}, false}},
                   {"a little less memory", {{name, uuid, 139 * gibibyte}, false}},
                   {"another name",
                    {{QStringLiteral("H100"), uuid, 140 * gibibyte}, true, "H100 where it was H200."}},
                   {"the same model on another computer",
                    {{name, QStringLiteral("GPU-2"), 140 * gibibyte}, true, "GPU-2 where it was GPU-1."}},
                   {"less memory", {{name, uuid, 80 * gibibyte}, true, "80.0 GiB where it was 140.0 GiB."}},
                   {"all of it",
                    {{QStringLiteral("H100"), QStringLiteral("GPU-2"), 80 * gibibyte},
                     true,
                     "H100, GPU-2, 80.0 GiB where it was H200, GPU-1, 140.0 GiB."}}});
    }
    void distinguishesDevices()
    {
        const auto& [now, isAnother, said] = row<Row>();
        QCOMPARE(areTwo(first(), now), isAnother);
        QCOMPARE(areTwo(now, first()), isAnother);
        if (isAnother)
            VERIFY_CONTAINS(otherDeviceText(first(), now), said);
    }

    void completesMissingFields()
    {
        const DeviceIdentity named{.name = QStringLiteral("H200")};
        QCOMPARE(completed({}, named), named);
        QCOMPARE(completed(named, first()), first());
        QCOMPARE(completed(first(), {.name = QStringLiteral("H100"), .totalBytes = 1}), first());
    }
};

BATCHPEAK_TEST(DeviceIdentityTest)
#include "tst_device_identity.moc"
