// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/window_settings.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "window/network_dialog.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QCompleter>
#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include <optional>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::buttonOf;

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

class NetworkDialogTest : public test::WindowFixture
{
    Q_OBJECT

    QString m_config;
    /// The config as it was opened.
    std::optional<engine::ConfigFile> m_file;
    QString m_network;

private slots:
    void init()
    {
        QLocale::setDefault(QLocale::c());
        m_config = fileWith("sft.yaml", withoutNetwork);
        m_file = engine::ConfigFile::open(m_config);
        m_network = fileWith("network.yaml", network);
    }

    void reportsTheParametersOfANetwork()
    {
        NetworkDialog dialog(*m_file, {}, Theme::light());
        QVERIFY(!buttonOf(dialog, "Choose")->isEnabled());
        dialog.setText(m_network);
        QVERIFY2(dialog.finding().startsWith(QStringLiteral("This is gpt2 with ")) &&
                     dialog.finding().endsWith(QStringLiteral(" parameters.")),
                 qPrintable(dialog.finding()));
        QVERIFY(buttonOf(dialog, "Choose")->isEnabled());
        dialog.accept();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
        QCOMPARE(dialog.network(), m_network);
    }

    void acceptsAFileNextToTheConfig_data()
    {
        rows<std::string, std::string>(
            {{"a file", {" network.yaml ", "network.yaml"}}, {"a folder as of the hub", {"tiny/", "tiny"}}});
    }
    void acceptsAFileNextToTheConfig()
    {
        const auto& [text, file] = row<std::string, std::string>();
        QVERIFY(QDir().mkpath(pathOf("tiny")));
        fileWith("tiny/config.json", network);
        NetworkDialog dialog(*m_file, {}, Theme::light());
        dialog.setText(QString::fromStdString(text));
        dialog.accept();
        QCOMPARE(dialog.network(), pathOf(file.c_str()));
    }

    void completesNetworksOfTheHub()
    {
        NetworkDialog dialog(*m_file, {}, Theme::light());
        auto* field = dialog.findChild<QComboBox*>();
        QVERIFY(field->count() > 20);
        QCOMPARE(field->currentText(), QString());
        field->completer()->setCompletionPrefix(QStringLiteral("bert-base-unc"));
        QVERIFY2(field->completer()->currentCompletion().endsWith(QStringLiteral("bert-base-uncased")),
                 qPrintable(field->completer()->currentCompletion()));
        dialog.setText(QStringLiteral("openai-community/gpt2"));
        QCOMPARE(dialog.finding(), QStringLiteral("This is gpt2 with 124439808 parameters."));
    }

    void explainsWhyATextIsNoNetwork_data()
    {
        rows<std::string, std::string>({{"no file, no id", {"nobody/nothing", "nobody/nothing"}},
                                        {"no config", {"notes.txt", "notes.txt"}},
                                        {"a config without one", {"sft.yaml", "no-such-network"}}});
    }
    void explainsWhyATextIsNoNetwork()
    {
        const auto& [text, word] = row<std::string, std::string>();
        fileWith("notes.txt", "nothing to see\n");
        NetworkDialog dialog(*m_file, {}, Theme::light());
        dialog.show();
        dialog.setText(QString::fromStdString(text));
        QVERIFY2(dialog.finding().contains(QString::fromStdString(word)), qPrintable(dialog.finding()));
        QVERIFY2(dialog.finding().endsWith(QLatin1Char('.')), qPrintable(dialog.finding()));
        QVERIFY(!buttonOf(dialog, "Choose")->isEnabled());
        dialog.accept();
        QVERIFY(dialog.isVisible());
    }

    void looksOnceTheUserPauses()
    {
        NetworkDialog dialog(*m_file, {}, Theme::light());
        dialog.show();
        dialog.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QTest::keyClicks(dialog.focusWidget(), QStringLiteral("network.yaml"));
        QVERIFY2(dialog.finding().isEmpty(), qPrintable(dialog.finding()));
        TRY_VERIFY(dialog.finding().startsWith(QStringLiteral("This is gpt2")));
        QCOMPARE(dialog.findChild<QComboBox*>()->accessibleDescription(), dialog.finding());
        QTest::keyClick(dialog.focusWidget(), Qt::Key_Return);
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
    }

    void isReachedByTheKeyboard()
    {
        NetworkDialog dialog(*m_file, {}, Theme::light());
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

    void restoresTheNetworkOfTheConfig()
    {
        const auto config = engine::ConfigFile::open(m_network);
        NetworkDialog fresh(config, {}, Theme::light());
        QVERIFY(!buttonOf(fresh, "Use the config's own"));
        NetworkDialog dialog(config, m_network, Theme::light());
        buttonOf(dialog, "Use the config's own")->click();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
        QCOMPARE(dialog.network(), QString());
        // A config without a network has nothing to restore.
        NetworkDialog other(*m_file, m_network, Theme::light());
        QVERIFY(!buttonOf(other, "Use the config's own"));
    }

    void remembersTheNetworkOfAConfig()
    {
        WindowSettings settings;
        QWidget window;
        NetworkPicker picker(&settings, &window);
        QVERIFY_EXCEPTION_THROWN(picker.completed(*m_file), NetworkNeeded);
        QCOMPARE(picker.completed(*m_file, m_network).modelSource(), m_network);
        QCOMPARE(picker.completed(*m_file).modelSource(), m_network);
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
        QVERIFY_EXCEPTION_THROWN(picker.completed(*m_file, QStringLiteral("nobody/nothing")), NetworkNeeded);
        QCOMPARE(settings.networkOf(m_config), QString());
    }

    void asksAgainIfTheFileIsGone()
    {
        WindowSettings settings;
        settings.setNetworkOf(m_config, pathOf("gone.json"));
        QWidget window;
        NetworkPicker picker(&settings, &window);
        try {
            picker.completed(*m_file);
            QFAIL("It ran.");
        } catch (const NetworkNeeded& need) {
            QVERIFY2(QByteArray(need.what()).contains("gone.json"), need.what());
        }
    }

    void forgetsConfigsThatAreGone()
    {
        WindowSettings settings;
        const QString gone = pathOf("gone.yaml");
        settings.setNetworkOf(gone, m_network);
        QCOMPARE(settings.networkOf(gone), m_network);
        settings.setNetworkOf(m_config, m_network);
        QCOMPARE(settings.networkOf(gone), QString());
        QCOMPARE(settings.networkOf(m_config), m_network);
    }
};

BATCHPEAK_TEST(NetworkDialogTest)
#include "tst_network_dialog.moc"
