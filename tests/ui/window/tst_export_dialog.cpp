// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "widgets/diff_view.h"
#include "window/export_dialog.h"
#include "window/window_exports.h"
#include "window_fixture.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>

#include <cmath>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::ui;
using model::Phase;

namespace {

const QByteArray own = "batchpeak: 1\n"
                       "model:\n"
                       "  family: gpt2\n"
                       "  layers: 2\n"
                       "  hidden_size: 32\n"
                       "  heads: 2\n"
                       "  key_value_heads: 2\n"
                       "  feed_forward_size: 64\n"
                       "  vocabulary_size: 128\n"
                       "  max_positions: 128\n"
                       "batch_size: 64\n"
                       "micro_batch_size: 4 # tried by hand\n"
                       "eval_micro_batch_size: 8\n"
                       "sequence_length: 128\n";

const QByteArray trainingArguments = "model_name_or_path: example/unknown-network\n"
                                     "output_dir: out\n"
                                     "per_device_train_batch_size: 8\n"
                                     "per_device_eval_batch_size: 4\n"
                                     "gradient_accumulation_steps: 8\n"
                                     "num_train_epochs: 1\n";

/// Returns the contrast ratio of WCAG 2.1, from the relative luminances.
double contrast(const QColor& a, const QColor& b)
{
    const auto luminance = [](const QColor& color) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
               0.0722 * linear(color.blueF());
    };
    const double low = std::min(luminance(a), luminance(b));
    const double high = std::max(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

QColor backgroundOf(DiffView& view, const QString& line)
{
    const QTextCursor found = view.document()->find(line);
    const QRect row = view.cursorRect(found);
    const QImage image = view.viewport()->grab().toImage();
    // There is no text at the right edge.
    const QPointF place(view.viewport()->width() - 4, row.center().y());
    return image.pixelColor((place * image.devicePixelRatio()).toPoint());
}

std::vector<config::ChosenSize> training(std::int64_t size)
{
    return {{.phase = Phase::Train, .microBatchSize = size}};
}

QStringList diffLines(const ExportDialog& dialog)
{
    QStringList lines = dialog.preview().split(QLatin1Char('\n'));
    lines.removeIf([](const QString& line) {
        return !line.startsWith(QLatin1Char('+')) && !line.startsWith(QLatin1Char('-'));
    });
    return lines.mid(2);
}

/// Returns the names of the widgets that the Tab key reaches, in one round.
QStringList tabStops(QWidget& window)
{
    QStringList stops;
    const QWidget* first = window.focusWidget();
    do {
        const QWidget* stop = window.focusWidget();
        const auto* button = qobject_cast<const QAbstractButton*>(stop);
        stops << (button ? button->text().remove(QLatin1Char('&')) : stop->accessibleName());
        QTest::keyClick(window.focusWidget(), Qt::Key_Tab);
    } while (window.focusWidget() != first && stops.size() < 20);
    return stops;
}

} // namespace

class ExportDialogTest : public test::WindowFixture
{
    Q_OBJECT

    std::optional<engine::ConfigFile> m_file;

    const engine::ConfigFile& opened(const QByteArray& text)
    {
        return m_file.emplace(engine::ConfigFile::open(fileWith("config.yaml", text)));
    }

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void reportsHowTheSizeWasFound()
    {
        ExportDialog dialog(opened(own), training(16), Theme::light());
        dialog.setFound(QStringLiteral("Approximate because of packed samples."));
        QStringList texts;
        for (const auto* label : dialog.findChildren<QLabel*>()) {
            if (!label->isHidden())
                texts << label->text();
        }
        QVERIFY(
            texts.contains(QStringLiteral("How the size was found: Approximate because of packed samples.")));
    }

    void asksBeforeItWritesADoubtfulSize()
    {
        const QString doubt = QStringLiteral("Confidence is 2 %, below the required 50 %.");
        ExportDialog dialog(opened(own), training(16), Theme::light(), nullptr, doubt);
        dialog.show();
        QVERIFY(test::buttonOf(dialog, "Write anyway"));
        QVERIFY(!test::buttonOf(dialog, "Write anyway")->isDefault());
        QVERIFY(test::buttonOf(dialog, "Cancel")->isDefault());
        QStringList texts;
        for (const auto* label : dialog.findChildren<QLabel*>())
            texts << label->text();
        QVERIFY(texts.contains(doubt));
        // Enter does not write it.
        QTest::keyClick(&dialog, Qt::Key_Return);
        QCOMPARE(test::readFile(m_file->path()), own);
        QVERIFY(!dialog.isVisible());
    }

    void writesAnyRequestedSize()
    {
        ExportDialog dialog(opened(trainingArguments), Phase::Train, Theme::light());
        QCOMPARE(dialog.sizes().front().microBatchSize, 8);
        QCOMPARE(dialog.preview(), QStringLiteral("The file already has this size."));
        dialog.setMicroBatchSize(16);
        QVERIFY2(diffLines(dialog).contains(QStringLiteral("+per_device_train_batch_size: 16")),
                 qPrintable(dialog.preview()));
        // A batch of 64 cannot be divided into micro-batches of 12, so another batch has to be chosen; into
        // micro-batches of 4 it can.
        dialog.setMicroBatchSize(12);
        QVERIFY(!test::buttonOf(dialog, "Write")->isEnabled());
        QCOMPARE(dialog.findChildren<QRadioButton*>().size(), 3);
        dialog.findChildren<QRadioButton*>().at(1)->click();
        QVERIFY(test::buttonOf(dialog, "Write")->isEnabled());
        dialog.setMicroBatchSize(4);
        QVERIFY(dialog.findChildren<QRadioButton*>().isEmpty());
        dialog.accept();
        const QByteArray text = test::readFile(m_file->path());
        QVERIFY2(text.contains("per_device_train_batch_size: 4\n"), text.constData());
        QVERIFY2(text.contains("gradient_accumulation_steps: 16\n"), text.constData());
    }

    void writesTheSizesOfBothPhases()
    {
        ExportDialog dialog(
            opened(own),
            {{.phase = Phase::Train, .microBatchSize = 16}, {.phase = Phase::Eval, .microBatchSize = 32}},
            Theme::light());
        QCOMPARE(diffLines(dialog), (QStringList{QStringLiteral("-micro_batch_size: 4 # tried by hand"),
                                                 QStringLiteral("-eval_micro_batch_size: 8"),
                                                 QStringLiteral("+micro_batch_size: 16 # tried by hand"),
                                                 QStringLiteral("+eval_micro_batch_size: 32")}));
        dialog.accept();
        const QByteArray text = test::readFile(m_file->path());
        QVERIFY2(text.contains("\nmicro_batch_size: 16") && text.contains("eval_micro_batch_size: 32"),
                 text.constData());
    }

    void asksForTheBatchOfOnlyOnePhase()
    {
        ExportDialog dialog(
            opened(trainingArguments),
            {{.phase = Phase::Train, .microBatchSize = 12}, {.phase = Phase::Eval, .microBatchSize = 10}},
            Theme::light());
        QVERIFY(!test::buttonOf(dialog, "Write")->isEnabled());
        QCOMPARE(dialog.findChildren<QRadioButton*>().size(), 3);
        dialog.findChildren<QRadioButton*>().front()->click();
        QVERIFY(test::buttonOf(dialog, "Write")->isEnabled());
        QVERIFY2(diffLines(dialog).contains(QStringLiteral("+per_device_eval_batch_size: 10")),
                 qPrintable(dialog.preview()));
        QCOMPARE(dialog.sizes().front().globalBatchSize, 60);
    }

    // The window reads its config again once a size is written.
    void keepsTheConfigThatItWasGiven()
    {
        engine::ConfigFile file = opened(trainingArguments);
        ExportDialog dialog(file, Phase::Train, Theme::light());
        file = opened(own);
        dialog.setMicroBatchSize(16);
        QVERIFY2(diffLines(dialog).contains(QStringLiteral("+per_device_train_batch_size: 16")),
                 qPrintable(dialog.preview()));
    }

    // An export is undone by one key, which users press without thinking.
    void showsTheChangeBeforeAnExportIsUndone_data()
    {
        rows<QByteArray, const char*, bool>({{"it is kept", {"", "Keep it as it is", false}},
                                             {"it is undone", {"", "Restore config.yaml", true}},
                                             {"with a later change", {"# mine\n", "Restore", true}},
                                             {"a later change is kept", {"# mine\n", "Keep", false}}});
    }
    void showsTheChangeBeforeAnExportIsUndone()
    {
        const auto& [later, answer, isTakenBack] = row<QByteArray, const char*, bool>();
        const QString history = pathOf("history.sqlite");
        QFile::remove(history);
        ExportDialog dialog(opened(own), training(16), Theme::light());
        dialog.setHistory(history);
        dialog.accept();
        test::writeFile(m_file->path(), test::readFile(m_file->path()) + later);
        const QByteArray before = test::readFile(m_file->path());

        QWidget window;
        WindowExports exports(&window);
        exports.setHistory(history);
        const QSignalSpy written(&exports, &WindowExports::written);
        test::whenOpen<QDialog>(&window, [answer = answer, later = later](QDialog* question) {
            const QString shown = question->findChild<DiffView*>()->toPlainText();
            QVERIFY2(shown.contains(QStringLiteral("\n-micro_batch_size: 16")) &&
                         shown.contains(QStringLiteral("\n+micro_batch_size: 4")),
                     qPrintable(shown));
            QCOMPARE(shown.contains(QStringLiteral("\n-# mine")), !later.isEmpty());
            QVERIFY(test::buttonOf(*question, "Keep")->isDefault());
            test::buttonOf(*question, answer)->click();
        });
        exports.takeBack(m_file->path(), Theme::light());
        QCOMPARE(test::readFile(m_file->path()), isTakenBack ? own : before);
        QCOMPARE(written.count(), isTakenBack ? 1 : 0);
        QCOMPARE(exports.canTakeBack(m_file->path()), !isTakenBack);
    }

    void reportsThatAFileIsWrittenInPlace()
    {
        const QString history = pathOf("history.sqlite");
        ExportDialog dialog(opened(own), training(16), Theme::light());
        const QString other = m_file->path() + QStringLiteral(".other");
        QCOMPARE(::link(QFile::encodeName(m_file->path()).constData(), QFile::encodeName(other).constData()),
                 0);
        dialog.accept();
        QCOMPARE(dialog.result(), int(QDialog::Rejected));
        dialog.setHistory(history);
        dialog.accept();
        QCOMPARE(dialog.result(), int(QDialog::Accepted));
        VERIFY_CONTAINS(dialog.saved().inPlace, "2 names");
        QCOMPARE(test::readFile(other), test::readFile(m_file->path()));
        QVERIFY(QFile::remove(other));
    }

    void showsTheUnifiedDiffAndWritesIt_data()
    {
        rows<Phase, QByteArray, QByteArray>(
            {{"training",
              {Phase::Train, "micro_batch_size: 4 # tried by hand", "micro_batch_size: 16 # tried by hand"}},
             {"evaluation", {Phase::Eval, "eval_micro_batch_size: 8", "eval_micro_batch_size: 16"}}});
    }
    void showsTheUnifiedDiffAndWritesIt()
    {
        const auto& [phase, old, fresh] = row<Phase, QByteArray, QByteArray>();
        const std::vector<config::ChosenSize> sizes{{.phase = phase, .microBatchSize = 16}};
        ExportDialog dialog(opened(own), sizes, Theme::light());
        QVERIFY2(dialog.preview().startsWith(QStringLiteral("--- config.yaml\n+++ config.yaml\n@@ ")),
                 qPrintable(dialog.preview()));
        QCOMPARE(diffLines(dialog), (QStringList{QLatin1Char('-') + QString::fromUtf8(old),
                                                 QLatin1Char('+') + QString::fromUtf8(fresh)}));
        const QString target = pathOf("out.yaml");
        QFile::remove(target);
        dialog.setPath(target);
        dialog.accept();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
        QCOMPARE(test::readFile(target), QByteArray(own).replace("\n" + old, "\n" + fresh));
        QCOMPARE(test::readFile(m_file->path()), own);
    }

    void reportsThatNothingChanges()
    {
        ExportDialog dialog(opened(own), training(4), Theme::light());
        QCOMPARE(dialog.preview(), QStringLiteral("The file already has this size."));
    }

    void refusesAFileWithOnlyANetwork()
    {
        const auto file =
            opened("{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 32, \"n_head\": 2}\n");
        QVERIFY_EXCEPTION_THROWN(ExportDialog(file, training(16), Theme::light()), config::ConfigError);
    }

    void hidesTheLineEndsOfWindows()
    {
        ExportDialog dialog(opened(QByteArray(own).replace("\n", "\r\n")), training(16), Theme::light());
        // A "\r" would add a line break in the preview.
        QVERIFY(!dialog.preview().contains(QStringLiteral("\n\n")));
        QCOMPARE(diffLines(dialog).size(), 2);
    }

    void staysWhenTheFileCannotBeWritten()
    {
        ExportDialog dialog(opened(own), training(16), Theme::light());
        dialog.show();
        dialog.setPath(pathOf("no/such/folder/out.yaml"));
        dialog.accept();
        QVERIFY(dialog.isVisible());
        QStringList said;
        for (const auto* label : dialog.findChildren<QLabel*>()) {
            if (label->isVisible())
                said << label->text();
        }
        QVERIFY2(said.join(QLatin1Char('\n')).contains(QStringLiteral("was not written")),
                 qPrintable(said.join(QLatin1Char('\n'))));
    }

    void replacesAnotherFileOnlyIfTheUserAgrees_data()
    {
        rows<const char*, bool>(
            {{"it is kept", {"Keep it", false}}, {"it is replaced", {"Replace it", true}}});
    }
    void replacesAnotherFileOnlyIfTheUserAgrees()
    {
        const auto& [answer, isReplaced] = row<const char*, bool>();
        ExportDialog dialog(opened(own), training(16), Theme::light());
        dialog.show();
        const QString target = fileWith("notes.yaml", "precious\n");
        dialog.setPath(target);
        test::whenOpen<QMessageBox>(&dialog, [answer = answer](QMessageBox* box) {
            QVERIFY(test::buttonOf(*box, "Keep it")->isDefault());
            QVERIFY(box->informativeText().contains(QStringLiteral("notes.yaml already exists")));
            test::buttonOf(*box, answer)->click();
        });
        dialog.accept();
        QCOMPARE(dialog.isVisible(), !isReplaced);
        QCOMPARE(test::readFile(target),
                 isReplaced ? QByteArray(own).replace("\nmicro_batch_size: 4", "\nmicro_batch_size: 16")
                            : QByteArray("precious\n"));
        QVERIFY(QFile::remove(target));
    }

    // Without a reader, writing into a pipe would block forever.
    void refusesAPipe()
    {
        ExportDialog dialog(opened(own), training(16), Theme::light());
        dialog.show();
        const QString pipe = pathOf("pipe");
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        dialog.setPath(pipe);
        dialog.accept();
        QVERIFY(dialog.isVisible());
        QVERIFY(QFile::remove(pipe));
    }

    // Links to such a file are refused as well, and the user is not asked.
    void replacesNoFileThatARunNeeds()
    {
        const QString module = fileWith("module.pt", "precious\n");
        const QString lengths = fileWith("lengths.txt", "precious\n");
        ExportDialog dialog(opened("batchpeak: 1\n"
                                   "batch_size: 64\n"
                                   "micro_batch_size: 4\n"
                                   "model:\n"
                                   "  family: torchscript\n"
                                   "  file: module.pt\n"
                                   "  inputs:\n"
                                   "    - {shape: [8]}\n"
                                   "  output: loss\n"),
                            training(16), Theme::light());
        dialog.setNeeded({lengths});
        dialog.show();
        QVERIFY(QFile::link(module, pathOf("link")));
        for (const QString& target : {module, pathOf("link"), lengths}) {
            dialog.setPath(target);
            dialog.accept();
            QVERIFY(dialog.isVisible());
            QStringList said;
            for (const auto* label : dialog.findChildren<QLabel*>())
                said << label->text();
            QVERIFY2(said.join(QLatin1Char('\n')).contains(QStringLiteral("runs of this config need")),
                     qPrintable(said.join(QLatin1Char('\n'))));
            QCOMPARE(test::readFile(target), QByteArray("precious\n"));
        }
    }

    void replacesNoLinkThatLeadsToItself()
    {
        ExportDialog dialog(opened(own), training(16), Theme::light());
        dialog.setHistory(pathOf("history.sqlite"));
        dialog.show();
        const QString link = pathOf("round.yaml");
        QVERIFY(QFile::link(link, link));
        dialog.setPath(link);
        dialog.accept();
        QVERIFY(dialog.isVisible());
        QVERIFY(QFileInfo(link).isSymLink());
        QCOMPARE(QFile::symLinkTarget(link), link);
        QVERIFY(QFile::remove(link));
    }

    // A label cannot break a long name into lines.
    void keepsItsWidthWithALongName()
    {
        ExportDialog dialog(opened(own), training(16), Theme::light());
        dialog.show();
        const int width = dialog.width();
        dialog.setPath(pathOf("no folder/") + QString(250, QLatin1Char('n')) + QStringLiteral(".yaml"));
        dialog.accept();
        QVERIFY(dialog.isVisible());
        QApplication::processEvents();
        QCOMPARE(dialog.width(), width);
        VERIFY_BELOW(dialog.minimumSizeHint().width(), width);
        QStringList whole;
        for (const auto* label : dialog.findChildren<QLabel*>())
            whole << label->toolTip();
        VERIFY_CONTAINS(whole.join(QLatin1Char('\n')), dialog.path());
    }

    void asksForAnotherBatchIfItCannotBeKept()
    {
        ExportDialog dialog(opened(trainingArguments), training(12), Theme::light());
        const auto offers = dialog.findChildren<QRadioButton*>();
        QCOMPARE(offers.size(), 3);
        QCOMPARE(offers.at(0)->text(),
                 QStringLiteral("&Fewer: 60 samples on each device in 5 accumulation steps of 12"));
        QCOMPARE(offers.at(1)->text(),
                 QStringLiteral("&More: 72 samples on each device in 6 accumulation steps of 12"));
        QVERIFY(!offers.at(0)->isChecked() && !offers.at(1)->isChecked());
        QVERIFY(!test::buttonOf(dialog, "Write")->isEnabled());
        QVERIFY2(dialog.preview().contains(QStringLiteral("64")) &&
                     dialog.preview().endsWith(QStringLiteral("before a batch is chosen.")),
                 qPrintable(dialog.preview()));
        dialog.accept();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Rejected));
        QCOMPARE(test::readFile(m_file->path()), trainingArguments);
    }

    void followsTheBatchThatIsChosen()
    {
        ExportDialog dialog(opened(trainingArguments), training(12), Theme::light());
        const auto offers = dialog.findChildren<QRadioButton*>();
        offers.at(1)->click();
        QVERIFY(test::buttonOf(dialog, "Write")->isEnabled());
        QVERIFY(dialog.preview().contains(QStringLiteral("+gradient_accumulation_steps: 6")));
        offers.at(0)->click();
        QVERIFY(dialog.preview().contains(QStringLiteral("+gradient_accumulation_steps: 5")));
        QVERIFY(!dialog.preview().contains(QStringLiteral("+gradient_accumulation_steps: 6")));
        dialog.accept();
        QCOMPARE(test::readFile(m_file->path()), QByteArray(trainingArguments)
                                                     .replace("train_batch_size: 8", "train_batch_size: 12")
                                                     .replace("steps: 8", "steps: 5"));
    }

    void offersOnlyALargerBatchForALargeMicroBatch()
    {
        ExportDialog dialog(opened(trainingArguments), training(96), Theme::light());
        const auto offers = dialog.findChildren<QRadioButton*>();
        QCOMPARE(offers.size(), 1);
        QCOMPARE(offers.at(0)->text(),
                 QStringLiteral("&More: 96 samples on each device in 1 accumulation step of 96"));
    }

    // A trainer accepts such a size with a larger batch.
    void offersABatchForASizeAboveIt()
    {
        ExportDialog dialog(opened(own), training(80), Theme::light());
        const auto offers = dialog.findChildren<QRadioButton*>();
        QCOMPARE(offers.size(), 1);
        QCOMPARE(offers.at(0)->text(), QStringLiteral("&More: 80 samples in 1 accumulation step of 80"));
        offers.at(0)->click();
        QCOMPARE(diffLines(dialog), (QStringList{QStringLiteral("-batch_size: 64"),
                                                 QStringLiteral("-micro_batch_size: 4 # tried by hand"),
                                                 QStringLiteral("+batch_size: 80"),
                                                 QStringLiteral("+micro_batch_size: 80 # tried by hand")}));
    }

    void offersASingleMicroBatch()
    {
        ExportDialog dialog(opened(trainingArguments), training(12), Theme::light());
        const auto offers = dialog.findChildren<QRadioButton*>();
        QCOMPARE(offers.size(), 3);
        QCOMPARE(offers.at(2)->text(),
                 QStringLiteral("The &size itself: 12 samples on each device in 1 accumulation step of 12"));
        offers.at(2)->click();
        QVERIFY2(dialog.preview().contains(QStringLiteral("+gradient_accumulation_steps: 1")),
                 qPrintable(dialog.preview()));
    }

    void hasNothingToWriteIfTheFileHasTheSize()
    {
        ExportDialog dialog(opened(own), training(4), Theme::light());
        auto* write = test::buttonOf(dialog, "Write");
        QVERIFY(!write->isEnabled());
        QCOMPARE(dialog.preview(), QStringLiteral("The file already has this size."));
        const QDateTime before = QFileInfo(m_file->path()).lastModified();
        dialog.accept();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Rejected));
        QCOMPARE(QFileInfo(m_file->path()).lastModified(), before);
        // A copy in another file can be written.
        const QString copy = pathOf("copy.yaml");
        dialog.setPath(copy);
        QVERIFY(write->isEnabled());
        dialog.accept();
        QCOMPARE(test::readFile(copy), own);
    }

    void noticesThatTheFileHasChanged()
    {
        opened(own);
        fileWith("config.yaml", QByteArray(own).replace("micro_batch_size: 4", "micro_batch_size: 2"));
        ExportDialog dialog(*m_file, training(4), Theme::light());
        QVERIFY2(dialog.preview().contains(QStringLiteral("has changed since")),
                 qPrintable(dialog.preview()));
        // Writing is possible, but is refused with an explanation.
        QVERIFY(test::buttonOf(dialog, "Write")->isEnabled());
        dialog.accept();
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Rejected));
        VERIFY_CONTAINS(test::readFile(m_file->path()), "\nmicro_batch_size: 2");
    }

    void describesTheBatchOfSeveralDevices()
    {
        const config::BatchPlan plan{.globalBatchSize = 2000, .devices = 4};
        const config::BatchNotKept choice(plan, {.microBatchSize = 96}, {});
        BatchChoiceBox box(plan, 96, choice, nullptr);
        const auto offers = box.findChildren<QRadioButton*>();
        QCOMPARE(offers.at(0)->text(),
                 QStringLiteral("&Fewer: 1920 samples in 5 accumulation steps of 96 on 4 devices"));
        QCOMPARE(box.chosen(), std::nullopt);
        offers.at(1)->click();
        QCOMPARE(box.chosen(), 2304);
    }

    void isReachedByTheKeyboard()
    {
        ExportDialog dialog(opened(trainingArguments), training(12), Theme::light());
        dialog.show();
        dialog.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        dialog.findChild<QLineEdit*>()->setFocus();
        QTest::keyClick(dialog.findChild<QLineEdit*>(), Qt::Key_M, Qt::AltModifier);
        TRY_VERIFY(dialog.preview().contains(QStringLiteral("steps: 6")));
        dialog.findChild<QLineEdit*>()->setFocus();
        const QStringList stops = tabStops(dialog);
        QCOMPARE(stops,
                 (QStringList{QStringLiteral("File to write"), QStringLiteral("Browse…"),
                              QStringLiteral("More: 72 samples on each device in 6 accumulation steps of 12"),
                              QStringLiteral("Lines that change"), QStringLiteral("Write"),
                              QStringLiteral("Cancel")}));
    }

    void givesChangedLinesTheirOwnBackground_data()
    {
        rows<Theme>({{"light", Theme::light()}, {"dark", Theme::dark()}});
    }
    void givesChangedLinesTheirOwnBackground()
    {
        const auto& theme = row<Theme>();
        ExportDialog dialog(opened(own), training(16), theme);
        dialog.resize(700, 500);
        auto* view = dialog.findChild<DiffView*>();
        dialog.grab();
        QCOMPARE(backgroundOf(*view, QStringLiteral("micro_batch_size: 16")), theme.addedLine);
        QCOMPARE(backgroundOf(*view, QStringLiteral("micro_batch_size: 4")), theme.removedLine);
        QCOMPARE(backgroundOf(*view, QStringLiteral("batch_size: 64")), theme.card);
        for (const QColor& ground : {theme.addedLine, theme.removedLine})
            QVERIFY(contrast(theme.text, ground) >= 4.5);
        QVERIFY(contrast(theme.good, theme.addedLine) >= 4.5);
        QVERIFY(contrast(theme.bad, theme.removedLine) >= 4.5);
    }

    void scrollsToTheEndOfLongLines()
    {
        const QByteArray comment = " # " + QByteArray(400, 'x');
        ExportDialog dialog(opened(QByteArray(own).replace(" # tried by hand", comment)), training(16),
                            Theme::light());
        dialog.grab();
        QVERIFY(dialog.findChild<DiffView*>()->horizontalScrollBar()->maximum() > 0);
        QVERIFY(dialog.width() < 1000);
    }
};

BATCHPEAK_TEST(ExportDialogTest)
#include "tst_export_dialog.moc"
