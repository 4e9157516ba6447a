// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "option_values.h"

#include <QStringList>

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// Name of an option, and the values that it takes.
struct OptionWords
{
    /// As it is typed: "--tolerance".
    std::string name;
    /// Placeholder of its value in the help: "PERCENT", or the allowed words, "train|eval"; empty if it is on
    /// or off.
    std::string values;
    /// A line of the help, without the default value.
    std::string help;
    /// Default in words, of options of a training; empty if the help says it or the config decides. Options
    /// of an exploration have none: theirs is the text of the default value.
    std::string defaults = {};
    /// Older name that is still understood; empty if there is none.
    std::string alias = {};

    bool isCalled(std::string_view asked) const
    {
        return asked == name || (!alias.empty() && asked == alias);
    }
    bool isSwitch() const { return values.empty(); }
};

/// One thing that a person may ask of a run: its words, and how it is read from a text and written as one.
/// The command line and the window take their options from tables of these, so that both have all options and
/// accept the same texts.
///
/// What a value means to a config is not checked here: the plan of the run does that.
template<typename Asked>
struct Option : OptionWords
{
    /// Whether it can be given several times.
    bool isRepeated = false;
    /// Reads a value into what is asked; "on" or "off" if the option has no values.
    /// \throws UsageError
    std::function<void(Asked&, const std::string&)> take = {};
    /// Returns the texts that take() would need to arrive at what is asked; none if it contains nothing of
    /// the option.
    std::function<std::vector<std::string>(const Asked&)> texts = {};
    /// Resets the option to its default.
    std::function<void(Asked&)> clear = {};

    /// Whether something else than the default is asked.
    bool isGiven(const Asked& asked) const { return texts(asked) != texts(Asked()); }
};

/// Returns the text that the option writes after reading another text, "1GiB" for "1024MiB"; nothing if that
/// text cannot be read.
template<typename Asked>
std::optional<std::string> normalText(const Option<Asked>& option, const std::string& text)
{
    Asked asked;
    option.clear(asked);
    try {
        option.take(asked, text);
    } catch (const UsageError&) {
        return std::nullopt;
    }
    const auto texts = option.texts(asked);
    return texts.size() == 1 ? std::optional(texts.front()) : std::nullopt;
}

/// \param name  name of an existing option
template<typename Entry>
const Entry& optionNamed(const std::vector<Entry>& table, std::string_view name)
{
    const auto place = std::ranges::find(table, name, &Entry::name);
    if (place == table.end())
        throw std::out_of_range("There is no option " + std::string(name) + ".");
    return *place;
}

/// Returns the words of a command line that ask for the same.
template<typename Entry, typename Asked>
QStringList commandWords(const std::vector<Entry>& table, const Asked& asked)
{
    QStringList words;
    for (const Entry& option : table) {
        if (!option.isGiven(asked))
            continue;
        const QString name = QString::fromStdString(option.name);
        for (const std::string& text : option.texts(asked)) {
            if (option.isSwitch())
                words << (text == "on" ? name : name + QStringLiteral("=off"));
            else
                words << name << QString::fromStdString(text);
        }
    }
    return words;
}

/// Returns \p asked, with the options of these names taken from \p given.
template<typename Entry, typename Asked>
Asked overlaidBy(const std::vector<Entry>& table, Asked asked, const Asked& given, const QStringList& names)
{
    for (const Entry& option : table) {
        if (!names.contains(QLatin1String(option.name.c_str())))
            continue;
        option.clear(asked);
        for (const std::string& text : option.texts(given))
            option.take(asked, text);
    }
    return asked;
}

/// Returns what words of commandWords() ask for; words that are not understood, such as those of a later
/// program, are ignored.
template<typename Asked, typename Entry>
Asked askedBy(const std::vector<Entry>& table, const QStringList& words)
{
    Asked asked;
    for (qsizetype place = 0; place < words.size(); ++place) {
        const QString& word = words.at(place);
        const std::string name = word.section(QLatin1Char('='), 0, 0).toStdString();
        const auto option =
            std::ranges::find_if(table, [&](const Entry& entry) { return entry.isCalled(name); });
        if (option == table.end())
            continue;
        std::string text = word.contains(QLatin1Char('=')) ? "off" : "on";
        if (!option->isSwitch())
            text = words.value(++place).toStdString();
        try {
            option->take(asked, text);
        } catch (const UsageError&) {
            // Such as a file that is gone: the option is at its default again.
            option->clear(asked);
        }
    }
    return asked;
}

} // namespace batchpeak::engine
