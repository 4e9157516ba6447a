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

/// What an option is called and what it takes.
struct OptionWords
{
    /// As it is typed: "--tolerance".
    std::string name;
    /// What stands for its value in the help: "PERCENT", or the words that there are, "train|eval"; empty
    /// where it is on or off.
    std::string values;
    /// A line of the help, without the usual value.
    std::string help;

    bool isSwitch() const { return values.empty(); }
};

/// One thing that a person may ask of a run: its words, and how it is read from a text and written as one.
/// The command line and the window have their options from tables of them, so that both have all of them and
/// take the same texts.
///
/// What a value means to a config is not checked here: the plan of the run does that.
template<typename Asked>
struct Option : OptionWords
{
    /// It can be given several times.
    bool isRepeated = false;
    /// Reads a value into what is asked; "on" or "off" where there are no values.
    /// \throws UsageError
    std::function<void(Asked&, const std::string&)> take = {};
    /// What take() would have to be given for all as it is; nothing where it says nothing.
    std::function<std::vector<std::string>(const Asked&)> texts = {};
    /// Puts it back to what is usual.
    std::function<void(Asked&)> clear = {};

    /// Something else is asked than what is usual.
    bool isGiven(const Asked& asked) const { return texts(asked) != texts(Asked()); }
};

/// The text by which an option is written that is read from another text, "1GiB" for "1024MiB"; nothing where
/// that cannot be read.
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

/// \param name  of one that there is
template<typename Entry>
const Entry& optionNamed(const std::vector<Entry>& table, std::string_view name)
{
    const auto place = std::ranges::find(table, name, &Entry::name);
    if (place == table.end())
        throw std::out_of_range("There is no option " + std::string(name) + ".");
    return *place;
}

/// The words of a command line that ask for the same.
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

/// \p asked with the options of these names as \p given has them.
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

/// What words of commandWords() ask for; words that are not understood, as those of a later program, are left
/// out.
template<typename Asked, typename Entry>
Asked askedBy(const std::vector<Entry>& table, const QStringList& words)
{
    Asked asked;
    for (qsizetype place = 0; place < words.size(); ++place) {
        const QString& word = words.at(place);
        const std::string name = word.section(QLatin1Char('='), 0, 0).toStdString();
        const auto option = std::ranges::find(table, name, &Entry::name);
        if (option == table.end())
            continue;
        std::string text = word.contains(QLatin1Char('=')) ? "off" : "on";
        if (!option->isSwitch())
            text = words.value(++place).toStdString();
        try {
            option->take(asked, text);
        } catch (const UsageError&) {
            // As a file that is gone: the option is usual again.
            option->clear(asked);
        }
    }
    return asked;
}

} // namespace batchpeak::engine
