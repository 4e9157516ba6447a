// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "ui/network_dialog.h"
#include "ui/network_picker.h"
#include "ui/window_settings.h"

#include <QApplication>
#include <QComboBox>
#include <QCompleter>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const QByteArray withoutNetwork = "train_input:\n"
                                  "  batch_size: 12\n"
                                  "  micro_batch_size: explore\n"
                                  "model:\n"
                                  "  model_name: no-such-network\n"
                                  "runconfig:\n"
                                  "  max_steps: 1\n";

const QByteArray network = "batchpeak: 1\n"
                           "model:\n"
                           "  family: gpt2\n"
                           "  layers: 2\n"
                           "  hidden_size: 32\n"
                           "  heads: 2\n"
                           "  key_value_heads: 2\n"
                           "  feed_forward_size: 64\n"
                           "  vocabulary_size: 128\n"
                           "  max_positions: 128\n"
                           "batch_size: 8\n";

} // namespace

class NetworkDialogTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_config;
    QString m_network;

    QString fileWith(const char* name, const QByteArray& text)
    {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(text);
        return file.fileName();
    }

    static QPushButton* button(const QDialog& dialog, const QString& text)
    {
        for (auto* candidate : dialog.findChildren<QPushButton*>()) {
            if (candidate->text().remove(QLatin1Char('&')) == text)
                return candidate;
        }
        return nullptr;
    }

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope,
                           m_folder.filePath(QStringLiteral("settings")));
    }

    void init()
    {
        m_config = fileWith("sft.yaml", withoutNetwork);
        m_network = fileWith("network.yaml", network);
    }

    void countsTheParametersOfWhatItRecognises()
    {
        const auto config = engine::ConfigFile::open(m_config);
        NetworkDialog dialog(config, {}, Theme::day());
        QVERIFY(!button(dialog, QStringLiteral("Choose"))->isEnabled());
        dialog.setText(m_network);
        QVERIFY2(dialog.finding().startsWith(QStringLiteral("This is gpt2 with ")) &&
                     dialog.finding().endsWith(QStringLiteral(" parameters.")),
                 qPrintable(dialog.finding()));
        QVERIFY(button(dialog, QStringLiteral("Choose"))->isEnabled());
        dialog.accept();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
        QCOMPARE(dialog.network(), m_network);
    }

    void takesAFileBesideTheConfig_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("file");
        QTest::newRow("a file") << QStringLiteral(" network.yaml ") << QStringLiteral("network.yaml");
        QTest::newRow("a folder as of the hub") << QStringLiteral("tiny/") << QStringLiteral("tiny");
    }
    void takesAFileBesideTheConfig()
    {
        QFETCH(QString, text);
        QFETCH(QString, file);
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("tiny")));
        fileWith("tiny/config.json", network);
        const auto config = engine::ConfigFile::open(m_config);
        NetworkDialog dialog(config, {}, Theme::day());
        dialog.setText(text);
        dialog.accept();
        QCOMPARE(dialog.network(), m_folder.filePath(file));
    }

    void knowsTheNetworksOfTheHub()
    {
        const auto config = engine::ConfigFile::open(m_config);
        NetworkDialog dialog(config, {}, Theme::day());
        auto* field = dialog.findChild<QComboBox*>();
        QVERIFY(field->count() > 20);
        QCOMPARE(field->currentText(), QString());
        field->completer()->setCompletionPrefix(QStringLiteral("bert-base-unc"));
        QVERIFY2(field->completer()->currentCompletion().endsWith(QStringLiteral("bert-base-uncased")),
                 qPrintable(field->completer()->currentCompletion()));
        dialog.setText(QStringLiteral("openai-community/gpt2"));
        QCOMPARE(dialog.finding(), QStringLiteral("This is gpt2 with 124439808 parameters."));
    }

    void saysWhyATextStandsForNoNetwork_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("word");
        QTest::newRow("no file, no id")
            << QStringLiteral("nobody/nothing") << QStringLiteral("nobody/nothing");
        QTest::newRow("no config") << QStringLiteral("notes.txt") << QStringLiteral("notes.txt");
        QTest::newRow("a config without one")
            << QStringLiteral("sft.yaml") << QStringLiteral("no-such-network");
    }
    void saysWhyATextStandsForNoNetwork()
    {
        QFETCH(QString, text);
        QFETCH(QString, word);
        fileWith("notes.txt", "nothing to see\n");
        const auto config = engine::ConfigFile::open(m_config);
        NetworkDialog dialog(config, {}, Theme::day());
        dialog.show();
        dialog.setText(text);
        QVERIFY2(dialog.finding().contains(word), qPrintable(dialog.finding()));
        QVERIFY2(dialog.finding().endsWith(QLatin1Char('.')), qPrintable(dialog.finding()));
        QVERIFY(!button(dialog, QStringLiteral("Choose"))->isEnabled());
        dialog.accept();
        QVERIFY(dialog.isVisible());
    }

    void looksOnceThePersonPauses()
    {
        const auto config = engine::ConfigFile::open(m_config);
        NetworkDialog dialog(config, {}, Theme::day());
        dialog.show();
        dialog.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QTest::keyClicks(dialog.focusWidget(), QStringLiteral("network.yaml"));
        QVERIFY2(dialog.finding().isEmpty(), qPrintable(dialog.finding()));
        QTRY_VERIFY(dialog.finding().startsWith(QStringLiteral("This is gpt2")));
        QCOMPARE(dialog.findChild<QComboBox*>()->accessibleDescription(), dialog.finding());
        QTest::keyClick(dialog.focusWidget(), Qt::Key_Return);
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
    }

    void isReachedByTheKeyboard()
    {
        const auto config = engine::ConfigFile::open(m_config);
        NetworkDialog dialog(config, {}, Theme::day());
        dialog.show();
        dialog.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        dialog.setText(m_network);
        QCOMPARE(dialog.focusWidget(), dialog.findChild<QComboBox*>());
        QCOMPARE(dialog.focusWidget()->accessibleName(), QStringLiteral("File or id of the network"));
        QStringList stops;
        for (int i = 0; i < 3; ++i) {
            QTest::keyClick(dialog.focusWidget(), Qt::Key_Tab);
            const auto* stop = qobject_cast<QPushButton*>(dialog.focusWidget());
            stops << (stop ? stop->text().remove(QLatin1Char('&')) : QString());
        }
        QCOMPARE(stops, (QStringList{QStringLiteral("Browse…"), QStringLiteral("Choose"),
                                     QStringLiteral("Cancel")}));
    }

    void leadsBackToTheNetworkOfTheConfig()
    {
        const auto config = engine::ConfigFile::open(m_network);
        NetworkDialog fresh(config, {}, Theme::day());
        QVERIFY(!button(fresh, QStringLiteral("Use the config's own")));
        NetworkDialog dialog(config, m_network, Theme::day());
        button(dialog, QStringLiteral("Use the config's own"))->click();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
        QCOMPARE(dialog.network(), QString());
        // A config without a network has nothing to lead back to.
        const auto needing = engine::ConfigFile::open(m_config);
        NetworkDialog other(needing, m_network, Theme::day());
        QVERIFY(!button(other, QStringLiteral("Use the config's own")));
    }

    void remembersTheNetworkOfAConfig()
    {
        WindowSettings settings;
        QWidget window;
        NetworkPicker picker(&settings, &window);
        const auto config = engine::ConfigFile::open(m_config);
        QVERIFY_EXCEPTION_THROWN(picker.completed(config), NetworkNeeded);
        QCOMPARE(picker.completed(config, m_network).modelSource(), m_network);
        QCOMPARE(picker.completed(config).modelSource(), m_network);
        // Another config has its own choice.
        const auto other = engine::ConfigFile::open(fileWith("other.yaml", withoutNetwork));
        QVERIFY_EXCEPTION_THROWN(picker.completed(other), NetworkNeeded);
    }

    void remembersNoNetworkThatCannotBeRun()
    {
        WindowSettings settings;
        settings.setNetworkOf(m_config, {});
        QWidget window;
        NetworkPicker picker(&settings, &window);
        const auto config = engine::ConfigFile::open(m_config);
        QVERIFY_EXCEPTION_THROWN(picker.completed(config, QStringLiteral("nobody/nothing")), NetworkNeeded);
        QCOMPARE(settings.networkOf(m_config), QString());
    }

    void asksAnewWhereTheFileIsGone()
    {
        WindowSettings settings;
        settings.setNetworkOf(m_config, m_folder.filePath(QStringLiteral("gone.json")));
        QWidget window;
        NetworkPicker picker(&settings, &window);
        try {
            picker.completed(engine::ConfigFile::open(m_config));
            QFAIL("It ran.");
        } catch (const NetworkNeeded& need) {
            const QString sentence = QString::fromUtf8(need.what());
            QVERIFY2(sentence.contains(QStringLiteral("gone.json")), need.what());
        }
    }

    void forgetsConfigsThatAreGone()
    {
        WindowSettings settings;
        const QString gone = m_folder.filePath(QStringLiteral("gone.yaml"));
        settings.setNetworkOf(gone, m_network);
        QCOMPARE(settings.networkOf(gone), m_network);
        settings.setNetworkOf(m_config, m_network);
        QCOMPARE(settings.networkOf(gone), QString());
        QCOMPARE(settings.networkOf(m_config), m_network);
    }
};

BATCHPEAK_TEST(NetworkDialogTest)
#include "tst_network_dialog.moc"
