// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "model/enum_names.h"

#include <QByteArray>
#include <QLocale>
#include <QString>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// Something that a person asked for cannot be followed, as a full sentence that says what to do.
class UsageError : public std::runtime_error
{
public:
    explicit UsageError(const std::string& sentence) : std::runtime_error(sentence) {}
};

/// A text that is no value of what it was typed for. Whoever knows what that is called makes the sentence:
/// "Largest size must be a whole number between 1 and 64."
class ValueError : public UsageError
{
public:
    /// \param demand  what stands behind the name: "must be a whole number between %1 and %2"
    /// \param bounds  in the places of %1 and %2
    ValueError(std::string_view text, const char* demand, std::vector<double> bounds = {});

    /// \param name  as a person calls what was typed, or as the option is written
    QString sentence(const QString& name, const QLocale& locale) const;
    /// The same where the text does not stand beside it: "--max must be ..., not '0'."
    QString quotingSentence(const QString& name) const;

private:
    QString m_text;
    const char* m_demand;
    std::vector<double> m_bounds;
};

/// Numbers in a text that are written as people of a locale write them, "1,5" and "65.535" in German, as
/// options take them: "1.5", "65535". All else stays as it is.
QString withPlainNumbers(const QString& text, const QLocale& locale);
/// The other way, without groups of digits: "1,5".
QString withLocalNumbers(const QString& text, const QLocale& locale);

/// Values as people type them behind an option, whatever the locale. Each function that reads throws
/// ValueError, or UsageError with a sentence that quotes the text and shows a good one; those that write give
/// what would be read as the same value.

/// A count of samples or tokens up to this is possible for some run; what is possible for one, its config
/// says.
inline constexpr std::int64_t largestCount = std::int64_t{1} << 40;
/// Of one optimizer step: a config with more is refused (core/config/config_document.cpp).
inline constexpr std::int64_t largestBatch = std::int64_t{1} << 31;

/// "2GiB", "2G", the same, "800M", "1.5GB", "6442450944B" [bytes, above 0]. The unit must be there: a bare
/// "6" is more often a forgotten unit than six bytes.
std::int64_t bytesFromText(std::string_view text);
/// In the largest unit of 1024 that makes it a whole number: "2GiB", "6442450943B".
std::string bytesToText(std::int64_t bytes);

/// "10m", "1h30m", "90s", in this order of units, at least one second. The unit must be there.
std::chrono::seconds durationFromText(std::string_view text);
/// "1h30m"
std::string durationToText(std::chrono::seconds duration);

/// "8", "8%" or "2.5" [percent], returned as a share; from \p lowest to \p highest percent.
double shareFromPercentText(std::string_view text, double lowest, double highest);
/// "8", "2.5"
std::string shareToPercentText(double share);

/// "1", "0.5": a number that is not negative.
double numberFromText(std::string_view text);
/// The shortest that is read as the same number, without an exponent.
std::string numberToText(double number);

/// "0.0003", "3e-4": a number above 0.
double positiveNumberFromText(std::string_view text);

/// A whole number from \p lowest to \p highest.
std::int64_t countFromText(std::string_view text, std::int64_t lowest, std::int64_t highest);

/// A whole number from 0 to 2^64 - 1.
std::uint64_t seedFromText(std::string_view text);

/// "cpu", "cuda" or "cuda:N"; whether there is such a device is not asked.
QString deviceFromText(const std::string& text);

/// As config::settingFromText.
config::Setting settingFromText(const std::string& text);

/// The value that a word stands for; the sentence lists the words.
template<model::HasWords Value>
Value wordFromText(const std::string& text)
{
    if (const auto value = model::fromText<Value>(text))
        return *value;
    std::string words;
    for (const auto& [value, word] : wordsOf(Value()))
        words += (words.empty() ? "" : ", ") + std::string(word);
    throw UsageError("'" + text + "' is not one of " + words + ".");
}

/// The value that a word stands for.
/// \param value  nothing where \p text is none of the words
/// \param choices  the words that there are, for the sentence
template<typename Value>
Value known(const std::optional<Value>& value, const std::string& text, const std::string& choices)
{
    if (!value)
        throw UsageError("'" + text + "' is not one of " + choices + ".");
    return *value;
}

/// The lengths of samples in a text of one whole number a line, blank lines and lines that start with #
/// left out; of more than a thousand, as many quantiles of them.
/// \param name  of the file, which the sentence names with the line
std::vector<std::int64_t> sampleLengthsFromText(const QByteArray& text, const QString& name);

/// Throws also where the file cannot be read.
std::vector<std::int64_t> sampleLengthsFromFile(const QString& path);

} // namespace batchpeak::engine
