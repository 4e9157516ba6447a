// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "ui/form_fields.h"
#include "ui/training_window/training_form.h"
#include "window_fixture.h"

#include <QCheckBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include <functional>
#include <string>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::partOf;
using training::MaximumWay;
using training::TrainingOptions;

namespace {

using Fill = std::function<void(TrainingForm&)>;
using Check = std::function<bool(const TrainingOptions&)>;

Fill writes(const char* name, const char* text)
{
    return [=](TrainingForm& form) { partOf<QLineEdit>(form, name)->setText(QString::fromUtf8(text)); };
}

Fill chooses(const char* name, int value)
{
    return [=](TrainingForm& form) { partOf<ChoiceBox>(form, name)->setValue(value); };
}

Fill both(const Fill& first, const Fill& second)
{
    return [=](TrainingForm& form) {
        first(form);
        second(form);
    };
}

constexpr const char* way = "How the micro-batch size is chosen";
constexpr const char* size = "The micro-batch size";
constexpr const char* maximum = "How the largest size that fits is found first";
constexpr const char* growth = "Growth of the batch";
constexpr const char* length = "The length";
constexpr const char* lengthUnit = "What the length is counted in";
constexpr const char* data = "Where the samples come from";
constexpr const char* text = "Text whose bytes are the tokens";
constexpr const char* arrays = "Folder of .npy files of tokens";
constexpr const char* rate = "The learning rate";
constexpr const char* evaluate = "Evaluate every";
constexpr const char* checkpoints = "Folder for checkpoints";
constexpr const char* saveEvery = "Save every";
constexpr const char* resume = "Checkpoints to go on from";

const auto halving = static_cast<int>(MaximumWay::Halving);
const auto binary = static_cast<int>(MaximumWay::Binary);
const auto textData = static_cast<int>(trial::DataKind::Text);
const auto arrayData = static_cast<int>(trial::DataKind::Arrays);

} // namespace

/// What is chosen in the form, and what becomes of it.
class TrainingFormTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void turnsFieldsIntoOptions_data()
    {
        const auto add = rows<Fill, Check>();
        using Options = const TrainingOptions&;
        add("as it opens", {[](TrainingForm&) {},
                            [](Options o) {
                                return o.halvesAutomatically && !o.maximum && !o.steps && !o.epochs &&
                                       !o.learningRate && o.growth.isEmpty() &&
                                       o.data == trial::DataChoice{.samples = 0} && o.evaluateEvery == 0;
                            }});
        add("the recommended size",
            {[](TrainingForm& form) { form.setRecommended(192); },
             [](Options o) { return o.run.setting == config::Setting(config::Fixed{192}); }});
        add("the whole batch", {chooses(way, TrainingForm::WholeBatch), [](Options o) {
                                    return o.run.setting == config::Setting(config::Whole{}) &&
                                           !o.halvesAutomatically;
                                }});
        add("a size", {both(chooses(way, TrainingForm::Number), writes(size, "1,024")),
                       [](Options o) { return o.run.setting == config::Setting(config::Fixed{1024}); }});
        add("the maximum", {chooses(maximum, binary), [](Options o) {
                                return o.maximum == MaximumWay::Binary && !o.exact &&
                                       !o.halvesAutomatically && !o.run.setting;
                            }});
        add("the exact maximum", {both(chooses(maximum, halving),
                                       [](TrainingForm& form) { form.findChild<QCheckBox*>()->click(); }),
                                  [](Options o) { return o.maximum == MaximumWay::Halving && o.exact; }});
        add("growth up to a maximum",
            {both(both(chooses(maximum, binary), writes(growth, " epoch < 3 ? 4 : 0 ")),
                  both(chooses(way, TrainingForm::Number), writes(size, "8"))),
             [](Options o) {
                 return o.growth == QLatin1String("epoch < 3 ? 4 : 0") && o.maximum == MaximumWay::Binary &&
                        o.run.setting == config::Setting(config::Fixed{8});
             }});
        add("epochs", {writes(length, "3"), [](Options o) { return o.epochs == 3 && !o.steps; }});
        add("steps", {both(chooses(lengthUnit, 0), writes(length, "500")),
                      [](Options o) { return o.steps == 500 && !o.epochs; }});
        add("a text", {both(chooses(data, textData), writes(text, "/data/a.txt")), [](Options o) {
                           return o.data.kind == trial::DataKind::Text && o.data.path == "/data/a.txt";
                       }});
        add("arrays", {both(chooses(data, arrayData), writes(arrays, "tokens")), [](Options o) {
                           return o.data.kind == trial::DataKind::Arrays &&
                                  o.data.path ==
                                      QDir::current().filePath(QStringLiteral("tokens")).toStdString();
                       }});
        add("a learning rate", {writes(rate, "2e-5"), [](Options o) { return o.learningRate == 2e-5; }});
        add("evaluation", {writes(evaluate, "50"), [](Options o) { return o.evaluateEvery == 50; }});
        add("checkpoints", {both(writes(checkpoints, "/run"), writes(saveEvery, "100")), [](Options o) {
                                return o.checkpointFolder == QLatin1String("/run") &&
                                       o.checkpointEvery == 100;
                            }});
        add("going on",
            {writes(resume, "/run"), [](Options o) { return o.resumeFolder == QLatin1String("/run"); }});
    }
    void turnsFieldsIntoOptions()
    {
        const auto& [fill, check] = row<Fill, Check>();
        TrainingForm form;
        fill(form);
        engine::ExplorationOptions base{.headroom = 0.08, .seed = 7};
        const TrainingOptions options = form.options(base);
        QVERIFY(check(options));
        QCOMPARE(options.run.seed, 7U);
        // Composer and torchtune leave none, and neither does training unless it was asked for.
        QCOMPARE(options.run.headroom, 0.0);
    }

    void saysWhichFieldIsWrong_data()
    {
        const auto add = rows<Fill, std::string>();
        add("no size", {chooses(way, TrainingForm::Number), size});
        add("a size of 0", {both(chooses(way, TrainingForm::Number), writes(size, "0")), size});
        add("a size in words", {both(chooses(way, TrainingForm::Number), writes(size, "many")), size});
        add("no length at all", {writes(length, "0"), length});
        add("a broken length", {writes(length, "1.5"), length});
        add("no text", {chooses(data, textData), text});
        add("no arrays", {chooses(data, arrayData), arrays});
        add("a negative rate", {writes(rate, "-1e-4"), rate});
        add("an endless rate", {writes(rate, "inf"), rate});
        add("a negative interval", {writes(evaluate, "-1"), evaluate});
        add("checkpoints nowhere", {writes(saveEvery, "10"), checkpoints});
    }
    void saysWhichFieldIsWrong()
    {
        const auto& [fill, field] = row<Fill, std::string>();
        TrainingForm form;
        fill(form);
        try {
            form.options({});
            QFAIL("nothing was refused");
        } catch (const FormProblem& problem) {
            QCOMPARE(problem.field()->accessibleName().toStdString(), field);
            const QString sentence = QString::fromUtf8(problem.what());
            QVERIFY2(sentence.endsWith(QLatin1Char('.')), qPrintable(sentence));
        }
    }

    void beginsAsTheConfigSays()
    {
        config::ConfigContents contents;
        contents.train = config::BatchPlan{.globalBatchSize = 64, .setting = config::Fixed{4}};
        contents.training = {
            .usesMaximumBatchSize = true, .batchIncreaseFunction = "8", .learningRate = 1e-3};
        TrainingForm form;
        form.setConfig(contents);
        const TrainingOptions options = form.options({});
        QCOMPARE(options.run.setting, config::Setting(config::Fixed{4}));
        QCOMPARE(options.maximum, MaximumWay::Halving);
        QCOMPARE(options.growth, QStringLiteral("8"));
        QVERIFY(!options.learningRate);
        QVERIFY(partOf<QLineEdit>(form, rate)->placeholderText().contains(QStringLiteral("0.001")));
    }

    void enablesOnlyWhatPlaysAPart()
    {
        TrainingForm form;
        auto* wayBox = partOf<ChoiceBox>(form, way);
        auto* exact = form.findChild<QCheckBox*>();
        QVERIFY(wayBox->isEnabled() && !exact->isEnabled());
        partOf<ChoiceBox>(form, maximum)->setValue(binary);
        QVERIFY(!wayBox->isEnabled() && exact->isEnabled());
        partOf<QLineEdit>(form, growth)->setText(QStringLiteral("4"));
        QVERIFY(wayBox->isEnabled());
    }

    void offersARecommendationOnlyWhileThereIsOne()
    {
        TrainingForm form;
        auto* wayBox = partOf<ChoiceBox>(form, way);
        QCOMPARE(wayBox->findData(TrainingForm::Recommended), -1);
        form.setRecommended(12);
        QCOMPARE(wayBox->value(), static_cast<int>(TrainingForm::Recommended));
        form.setRecommended(16);
        QCOMPARE(wayBox->count(), 4);
        QVERIFY(wayBox->currentText().contains(QStringLiteral("16")));
        form.setRecommended(0);
        QCOMPARE(wayBox->findData(TrainingForm::Recommended), -1);
    }

    void canBeFilledInWithoutAMouse()
    {
        TrainingForm form;
        for (const auto* label : form.findChildren<QLabel*>()) {
            if (label->text().contains(QLatin1Char('&')))
                QVERIFY2(label->buddy(), qPrintable(label->text()));
        }
        for (auto* field : form.findChildren<QWidget*>()) {
            const bool isField = qobject_cast<QLineEdit*>(field) || qobject_cast<ChoiceBox*>(field) ||
                                 qobject_cast<QPushButton*>(field);
            if (!isField)
                continue;
            QVERIFY(field->focusPolicy() & Qt::TabFocus);
            QVERIFY(!field->accessibleName().isEmpty());
        }
    }
};

BATCHPEAK_TEST(TrainingFormTest)
#include "tst_training_form.moc"
