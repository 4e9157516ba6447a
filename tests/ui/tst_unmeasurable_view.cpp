// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "ui/unmeasurable_view.h"
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

    void showsWhatWasReadAndWhyNothingCanBeTried()
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
        UnmeasurableView view(&choose, &write);
        view.display(file, QStringLiteral("The network is not known."));
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
        // Another config leaves nothing of the one before.
        view.display(file, QStringLiteral("It still is not."));
        QCOMPARE(view.summary().split(QLatin1Char('\n')).size(), lines.size());
    }
};

BATCHPEAK_TEST(UnmeasurableViewTest)
#include "tst_unmeasurable_view.moc"
