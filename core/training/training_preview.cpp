// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_preview.h"

#include "training_option_table.h"
#include "training_plan.h"

#include <exception>

namespace batchpeak::training {

namespace {

using config::ConfigContents;
using engine::OptionPreview;
using engine::Origin;

TrainingOptions baseOf(const TrainingChoices& choices)
{
    TrainingOptions base = trainingOptions(choices.exploration);
    base.run.setting.reset();
    // A training runs on one device.
    base.run.devices = base.run.devices.mid(0, 1);
    if (choices.recommended > 0)
        base.run.setting = config::Fixed{choices.recommended};
    return base;
}

TrainingOptions optionsOf(const TrainingOptions& base, const TrainingChoices& choices,
                          const ConfigContents& contents)
{
    TrainingOptions options = base;
    for (const auto& [name, text] : choices.given) {
        const TrainingOption& option = trainingOption(name);
        option.clear(options);
        option.take(options, text);
    }
    for (const TrainingOption& option : trainingOptionTable()) {
        if (!playsAPart(option.name, options, contents.training))
            option.clear(options);
    }
    return options;
}

/// Returns the options, with absent ones set from the plan.
TrainingOptions filledIn(TrainingOptions options, const TrainingPlan& plan, const ConfigContents& contents)
{
    options.learningRate = plan.request.learningRate;
    options.weighting = plan.request.weighting;
    options.maximum = plan.description.maximum;
    options.epochs = plan.length.epochs;
    if (options.data.kind == trial::DataKind::Synthetic)
        options.data.samples = plan.request.data.samples;
    if (options.growth.isEmpty())
        options.growth = QString::fromStdString(contents.training.batchIncreaseFunction);
    if (!options.run.setting && playsAPart("--setting", options, contents.training)) {
        options.run.setting = plan.description.run.plan.setting;
        options.halvesAutomatically = plan.sizes.halves;
    }
    return options;
}

bool configSays(const std::string& option, const ConfigContents& contents)
{
    const config::TrainingSettings& settings = contents.training;
    if (option == "--setting")
        return contents.train && contents.train->writtenSize();
    if (option == "--maximum")
        return settings.usesMaximumBatchSize;
    if (option == "--grow")
        return !settings.batchIncreaseFunction.empty();
    if (option == "--learning-rate")
        return settings.learningRate.has_value();
    if (option == "--weight-by")
        return settings.weighsTokens.has_value();
    return engine::placeOf(option, contents, model::Phase::Train).has_value();
}

Origin originOf(const TrainingOption& option, const TrainingOptions& base, const TrainingChoices& choices,
                const ConfigContents& contents)
{
    if (choices.given.contains(option.name))
        return Origin::Yours;
    if (option.isGiven(base))
        return Origin::Explored;
    return configSays(option.name, contents) ? Origin::Config : Origin::Default;
}

} // namespace

TrainingPreview previewOn(const QString& filePath, const ConfigContents& contents,
                          const TrainingChoices& choices)
{
    const TrainingOptions base = baseOf(choices);
    TrainingPreview preview{.options = optionsOf(base, choices, contents)};
    TrainingOptions filled = preview.options;
    filled.run = engine::filledIn(filled.run, contents);
    try {
        checkTrainingOptions(preview.options);
        checkAgainstConfig(preview.options, contents.training);
        filled = filledIn(filled, planTraining(filePath, contents, preview.options), contents);
    } catch (const std::exception& error) {
        preview.problem = QString::fromUtf8(error.what());
    }
    for (const TrainingOption& option : trainingOptionTable()) {
        OptionPreview field{.name = option.name,
                            .origin = originOf(option, base, choices, contents),
                            .playsAPart = playsAPart(option.name, preview.options, contents.training)};
        QStringList texts;
        for (const std::string& text : option.texts(filled))
            texts << QString::fromStdString(text);
        field.text = texts.join(QLatin1String(", "));
        if (field.origin == Origin::Config)
            field.place =
                engine::placeText(engine::placeOf(option.name, contents, model::Phase::Train), contents);
        preview.fields.push_back(std::move(field));
    }
    return preview;
}

} // namespace batchpeak::training
