// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration/unmeasurable_view.h"
#include "support/test_main.h"
#include "text/errors.h"
#include "window_fixture.h"

#include <QAction>
#include <QPushButton>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;

class UnmeasurableViewTest : public test::WindowFixture
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void showsTheConfigAndWhyNothingCanBeTried()
    {
        const auto file =
            engine::ConfigFile::open(fileWith("sft.yaml", "model_name_or_path: example/unknown-network\n"
                                                          "output_dir: out\n"
                                                          "per_device_train_batch_size: 8\n"
                                                          "per_device_eval_batch_size: 4\n"
                                                          "gradient_accumulation_steps: 8\n"
                                                          "num_train_epochs: 1\n"));
        QAction choose(QStringLiteral("Choose the network…"));
        QAction write(QStringLiteral("Write a size…"));
        QAction again(QStringLiteral("Read it again"));
        again.setEnabled(false);
        UnmeasurableView view({&choose, &write, &again});
        view.display(
            {.path = file.path(), .why = QStringLiteral("The network is not known."), .config = file});
        const QStringList lines = view.summary().split(QLatin1Char('\n'));
        QCOMPARE(lines.front(), QStringLiteral("The network is not known."));
        QVERIFY2(lines.contains(QStringLiteral("format: Hugging Face TrainingArguments")),
                 qPrintable(view.summary()));
        QVERIFY2(lines.contains(QStringLiteral("size: per_device_train_batch_size: 8 now")),
                 qPrintable(view.summary()));
        int chosen = 0;
        connect(&write, &QAction::triggered, this, [&] { ++chosen; });
        test::buttonOf(view, "Write a size")->click();
        QCOMPARE(chosen, 1);
        // A disabled action has no button.
        QVERIFY(test::buttonOf(view, "Read it again")->isHidden());
        again.setEnabled(true);
        QVERIFY(!test::buttonOf(view, "Read it again")->isHidden());
        // Nothing of the previous config remains.
        view.display({.path = file.path(), .why = QStringLiteral("It still is not."), .config = file});
        QCOMPARE(view.summary().split(QLatin1Char('\n')).size(), lines.size());
        view.display(
            {.path = QStringLiteral("/a/b.yaml"), .why = QStringLiteral("It is broken."), .config = {}});
        QCOMPARE(view.summary(), QStringLiteral("It is broken.\nfile: /a/b.yaml"));
    }

    void namesTheLineWithoutThePathOfThePage()
    {
        const QString path = QStringLiteral("/a/b.yaml");
        const auto error =
            engine::located(path, config::ConfigError("It is broken.", {.line = 3, .column = 5}));
        QCOMPARE(unmeasurableFile(path, error).why, QStringLiteral("Line 3: It is broken."));
        const auto ofAnother = engine::located(QStringLiteral("/c"), config::ConfigError("It is broken."));
        QCOMPARE(unmeasurableFile(path, ofAnother).why, QStringLiteral("/c: It is broken."));
    }
};

BATCHPEAK_TEST(UnmeasurableViewTest)
#include "tst_unmeasurable_view.moc"
