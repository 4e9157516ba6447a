// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"
#include "option.h"

#include <QDir>
#include <QFileInfo>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace batchpeak::engine {

/// Functions that make the kinds of options that tables consist of, each for one member of what is asked.

using OptionTexts = std::vector<std::string>;

inline bool isOnFromText(const std::string& text)
{
    if (text != "on" && text != "off")
        throw UsageError("'" + text + "' must be on or off.");
    return text == "on";
}

inline std::string switchText(bool value)
{
    return value ? "on" : "off";
}

/// Returns a path that is valid in whatever folder it is read later. It does not resolve links, by which an
/// interpreter finds its environment.
inline QString wholePath(const QString& path)
{
    return QDir::cleanPath(QFileInfo(path).absoluteFilePath());
}

inline QString anyFromText(const std::string& text)
{
    return QString::fromStdString(text);
}

inline std::string anyText(const QString& text)
{
    return text.toStdString();
}

inline std::string countText(std::int64_t count)
{
    return std::to_string(count);
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

template<typename Value, typename Write>
OptionTexts textsOf(const Value& value, Write write)
{
    return {write(value)};
}

template<typename Value, typename Write>
OptionTexts textsOf(const std::optional<Value>& value, Write write)
{
    return value ? OptionTexts{write(*value)} : OptionTexts{};
}

template<typename Write>
OptionTexts textsOf(const QString& value, Write write)
{
    return value.isEmpty() ? OptionTexts{} : OptionTexts{write(value)};
}

/// \param read   returns the member's value from a text; it throws UsageError
/// \param write  returns the text of its value
template<typename Asked, typename Member, typename Read, typename Write>
Option<Asked> option(OptionWords words, Member Asked::*member, Read read, Write write)
{
    Option<Asked> made{std::move(words)};
    made.take = [=](Asked& asked, const std::string& text) { asked.*member = read(text); };
    made.texts = [=](const Asked& asked) { return textsOf(asked.*member, write); };
    made.clear = [=](Asked& asked) { asked.*member = Asked().*member; };
    return made;
}

/// Makes an option for a whole number, absent unless asked for.
template<typename Asked>
Option<Asked> countOption(OptionWords words, std::optional<std::int64_t> Asked::*member, std::int64_t min,
                          std::int64_t max)
{
    const auto read = [=](const std::string& text) { return countFromText(text, min, max); };
    return option(std::move(words), member, read, countText);
}

/// Makes an option for a share of 1 that is typed in percent.
template<typename Asked>
Option<Asked> shareOption(OptionWords words, double Asked::*member, double min, double max)
{
    const auto read = [=](const std::string& text) { return shareFromPercentText(text, min, max); };
    return option(std::move(words), member, read, shareToPercentText);
}

/// Makes an option for one of the words of a value, absent unless asked for.
template<typename Asked, model::HasWords Value>
Option<Asked> wordOption(std::string name, std::string help, std::optional<Value> Asked::*member)
{
    return option(OptionWords{std::move(name), wordsBetweenBars<Value>(), std::move(help)}, member,
                  wordFromText<Value>, wordOf<Value>);
}

/// Makes an option that is on or off; absent unless asked for, if the member can be absent.
template<typename Asked, typename Switch>
Option<Asked> switchOption(std::string name, std::string help, Switch Asked::*member)
{
    return option(OptionWords{std::move(name), {}, std::move(help)}, member, isOnFromText, switchText);
}

/// Makes an option for any text; an empty text means none.
template<typename Asked>
Option<Asked> textOption(OptionWords words, QString Asked::*member)
{
    return option(std::move(words), member, anyFromText, anyText);
}

} // namespace batchpeak::engine
