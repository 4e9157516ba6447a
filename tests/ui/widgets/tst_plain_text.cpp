// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration/trials_model.h"
#include "sample_snapshots.h"
#include "sample_windows.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "widgets/diff_view.h"
#include "widgets/labels.h"
#include "widgets/plain_text.h"

#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QTextDocument>
#include <QToolTip>
#include <QWindow>

#include <memory>

using namespace batchpeak;
using namespace batchpeak::test;
using namespace batchpeak::ui;

namespace {

const QString markup = QStringLiteral("<b>gpu</b><img src=\"http://example.org/seen.png\">");

} // namespace

class PlainTextTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { PlainText::install(); }

    void leavesPlainToolTipsAsTheyAre_data()
    {
        rows<const char*>(
            {{"words", "Took 3 s on cuda:0"}, {"lines", "a\nb"}, {"less", "1 < 2"}, {"nothing", ""}});
    }
    void leavesPlainToolTipsAsTheyAre()
    {
        const QString text = QString::fromUtf8(row<const char*>());
        QCOMPARE(plainToolTip(text), text);
    }

    void showsMarkupInToolTipsAsText()
    {
        QPushButton button;
        button.setToolTip(markup);
        button.show();
        QHelpEvent event(QEvent::ToolTip, {5, 5}, button.mapToGlobal(QPoint(5, 5)));
        QCoreApplication::sendEvent(&button, &event);
        QVERIFY2(QToolTip::text().contains(QStringLiteral("&lt;img")), qPrintable(QToolTip::text()));
        QVERIFY(!QToolTip::text().contains(QStringLiteral("<img")));
        QToolTip::hideText();
    }

    void showsMarkupInLabelsAsText()
    {
        QLabel label(markup);
        label.show();
        QCOMPARE(label.textFormat(), Qt::PlainText);
        QLabel rich;
        rich.setTextFormat(Qt::RichText);
        rich.show();
        QCOMPARE(rich.textFormat(), Qt::RichText);
    }

    void escapesCharactersThatReverseText()
    {
        const QString turned = QStringLiteral("config\u202eLMAY.yaml");
        QLabel label(turned);
        QPushButton button(turned);
        for (QWidget* widget : {static_cast<QWidget*>(&label), static_cast<QWidget*>(&button)}) {
            widget->show();
            (void)widget->grab();
        }
        QCOMPARE(label.text(), QStringLiteral("config\\u202eLMAY.yaml"));
        QCOMPARE(button.text(), label.text());
        QLabel date(QStringLiteral("1\u200f/2\u200f/2026"));
        date.show();
        (void)date.grab();
        QCOMPARE(date.text(), QStringLiteral("1\u200f/2\u200f/2026"));
    }

    void keepsPlacesToBreakALine()
    {
        QLabel label;
        setBreakableText(&label, QStringLiteral("train_input.micro\u200b"));
        label.show();
        (void)label.grab();
        QCOMPARE(label.text(), QStringLiteral("train_\u200binput.\u200bmicro\\u200b"));
        (void)label.grab();
        QCOMPARE(label.text().count(QChar(0x200b)), 2);
    }

    void escapesCharactersThatFakeAnotherLine()
    {
        DiffView diff;
        diff.setDiff(QStringLiteral("--- a\n+++ a\n@@ -1 +1 @@\n-b: 1\n+b: 2 #\u2029+c: 3\n"));
        QCOMPARE(diff.toPlainText().section(QLatin1Char('\n'), -1), QStringLiteral("+b: 2 #\\u2029+c: 3"));
    }

    void showsWholeNamesInTitles_data()
    {
        rows<const char*>({{"placeholder", "[*]a.yaml"}, {"after another", "a[*][*].yaml"}});
    }
    void showsWholeNamesInTitles()
    {
        const QString name = QString::fromUtf8(row<const char*>());
        QWidget window;
        window.setWindowTitle(plainTitle(name));
        window.show();
        QCOMPARE(window.windowHandle()->title(), name);
    }

    void guessesNoTextFormatInAWindow()
    {
        engine::Snapshot snapshot = runningSnapshot();
        for (auto& device : snapshot.devices)
            device.name = markup;
        for (auto& trial : snapshot.trials) {
            trial.device = markup.toStdString();
            trial.text = markup.toStdString();
        }
        SampleWindow window(Theme::light(), QSize(1440, 900));
        window.display(snapshot);
        window.show();
        const auto labels = window.findChildren<QLabel*>();
        QVERIFY(labels.size() > 20);
        for (const QLabel* label : labels) {
            if (label->isVisible())
                QVERIFY2(label->textFormat() != Qt::AutoText, qPrintable(label->text()));
        }
        TrialsModel model;
        model.display(snapshot, engine::MemoryUnit::forBytes(1e9));
        for (int row = 0; row < model.rowCount(); ++row) {
            const QString toolTip = model.index(row, 0).data(Qt::ToolTipRole).toString();
            QVERIFY2(!Qt::mightBeRichText(toolTip) || !toolTip.contains(QStringLiteral("<img")),
                     qPrintable(toolTip));
        }
    }
};

BATCHPEAK_TEST(PlainTextTest)
#include "tst_plain_text.moc"
