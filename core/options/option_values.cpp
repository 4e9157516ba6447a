// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_values.h"

#include "config/config_document.h"
#include "text/escaped_text.h"
#include "text/translated.h"

#include <QByteArrayView>
#include <QDeadlineTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <unistd.h>
#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

/// Takes a number without sign or exponent from the front of \p text.
std::optional<double> takeNumber(std::string_view& text)
{
    double value = 0;
    if (text.empty() || text.front() == '-')
        return std::nullopt;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc{} || !std::isfinite(value))
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
}

// A single letter stands for the binary unit, as in ulimit, dd and ls -h.
constexpr std::array<std::pair<std::string_view, double>, 13> byteUnits{{{"b", 1.0},
                                                                         {"k", 1024.0},
                                                                         {"m", 1048576.0},
                                                                         {"g", 1073741824.0},
                                                                         {"t", 1099511627776.0},
                                                                         {"kb", 1e3},
                                                                         {"mb", 1e6},
                                                                         {"gb", 1e9},
                                                                         {"tb", 1e12},
                                                                         {"kib", 1024.0},
                                                                         {"mib", 1048576.0},
                                                                         {"gib", 1073741824.0},
                                                                         {"tib", 1099511627776.0}}};

template<typename Integer>
std::optional<Integer> wholeNumber(std::string_view text)
{
    Integer value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// A line of the trial protocol holds this many, and finer quantiles change no mean that can be measured.
constexpr std::size_t maxLengths = 1000;
// Longer lists say no more, and are more likely a file given by mistake.
constexpr qint64 maxBytes = qint64{64} << 20;
// Longest time that a pipe of another program may take to its end: a window opens only after it.
constexpr std::chrono::seconds longestPipe{5};

std::vector<std::int64_t> quantiles(std::vector<std::int64_t> lengths)
{
    std::ranges::sort(lengths);
    if (lengths.size() <= maxLengths)
        return lengths;
    std::vector<std::int64_t> picked;
    for (std::size_t i = 0; i < maxLengths; ++i)
        picked.push_back(lengths[(2 * i + 1) * lengths.size() / (2 * maxLengths)]);
    return picked;
}

[[noreturn]] void failToRead(const QString& path, const QString& reason)
{
    throw UsageError(QStringLiteral("%1 cannot be read: %2. Pass a file with one length per line.")
                         .arg(path, reason)
                         .toStdString());
}

/// Whether a pipe has more bytes, or has ended, by then.
bool isReady(int descriptor, const QDeadlineTimer& until)
{
    pollfd pipe{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&pipe, 1, static_cast<int>(until.remainingTime())) != 0 && !until.hasExpired();
}

/// Returns all that a file or pipe contains. A pipe that nobody writes to ends at once.
QByteArray bytesIn(const QString& path)
{
    constexpr qsizetype atOnce = 1 << 20;
    QFile file(path);
    const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        failToRead(path, qt_error_string(errno));
    file.open(descriptor, QIODevice::ReadOnly | QIODevice::Unbuffered, QFileDevice::AutoCloseHandle);
    const QDeadlineTimer until(longestPipe);
    QByteArray bytes;
    while (bytes.size() <= maxBytes) {
        const qsizetype before = bytes.size();
        bytes.resize(before + atOnce);
        const ssize_t taken = ::read(descriptor, bytes.data() + before, atOnce);
        const int reason = errno;
        bytes.resize(before + std::max<ssize_t>(taken, 0));
        if (taken == 0)
            return bytes;
        if (taken > 0 || reason == EINTR)
            continue;
        if (reason != EAGAIN)
            failToRead(path, qt_error_string(reason));
        if (!isReady(descriptor, until)) {
            failToRead(path, QStringLiteral("it did not end within %1 seconds")
                                 .arg(static_cast<qint64>(longestPipe.count())));
        }
    }
    throw UsageError(QStringLiteral("%1 is larger than 64 MiB. A random sample of 100,000 lengths is enough: "
                                    "create one with `shuf -n 100000`.")
                         .arg(path)
                         .toStdString());
}

QString demandText(const char* demand, const std::vector<double>& bounds, const QLocale& locale)
{
    QString text = Translated::tr(demand);
    for (const double bound : bounds)
        text = text.arg(locale.toString(bound, 'f', QLocale::FloatingPointShortest));
    return text;
}

QString quotingText(const QString& name, const QString& text, const QString& demand)
{
    return Translated::tr("%1 %2, not '%3'.").arg(name, demand, text);
}

} // namespace

ValueError::ValueError(std::string_view text, const char* demand, std::vector<double> bounds)
    : UsageError(quotingText(Translated::tr("The value"), QString::fromUtf8(text),
                             demandText(demand, bounds, QLocale::c()))
                     .toStdString()),
      m_text(QString::fromUtf8(text)),
      m_demand(demand),
      m_bounds(std::move(bounds))
{}

QString ValueError::sentence(const QString& name, const QLocale& locale) const
{
    return QStringLiteral("%1 %2.").arg(name, demandText(m_demand, m_bounds, locale));
}

QString ValueError::quotingSentence(const QString& name) const
{
    return quotingText(name, m_text, demandText(m_demand, m_bounds, QLocale::c()));
}

namespace {

/// Returns a pattern of QRegularExpression for the separator: white space of any kind if it is white space.
QString patternOf(const QString& separator)
{
    return separator.trimmed().isEmpty() ? QStringLiteral("[ \\x{A0}\\x{202F}]")
                                         : QRegularExpression::escape(separator);
}

} // namespace

QString withPlainNumbers(const QString& text, const QLocale& locale)
{
    const QString group = patternOf(locale.groupSeparator());
    const QString point = patternOf(locale.decimalPoint());
    const QRegularExpression number(
        QStringLiteral("(?<![\\d.,])(?:(\\d{1,3}(?:%1\\d{3})+)(?:%2(\\d+))?|(\\d+)%2(\\d+))(?![\\d.,])")
            .arg(group, point));
    QString plain;
    qsizetype end = 0;
    for (auto matches = number.globalMatch(text); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        const QString whole = match.captured(1).remove(QRegularExpression(group)) + match.captured(3);
        const QString fraction = match.captured(2) + match.captured(4);
        plain += text.mid(end, match.capturedStart() - end) + whole +
                 (fraction.isEmpty() ? QString() : QLatin1Char('.') + fraction);
        end = match.capturedEnd();
    }
    return plain + text.mid(end);
}

QString withLocalNumbers(const QString& text, const QLocale& locale)
{
    static const QRegularExpression point(QStringLiteral("(?<=\\d)\\.(?=\\d)"));
    return QString(text).replace(point, locale.decimalPoint());
}

QStringList wordsOfCommand(const QString& text)
{
    // An unterminated quote would include what follows, too.
    const QString follows = QStringLiteral("x");
    QStringList words = QProcess::splitCommand(text + QLatin1Char(' ') + follows);
    if (words.takeLast() != follows)
        throw UsageError("'" + text.toStdString() +
                         "' has an unclosed quote. Close it, or write \"\"\" for a literal quote.");
    return words;
}

std::int64_t bytesFromText(std::string_view text)
{
    std::string_view rest = text;
    const auto number = takeNumber(rest);
    while (!rest.empty() && rest.front() == ' ')
        rest.remove_prefix(1);
    const std::string unit = lowerCase(rest);
    const auto known = std::ranges::find(byteUnits, unit, &std::pair<std::string_view, double>::first);
    if (!number || known == byteUnits.end()) {
        throw ValueError(text, QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues",
                                                 "must be an amount of memory with its unit, such as 2G, "
                                                 "2GiB (both count in 1,024s) or 2GB"));
    }
    const double bytes = std::floor(*number * known->second);
    // 2^62: anything beyond is a typing mistake, and products of it stay within 64 bits.
    if (bytes < 1 || bytes > 0x1p62)
        throw ValueError(text, QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues",
                                                 "must be an amount of memory that a device can have"));
    return static_cast<std::int64_t>(bytes);
}

std::string bytesToText(std::int64_t bytes)
{
    constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (unit + 1 < units.size() && bytes % 1024 == 0) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + units.at(unit);
}

std::chrono::seconds durationFromText(std::string_view text)
{
    const ValueError error(text, QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues",
                                                   "must be a length of time, such as 90s, 10m or 1h30m"));
    // Ten years: longer than any exploration, and far from overflow.
    constexpr double longest = 10.0 * 365 * 24 * 3600;
    constexpr std::array<std::pair<char, double>, 3> units{{{'h', 3600.0}, {'m', 60.0}, {'s', 1.0}}};

    std::string_view rest = text;
    double seconds = 0;
    auto nextUnit = units.begin();
    while (!rest.empty()) {
        const auto number = takeNumber(rest);
        if (!number || rest.empty())
            throw error;
        const auto unit = std::find_if(
            nextUnit, units.end(), [&](const auto& candidate) { return candidate.first == rest.front(); });
        if (unit == units.end())
            throw error;
        rest.remove_prefix(1);
        nextUnit = unit + 1;
        seconds += *number * unit->second;
    }
    if (!(seconds >= 1))
        throw error;
    if (seconds > longest)
        throw ValueError(text,
                         QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues", "must be at most ten years"));
    return std::chrono::seconds(static_cast<std::int64_t>(seconds));
}

std::string durationToText(std::chrono::seconds duration)
{
    std::string text;
    auto rest = duration.count();
    for (const auto& [seconds, letter] : {std::pair(3600, 'h'), std::pair(60, 'm'), std::pair(1, 's')}) {
        if (rest >= seconds)
            text += std::to_string(rest / seconds) + letter;
        rest %= seconds;
    }
    return text;
}

double shareFromPercentText(std::string_view text, double lowest, double highest)
{
    std::string_view rest = text;
    const auto percent = takeNumber(rest);
    if (!percent || !(rest.empty() || rest == "%") || *percent < lowest || *percent > highest) {
        throw ValueError(
            text,
            QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues", "must be a percentage between %1 and %2"),
            {lowest, highest});
    }
    return *percent / 100;
}

std::string shareToPercentText(double share)
{
    // A typed percentage has few digits; further ones come from the division.
    constexpr double digits = 1e9;
    return numberToText(std::round(share * 100 * digits) / digits);
}

double numberFromText(std::string_view text)
{
    std::string_view rest = text;
    const auto number = takeNumber(rest);
    if (!number || !rest.empty())
        throw ValueError(
            text, QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues", "must be a number of 0 or more"));
    return *number;
}

std::string numberToText(double number)
{
    // The longest of all numbers has 309 digits before its point.
    std::array<char, 400> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    return {text.data(), error == std::errc{} ? end : text.data()};
}

double positiveNumberFromText(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
        throw ValueError(text, QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues",
                                                 "must be a number above 0, such as 3e-4"));
    return value;
}

std::int64_t countFromText(std::string_view text, std::int64_t lowest, std::int64_t highest)
{
    const auto count = wholeNumber<std::int64_t>(text);
    if (!count || *count < lowest || *count > highest) {
        // If only the width of an integer bounds it, the bound tells nobody anything.
        if (highest == std::numeric_limits<std::int64_t>::max()) {
            throw ValueError(
                text,
                QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues", "must be a whole number of at least %1"),
                {static_cast<double>(lowest)});
        }
        throw ValueError(
            text,
            QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues", "must be a whole number between %1 and %2"),
            {static_cast<double>(lowest), static_cast<double>(highest)});
    }
    return *count;
}

std::uint64_t seedFromText(std::string_view text)
{
    const auto seed = wholeNumber<std::uint64_t>(text);
    if (!seed) {
        throw ValueError(text, QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues",
                                                 "must be a whole number between 0 and 2^64 - 1"));
    }
    return *seed;
}

QStringList devicesFromText(const std::string& text)
{
    static const QRegularExpression pattern(
        QStringLiteral("^([^/ ]+/)?(cpu|cuda(?::([0-9]{1,4})(?:-([0-9]{1,4})|((?:\\+[0-9]{1,4})*)))?)$"));
    const auto match = pattern.match(QString::fromStdString(text));
    if (!match.hasMatch())
        throw UsageError("'" + text +
                         "' is not a device. Write cpu, cuda or cuda:N, cuda:0-3 for several, or "
                         "NAME/cuda:N for one of a node or place; `batchpeak devices` lists the devices.");
    if (match.captured(3).isEmpty())
        return {match.captured(0)};
    const QString begin = match.captured(1) + QStringLiteral("cuda:");
    const int first = match.captured(3).toInt();
    QStringList devices;
    for (int index = first; index <= std::max(first, match.captured(4).toInt()); ++index)
        devices << begin + QString::number(index);
    for (const QString& index : match.captured(5).split(QLatin1Char('+'), Qt::SkipEmptyParts))
        devices << begin + index;
    return devices;
}

config::Setting settingFromText(const std::string& text)
{
    try {
        const config::Setting setting = config::settingFromText(text);
        const bool isSize = std::holds_alternative<config::Fixed>(setting);
        return isSize ? config::Fixed{countFromText(text, 1, largestBatch)} : setting;
    } catch (const config::ConfigError& error) {
        throw UsageError(error.what());
    }
}

std::vector<std::int64_t> sampleLengthsFromText(const QByteArray& text, const QString& name)
{
    constexpr qsizetype longestQuote = 40;
    std::vector<std::int64_t> lengths;
    lengths.reserve(static_cast<std::size_t>(text.count('\n') + 1));
    QByteArrayView rest(text);
    // Editors of Windows start a file with it.
    if (constexpr QByteArrayView byteOrderMark("\xEF\xBB\xBF"); rest.startsWith(byteOrderMark))
        rest = rest.sliced(byteOrderMark.size());
    for (int lineNumber = 1; !rest.isEmpty(); ++lineNumber) {
        const qsizetype end = rest.indexOf('\n');
        const QByteArrayView word = (end < 0 ? rest : rest.first(end)).trimmed();
        rest = end < 0 ? QByteArrayView() : rest.sliced(end + 1);
        if (word.isEmpty() || word.startsWith('#'))
            continue;
        const auto length = wholeNumber<std::int64_t>({word.data(), static_cast<std::size_t>(word.size())});
        if (!length || *length < 1)
            throw UsageError(
                QStringLiteral(
                    "%1:%2: '%3' is not a sample length. Write one whole number of at least 1 per line.")
                    .arg(name)
                    .arg(lineNumber)
                    .arg(escapeControls(QString::fromUtf8(word.first(std::min(word.size(), longestQuote)))))
                    .toStdString());
        lengths.push_back(*length);
    }
    if (lengths.empty())
        throw UsageError(QStringLiteral("%1 has no sample lengths. Write one whole number per line.")
                             .arg(name)
                             .toStdString());
    return quantiles(std::move(lengths));
}

std::vector<std::int64_t> sampleLengthsFromFile(const QString& path)
{
    return sampleLengthsFromText(bytesIn(path), path);
}

} // namespace batchpeak::engine
