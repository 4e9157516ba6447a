// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_table.h"

#include "option_values.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace batchpeak::engine {

namespace {

using Options = ExplorationOptions;
using Texts = std::vector<std::string>;
using Subject = ExplorationOption::Subject;

// A length within this is possible for some run; what is possible for this one, the config says.
constexpr std::int64_t largestSequence = std::int64_t{1} << 24;
constexpr std::int64_t mostTrials = 100000;

const std::string on = "on";
const std::string off = "off";

bool isOn(const std::string& text)
{
    if (text != on && text != off)
        throw UsageError("'" + text + "' is neither on nor off.");
    return text == on;
}

std::string switchText(bool value)
{
    return value ? on : off;
}

std::string countText(std::int64_t count)
{
    return std::to_string(count);
}

std::string plainText(const QString& text)
{
    return text.toStdString();
}

template<model::HasWords Value>
std::string wordOf(Value value)
{
    return std::string(model::toText(value));
}

template<model::HasWords Value>
std::string wordsBetweenBars()
{
    std::string words;
    for (const auto& [value, word] : wordsOf(Value()))
        words += (words.empty() ? "" : "|") + std::string(word);
    return words;
}

constexpr model::WordTable<search::Objective, 2> objectives{
    {{search::Objective::Micro, "micro"}, {search::Objective::Effective, "effective"}}};

std::string strategiesBetween(const std::string& separator)
{
    std::string names;
    for (const auto& name : search::strategyNames())
        names += (names.empty() ? "" : separator) + std::string(name);
    return names;
}

QString strategyFromText(const std::string& text)
{
    const auto names = search::strategyNames();
    if (std::ranges::find(names, text) == names.end()) {
        throw UsageError("'" + text +
                         "' is no strategy that is built in; there is: " + strategiesBetween(", ") + ".");
    }
    return QString::fromStdString(text);
}

template<typename Value, typename Write>
Texts textsOf(const Value& value, Write write)
{
    return {write(value)};
}

template<typename Value, typename Write>
Texts textsOf(const std::optional<Value>& value, Write write)
{
    return value ? Texts{write(*value)} : Texts{};
}

template<typename Write>
Texts textsOf(const QString& value, Write write)
{
    return value.isEmpty() ? Texts{} : Texts{write(value)};
}

struct Words
{
    std::string name;
    std::string values;
    std::string help;
};

/// \param read   the member's value from a text; it throws UsageError
/// \param write  the text of its value
template<typename Member, typename Read, typename Write>
ExplorationOption option(Words words, Subject subject, Member Options::*member, Read read, Write write)
{
    return {.name = std::move(words.name),
            .values = std::move(words.values),
            .help = std::move(words.help),
            .subject = subject,
            .isRepeated = false,
            .take = [=](Options& o, const std::string& text) { o.*member = read(text); },
            .texts = [=](const Options& o) { return textsOf(o.*member, write); },
            .clear = [=](Options& o) { o.*member = Options().*member; }};
}

/// A whole number, absent unless asked for.
ExplorationOption countOption(Words words, Subject subject, std::optional<std::int64_t> Options::*member,
                              std::int64_t least, std::int64_t most)
{
    const auto read = [=](const std::string& text) { return countFromText(text, least, most); };
    return option(std::move(words), subject, member, read, countText);
}

/// A share of 1 that is typed in percent.
ExplorationOption shareOption(Words words, Subject subject, double Options::*member, double least,
                              double most)
{
    const auto read = [=](const std::string& text) { return shareFromPercentText(text, least, most); };
    return option(std::move(words), subject, member, read, shareToPercentText);
}

/// One of the words that a value has, absent unless asked for.
template<model::HasWords Value>
ExplorationOption wordOption(std::string name, std::string help, std::optional<Value> Options::*member)
{
    return option({std::move(name), wordsBetweenBars<Value>(), std::move(help)}, Subject::Run, member,
                  wordFromText<Value>, wordOf<Value>);
}

/// On or off, absent unless asked for.
ExplorationOption switchOption(std::string name, std::string help, std::optional<bool> Options::*member)
{
    return option({std::move(name), {}, std::move(help)}, Subject::Run, member, isOn, switchText);
}

/// Any text; an empty one is none.
ExplorationOption textOption(Words words, QString Options::*member)
{
    const auto read = [](const std::string& text) { return QString::fromStdString(text); };
    return option(std::move(words), Subject::Run, member, read, plainText);
}

constexpr std::string_view bothPhases = "both";

ExplorationOption phaseOption()
{
    const auto words = wordsBetweenBars<model::Phase>() + "|" + std::string(bothPhases);
    return {
        .name = "--phase",
        .values = words,
        .help = "Phase to explore; both is training and then evaluation",
        .subject = Subject::Question,
        .isRepeated = false,
        .take =
            [](Options& o, const std::string& text) {
                o.bothPhases = text == bothPhases;
                o.phase = o.bothPhases ? model::Phase::Train
                                       : known(model::fromText<model::Phase>(text), text,
                                               "train, eval, " + std::string(bothPhases));
            },
        .texts =
            [](const Options& o) { return Texts{o.bothPhases ? std::string(bothPhases) : wordOf(o.phase)}; },
        .clear =
            [](Options& o) {
                o.phase = Options().phase;
                o.bothPhases = false;
            }};
}

ExplorationOption deviceOption()
{
    return {.name = "--device",
            .values = "cpu|cuda|cuda:N",
            .help = "Device to run on, can be given again (every GPU, else the CPU)",
            .subject = Subject::Run,
            .isRepeated = true,
            .take = [](Options& o, const std::string& text) { o.devices << deviceFromText(text); },
            .texts =
                [](const Options& o) {
                    Texts words;
                    std::ranges::transform(o.devices, std::back_inserter(words), plainText);
                    return words;
                },
            .clear = [](Options& o) { o.devices.clear(); }};
}

ExplorationOption sampleLengthsOption()
{
    return {.name = "--sample-lengths",
            .values = "FILE",
            .help = "Lengths of samples as they occur, one a line, instead of the longest for all",
            .subject = Subject::Samples,
            .isRepeated = false,
            .take =
                [](Options& o, const std::string& text) {
                    o.sampleLengths = sampleLengthsFromFile(QString::fromStdString(text));
                    o.sampleLengthsPath = QString::fromStdString(text);
                },
            .texts = [](const Options& o) { return textsOf(o.sampleLengthsPath, plainText); },
            .clear =
                [](Options& o) {
                    o.sampleLengths.clear();
                    o.sampleLengthsPath.clear();
                }};
}

std::vector<ExplorationOption> questionOptions()
{
    constexpr auto subject = Subject::Question;
    const auto objectiveFromText = [](const std::string& text) {
        return known(model::valueFor(objectives, text), text, "micro, effective");
    };
    const auto objectiveText = [](search::Objective value) {
        return std::string(model::wordFor(objectives, value));
    };
    const auto settingText = [](const config::Setting& setting) { return config::toText(setting); };
    return {
        phaseOption(),
        option({"--setting", "explore|auto|N|null", "What to find, instead of the config's micro_batch_size"},
               subject, &Options::setting, settingFromText, settingText),
        countOption({"--min", "N", "Smallest size to consider"}, subject, &Options::minimum, 1, largestCount),
        countOption({"--max", "N", "Largest size to consider"}, subject, &Options::maximum, 1, largestCount),
        option({"--objective", "micro|effective",
                "Maximise the samples/s of a micro-batch, or of whole steps at the config's batch_size"},
               subject, &Options::objective, objectiveFromText, objectiveText),
        shareOption({"--tolerance", "PERCENT", "A size this close to the best is good enough"}, subject,
                    &Options::tolerance, 0.1, 50),
        shareOption({"--confidence", "PERCENT", "Stop when this sure"}, subject, &Options::targetConfidence,
                    1, 99),
        option(
            {"--min-confidence", "PERCENT", "Write no size into a config when less sure (50)"}, subject,
            &Options::minConfidence,
            [](const std::string& text) { return shareFromPercentText(text, 0, 99); }, shareToPercentText)};
}

std::vector<ExplorationOption> runOptions()
{
    constexpr auto subject = Subject::Run;
    const auto seedText = [](std::uint64_t seed) { return std::to_string(seed); };
    return {deviceOption(),
            option({"--memory-limit", "SIZE", "Device memory to use at most, as 2GiB, 2G or 800M"}, subject,
                   &Options::memoryLimitBytes, bytesFromText, bytesToText),
            shareOption({"--headroom", "PERCENT", "Share of the memory kept free"}, subject,
                        &Options::headroom, 0, 90),
            countOption({"--sequence-length", "N", "Tokens in a sample, instead of the config's"}, subject,
                        &Options::sequenceLength, 1, largestSequence),
            wordOption("--precision", "Arithmetic of a step, instead of the config's", &Options::precision),
            wordOption("--optimizer", "Optimizer of a step, instead of the config's", &Options::optimizer),
            switchOption("--activation-checkpointing",
                         "Keep the inputs of layers alone and run them again in backward",
                         &Options::activationCheckpointing),
            countOption({"--loss-chunk", "ROWS",
                         "Project so many tokens at a time onto the vocabulary, 0 for all of them"},
                        subject, &Options::lossChunkRows, 0, largestCount),
            option({"--max-gradient-norm", "NORM", "Scale gradients down to this, 0 for never"}, subject,
                   &Options::maxGradientNorm, numberFromText, numberToText),
            wordOption("--attention", "Kernel that computes attention, where the device has it",
                       &Options::attention),
            switchOption("--channels-last", "Keep images in memory channel by channel of a pixel",
                         &Options::channelsLast),
            switchOption("--cudnn-benchmark", "Let cuDNN time its algorithms for each new shape",
                         &Options::timesConvolutions),
            textOption({"--worker", "COMMAND", "Program that runs the network instead of batchpeak-worker"},
                       &Options::workerCommand),
            textOption({"--launcher", "PREFIX", "Words before the worker's command, as \"ssh host\""},
                       &Options::launcher),
            option({"--seed", "N", "Seed of everything random"}, subject, &Options::seed, seedFromText,
                   seedText)};
}

std::vector<ExplorationOption> searchOptions()
{
    constexpr auto subject = Subject::Search;
    const auto trialsFromText = [](const std::string& text) {
        return static_cast<int>(countFromText(text, 1, mostTrials));
    };
    const auto verifies = [](const std::string& text) { return !isOn(text); };
    const auto verifiesNotText = [](bool verifiesFinalSize) { return switchText(!verifiesFinalSize); };
    return {option({"--strategy", strategiesBetween("|"), "Way of searching"}, subject, &Options::strategy,
                   strategyFromText, plainText),
            option({"--max-trials", "N", "Stop after this many trials"}, subject, &Options::maxTrials,
                   trialsFromText, countText),
            option({"--time-budget", "TIME", "Stop after this time, as 10m or 1h30m"}, subject,
                   &Options::timeBudget, durationFromText, durationToText),
            option({"--no-verify", {}, "Do not measure the final size once more in a fresh process"}, subject,
                   &Options::verify, verifies, verifiesNotText)};
}

} // namespace

bool ExplorationOption::isGiven(const ExplorationOptions& options) const
{
    return texts(options) != texts(ExplorationOptions());
}

const std::vector<ExplorationOption>& explorationOptions()
{
    static const std::vector<ExplorationOption> table = [] {
        std::vector<ExplorationOption> options = questionOptions();
        std::ranges::move(runOptions(), std::back_inserter(options));
        options.push_back(sampleLengthsOption());
        std::ranges::move(searchOptions(), std::back_inserter(options));
        return options;
    }();
    return table;
}

const ExplorationOption& explorationOption(std::string_view name)
{
    const auto& table = explorationOptions();
    const auto place = std::ranges::find(table, name, &ExplorationOption::name);
    if (place == table.end())
        throw std::out_of_range("There is no option " + std::string(name) + ".");
    return *place;
}

QStringList wordsFor(const ExplorationOptions& options)
{
    QStringList words;
    for (const ExplorationOption& option : explorationOptions()) {
        if (!option.isGiven(options))
            continue;
        const QString name = QString::fromStdString(option.name);
        for (const std::string& text : option.texts(options)) {
            if (option.isSwitch())
                words << (text == on ? name : name + QStringLiteral("=off"));
            else
                words << name << QString::fromStdString(text);
        }
    }
    return words;
}

ExplorationOptions overlaid(ExplorationOptions options, const ExplorationOptions& given)
{
    for (const ExplorationOption& option : explorationOptions()) {
        if (!option.isGiven(given))
            continue;
        option.clear(options);
        for (const std::string& text : option.texts(given))
            option.take(options, text);
    }
    return options;
}

ExplorationOptions optionsFrom(const QStringList& words)
{
    ExplorationOptions options;
    const auto& table = explorationOptions();
    for (qsizetype place = 0; place < words.size(); ++place) {
        const QString& word = words.at(place);
        const std::string name = word.section(QLatin1Char('='), 0, 0).toStdString();
        const auto option = std::ranges::find(table, name, &ExplorationOption::name);
        if (option == table.end())
            continue;
        std::string text = word.contains(QLatin1Char('=')) ? off : on;
        if (!option->isSwitch())
            text = words.value(++place).toStdString();
        try {
            option->take(options, text);
        } catch (const UsageError&) {
            // As a file of lengths that is gone: the option is usual again.
            option->clear(options);
        }
    }
    return options;
}

} // namespace batchpeak::engine
