// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "model/enum_names.h"

#include <QByteArray>
#include <QLocale>
#include <QString>
#include <QStringList>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// A request that cannot be followed; the message is a full sentence that says what to do.
class UsageError : public std::runtime_error
{
public:
    explicit UsageError(const std::string& sentence) : std::runtime_error(sentence) {}
};

/// A text that is not a valid value of what it was typed for. Code that knows the name of the value makes the
/// sentence: "Largest size must be a whole number between 1 and 64."
class ValueError : public UsageError
{
public:
    /// \param demand  the part of the sentence after the name: "must be a whole number between %1 and %2"
    /// \param bounds  values of %1 and %2
    ValueError(std::string_view text, const char* demand, std::vector<double> bounds = {});

    /// \param name  what a person calls the typed value, or the option as it is written
    QString sentence(const QString& name, const QLocale& locale) const;
    /// Returns the same sentence for where the text is not visible beside it: "--max must be ..., not '0'."
    QString quotingSentence(const QString& name) const;

private:
    QString m_text;
    const char* m_demand;
    std::vector<double> m_bounds;
};

/// Converts numbers in a text from the notation of a locale, "1,5" and "65.535" in German, to that of
/// options, "1.5" and "65535". Everything else stays as it is.
QString withPlainNumbers(const QString& text, const QLocale& locale);
/// Converts in the opposite direction, without group separators: "1,5".
QString withLocalNumbers(const QString& text, const QLocale& locale);

/// Values as people type them after an option, in any locale. Each function that reads throws ValueError, or
/// UsageError with a sentence that quotes the text and shows a valid one. Functions that write return a text
/// that would be read as the same value.

/// Largest count of samples or tokens that is possible for any run; the config of a run decides what is
/// possible for it.
inline constexpr std::int64_t largestCount = std::int64_t{1} << 40;
/// Largest batch of one optimizer step: a config with more is refused (core/config/config_document.cpp).
inline constexpr std::int64_t largestBatch = std::int64_t{1} << 31;

/// Returns the words of a command, as QProcess::splitCommand() splits them.
QStringList wordsOfCommand(const QString& text);

/// Reads "2GiB", "2G" (the same), "800M", "1.5GB", "6442450944B" [bytes, above 0]. The unit is required: a
/// bare "6" is more often a forgotten unit than six bytes.
std::int64_t bytesFromText(std::string_view text);
/// Writes the bytes in the largest unit of 1024 that makes them a whole number: "2GiB", "6442450943B".
std::string bytesToText(std::int64_t bytes);

/// Reads "10m", "1h30m", "90s", in this order of units, at least one second. The unit is required.
std::chrono::seconds durationFromText(std::string_view text);
/// Writes "1h30m".
std::string durationToText(std::chrono::seconds duration);

/// Reads "8", "8%" or "2.5" [percent] and returns it as a share; from \p lowest to \p highest percent.
double shareFromPercentText(std::string_view text, double lowest, double highest);
/// Writes "8", "2.5".
std::string shareToPercentText(double share);

/// Reads "1", "0.5": a number that is not negative.
double numberFromText(std::string_view text);
/// Writes the shortest text that is read as the same number, without an exponent.
std::string numberToText(double number);

/// Reads "0.0003", "3e-4": a number above 0.
double positiveNumberFromText(std::string_view text);

/// Reads a whole number from \p lowest to \p highest.
std::int64_t countFromText(std::string_view text, std::int64_t lowest, std::int64_t highest);

/// Reads a whole number from 0 to 2^64 - 1.
std::uint64_t seedFromText(std::string_view text);

/// Reads "cpu", "cuda" or "cuda:N", or several of them as "cuda:0-3" or "cuda:0+2", each with the name of a
/// node or place before it if it has one: "n1/cuda:0". It does not check whether there are such devices.
QStringList devicesFromText(const std::string& text);

/// Same as config::settingFromText.
config::Setting settingFromText(const std::string& text);

/// Returns the value that a word stands for; the sentence of the error lists the words.
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

/// Returns the value that a word stands for.
/// \param value  nothing if \p text is none of the words
/// \param choices  the valid words, for the sentence
template<typename Value>
Value known(const std::optional<Value>& value, const std::string& text, const std::string& choices)
{
    if (!value)
        throw UsageError("'" + text + "' is not one of " + choices + ".");
    return *value;
}

/// Reads the lengths of samples from a text with one whole number per line; blank lines and lines that start
/// with # are ignored. More than a thousand lengths are replaced by a thousand quantiles of them.
/// \param name  name of the file, which the sentence states together with the line
std::vector<std::int64_t> sampleLengthsFromText(const QByteArray& text, const QString& name);

/// Reads the lengths from a file; throws also if the file cannot be read.
std::vector<std::int64_t> sampleLengthsFromFile(const QString& path);

} // namespace batchpeak::engine
