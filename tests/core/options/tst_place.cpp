// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/option_values.h"
#include "options/place.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak::engine;

namespace {

/// Returns "KIND TARGET WORDS...", or "refused".
QString readAs(const QString& text)
{
    static const QStringList kinds{QStringLiteral("prefix"), QStringLiteral("ssh"), QStringLiteral("slurm"),
                                   QStringLiteral("podman")};
    try {
        const Place place = placeFromText(text);
        const QString target = place.target.isEmpty() ? QStringLiteral("-") : place.target;
        return (QStringList{kinds[static_cast<int>(place.kind)], target} + place.words)
            .join(QLatin1Char(' '));
    } catch (const UsageError&) {
        return QStringLiteral("refused");
    }
}

} // namespace

class PlaceTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path()); }
    void cleanup()
    {
        for (const QString& name : savedPlaces().keys())
            removePlace(name);
    }

    void readsItsText_data()
    {
        rows<Text, Text>({{"a host", {"ssh:gpu7", "ssh gpu7"}},
                          {"a user's host with options", {"ssh:me@gpu7 -p 2222", "ssh me@gpu7 -p 2222"}},
                          {"no host", {"ssh:", "refused"}},
                          {"an option for a host", {"ssh:-oProxyCommand=x", "refused"}},
                          {"a cluster", {"slurm", "slurm -"}},
                          {"a partition", {"slurm:gpu -N 2", "slurm gpu -N 2"}},
                          {"a container", {"podman:box", "podman box"}},
                          {"no container", {"podman:", "refused"}},
                          {"a prefix", {"srun --gpus=1", "prefix - srun --gpus=1"}},
                          {"ssh as a prefix", {"ssh gpu7", "prefix - ssh gpu7"}},
                          {"a prefix by name", {"prefix env", "prefix - env"}},
                          {"a command", {"env", "prefix - env"}},
                          {"a path", {"/opt/run here", "prefix - /opt/run here"}},
                          {"quotes", {"prefix a \"b c\"", "prefix - a b c"}},
                          {"half a pair of quotes", {"prefix \"a", "refused"}},
                          {"an unknown name", {"nobody-knows-it", "refused"}},
                          {"nothing", {"", "refused"}},
                          {"blanks", {"  ", "refused"}}});
    }
    void readsItsText()
    {
        const auto& [text, expected] = row<Text, Text>();
        QCOMPARE(readAs(text), QString(expected));
    }

    void namesItsDevices()
    {
        QCOMPARE(placeFromText(QStringLiteral("ssh:me@gpu7")).label(), QStringLiteral("gpu7"));
        QCOMPARE(placeFromText(QStringLiteral("podman:box")).label(), QStringLiteral("box"));
        QCOMPARE(placeFromText(QStringLiteral("env")).label(), QString());
    }

    void remembersPlaces()
    {
        savePlace(QStringLiteral("box"), QStringLiteral("ssh:gpu7 -p 2222"));
        savePlace(QStringLiteral("env"), QStringLiteral("slurm"));
        QCOMPARE(readAs(QStringLiteral("box")), QStringLiteral("ssh gpu7 -p 2222"));
        // A name of one's own comes before a command of that name.
        QCOMPARE(readAs(QStringLiteral("env")), QStringLiteral("slurm -"));
        savePlace(QStringLiteral("box"), QStringLiteral("podman:box"));
        QCOMPARE(readAs(QStringLiteral("box")), QStringLiteral("podman box"));
        QVERIFY(removePlace(QStringLiteral("box")));
        QVERIFY(!removePlace(QStringLiteral("box")));
        QCOMPARE(readAs(QStringLiteral("box")), QStringLiteral("refused"));
    }

    void refusesToRemember_data()
    {
        rows<Text, Text>({{"a name with a blank", {"my box", "ssh:a"}},
                          {"a name like an option", {"-box", "ssh:a"}},
                          {"the name of a kind", {"slurm", "ssh:a"}},
                          {"a name in place of a place", {"box", "other-box"}},
                          {"itself", {"box", "box"}},
                          {"nothing", {"box", ""}}});
    }
    void refusesToRemember()
    {
        const auto& [name, text] = row<Text, Text>();
        QVERIFY_THROWS_EXCEPTION(UsageError, savePlace(name, text));
        QVERIFY(savedPlaces().isEmpty());
    }

private:
    QTemporaryDir m_folder;
};

BATCHPEAK_TEST(PlaceTest)
#include "tst_place.moc"
