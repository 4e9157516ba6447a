// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "place.h"

#include "option_values.h"

#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace batchpeak::engine {

namespace {

struct Row
{
    Place::Kind kind;
    const char* word;
    /// Placeholder of the target.
    const char* target;
    bool needsTarget;
};

constexpr std::array rows{
    Row{.kind = Place::Kind::Ssh, .word = "ssh", .target = "HOST", .needsTarget = true},
    Row{.kind = Place::Kind::Slurm, .word = "slurm", .target = "PARTITION", .needsTarget = false},
    Row{.kind = Place::Kind::Podman, .word = "podman", .target = "CONTAINER", .needsTarget = true},
};

constexpr QLatin1String prefix("prefix");

/// Returns the row of "ssh:host" or "slurm"; "ssh" alone is the program.
const Row* rowOf(const QString& first)
{
    const auto row = std::ranges::find_if(rows, [&](const Row& candidate) {
        const QLatin1String word(candidate.word);
        return first.startsWith(word + QLatin1Char(':')) || (!candidate.needsTarget && first == word);
    });
    return row == rows.end() ? nullptr : &*row;
}

QStringList wordsOf(const QString& text)
{
    QStringList words = wordsOfCommand(text);
    if (words.isEmpty())
        throw UsageError("the text of a place is empty; write ssh:HOST, slurm or podman:CONTAINER.");
    return words;
}

QSettings settings()
{
    return {QSettings::IniFormat, QSettings::UserScope, QStringLiteral("batchpeak"),
            QStringLiteral("places")};
}

/// Whether a single word can be a command.
bool isCommand(const QString& word)
{
    return word.contains(QLatin1Char('/')) || !QStandardPaths::findExecutable(word).isEmpty();
}

/// Reads the words of a place; without kind, they are a prefix.
Place placeFromWords(const QStringList& words)
{
    const QString& first = words.front();
    if (const Row* const row = rowOf(first)) {
        Place place{.kind = row->kind, .target = first.section(QLatin1Char(':'), 1), .words = words.mid(1)};
        // What begins with a dash would be an option of ssh or podman.
        if ((row->needsTarget && place.target.isEmpty()) || place.target.startsWith(QLatin1Char('-')))
            throw UsageError(std::string("'") + first.toStdString() + "' names no place; write " + row->word +
                             ":" + row->target + ".");
        return place;
    }
    const bool isNamed = first == prefix && words.size() > 1;
    if (!isNamed && words.size() == 1 && !isCommand(first))
        throw UsageError("'" + first.toStdString() +
                         "' is neither a saved place nor a command; write ssh:HOST, slurm[:PARTITION], "
                         "podman:CONTAINER or \"prefix COMMAND\".");
    return {.words = isNamed ? words.mid(1) : words};
}

} // namespace

QString Place::label() const
{
    if (kind == Kind::Prefix)
        return {};
    // The user of user@host is no part of its name.
    return kind == Kind::Ssh ? target.section(QLatin1Char('@'), -1) : target;
}

bool Place::isComputer() const
{
    return kind == Kind::Ssh || kind == Kind::Podman;
}

Place placeFromText(const QString& text)
{
    const QStringList words = wordsOf(text);
    const QString saved = words.size() == 1 ? savedPlaces().value(words.front()) : QString();
    return placeFromWords(saved.isEmpty() ? words : wordsOf(saved));
}

QString checkedPlace(const std::string& text)
{
    QString place = QString::fromStdString(text).trimmed();
    placeFromText(place);
    return place;
}

QMap<QString, QString> savedPlaces()
{
    const QSettings saved = settings();
    QMap<QString, QString> places;
    for (const QString& name : saved.childKeys())
        places[name] = saved.value(name).toString();
    return places;
}

void checkPlace(const QString& name, const QString& text)
{
    static const QRegularExpression isName(QStringLiteral("\\A[A-Za-z0-9][A-Za-z0-9_.-]*\\z"));
    if (!isName.match(name).hasMatch() || rowOf(name) || name == prefix)
        throw UsageError("'" + name.toStdString() +
                         "' cannot name a place; use letters, digits, '-', '_' and '.', and none of the "
                         "words ssh, slurm, podman and prefix.");
    placeFromWords(wordsOf(text));
}

void savePlace(const QString& name, const QString& text)
{
    checkPlace(name, text);
    QSettings saved = settings();
    saved.setValue(name, text);
    saved.sync();
    if (saved.status() != QSettings::NoError)
        throw UsageError("the place was not saved: " + saved.fileName().toStdString() +
                         " cannot be written. Free space there, or correct its permissions.");
}

bool removePlace(const QString& name)
{
    QSettings saved = settings();
    const bool isThere = saved.contains(name);
    saved.remove(name);
    return isThere;
}

} // namespace batchpeak::engine
