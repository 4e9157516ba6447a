// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint_state_file.h"

#include "files/saved_file.h"
#include "syntax/config_error.h"
#include "tensor_hash.h"
#include "text/errors.h"
#include "text/translated.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <limits>

namespace batchpeak::training {

using engine::Translated;

namespace {

/// Version of the file format, raised if older programs could misread a newer file.
constexpr int formatVersion = 1;
constexpr qint64 maxBytes = 1 << 20;
constexpr auto formatKey = "batchpeak_checkpoint";
constexpr auto hashKey = "tensors_xxh3";
/// Key of the file's own checksum, which is computed with zeros in place of its digits.
constexpr auto ownHashKey = "state_xxh3";
constexpr int hashDigits = 32;

/// Returns the position of an offset in bytes; line and column count from 1, columns in characters.
config::TextPosition positionOf(const QByteArray& text, qsizetype offset)
{
    const QByteArray before = text.left(offset);
    const qsizetype lineStart = before.lastIndexOf('\n') + 1;
    return {.line = static_cast<int>(before.count('\n')) + 1,
            .column = static_cast<int>(QString::fromUtf8(before.mid(lineStart)).size()) + 1};
}

/// Returns the offset of the key, -1 if it is missing. It cannot match within a string, where quotes are
/// escaped.
qsizetype placeOf(const char* key, const QByteArray& text)
{
    return text.indexOf('"' + QByteArray(key) + '"');
}

QString blankHash()
{
    return QString(hashDigits, QLatin1Char('0'));
}

/// Returns the file with its checksum in place of the zeros.
QByteArray withOwnHash(QByteArray text)
{
    const QString hash = hashOf(text);
    const qsizetype place = text.indexOf(blankHash().toUtf8(), placeOf(ownHashKey, text));
    return text.replace(place, hashDigits, hash.toUtf8());
}

/// Reads the members of a state file. It has the text too, in order to locate a wrong member in it.
class StateReader
{
public:
    StateReader(const QString& path, const QByteArray& text) : m_path(path), m_text(text)
    {
        QJsonParseError error;
        m_object = QJsonDocument::fromJson(text, &error).object();
        if (error.error != QJsonParseError::NoError)
            fail(Translated::tr(
                     "The state of a checkpoint cannot be read (%1); resume from another checkpoint.")
                     .arg(error.errorString()),
                 // Qt reports the offset after the unexpected character.
                 std::max(error.offset - 1, 0));
    }

    void requireFormat() const
    {
        const qint64 version = number(formatKey, 1);
        if (version > formatVersion)
            fail(Translated::tr("A newer Batchpeak wrote this checkpoint (format %1; this one knows %2); "
                                "resume with that one.")
                     .arg(QString::number(version), QString::number(formatVersion)),
                 placeOf(formatKey));
    }

    /// Returns the number; 0 if the key is missing.
    std::int64_t numberOrNone(const char* key) const
    {
        return m_object.contains(QLatin1String(key)) ? number(key, 0) : 0;
    }

    std::int64_t number(const char* key, std::int64_t min) const
    {
        const QJsonValue value = m_object[QLatin1String(key)];
        // If the value is not an integer, toInteger() returns its default, whatever that is.
        const qint64 low = value.toInteger(std::numeric_limits<qint64>::min());
        if (value.toInteger(0) != low || low < min)
            fail(Translated::tr("\"%1\" is not a whole number of at least %2, as in each checkpoint; resume "
                                "from another one.")
                     .arg(QLatin1String(key), QString::number(min)),
                 placeOf(key));
        return low;
    }

    /// Checks the file's bytes against its own checksum, if it has one.
    void requireOwnHash() const
    {
        const QString told = textOrNone(ownHashKey);
        if (!m_object.contains(QLatin1String(ownHashKey)))
            return;
        QByteArray blank = m_text;
        const qsizetype place = blank.indexOf(told.toUtf8(), placeOf(ownHashKey));
        if (told.size() != hashDigits || place < 0 ||
            hashOf(blank.replace(place, hashDigits, blankHash().toUtf8())) != told)
            fail(Translated::tr("This is not what was written: the checksum is another one than \"%1\" says; "
                                "resume from another checkpoint.")
                     .arg(QLatin1String(ownHashKey)),
                 -1);
    }

    QString textOrNone(const char* key) const
    {
        return m_object.contains(QLatin1String(key)) ? text(key) : QString();
    }

    QString text(const char* key) const
    {
        const QJsonValue value = m_object[QLatin1String(key)];
        if (!value.isString())
            fail(Translated::tr("\"%1\" is not a text, as in each checkpoint; resume from another one.")
                     .arg(QLatin1String(key)),
                 placeOf(key));
        return value.toString();
    }

private:
    qsizetype placeOf(const char* key) const { return training::placeOf(key, m_text); }

    [[noreturn]] void fail(const QString& sentence, qsizetype offset) const
    {
        const auto position = offset < 0 ? config::TextPosition{} : positionOf(m_text, offset);
        throw engine::located(m_path, config::ConfigError(sentence.toStdString(), position));
    }

    QString m_path;
    QByteArray m_text;
    QJsonObject m_object;
};

/// Checked before opening, since opening a pipe instead of a file would block the program.
bool isRegularFile(const QString& path)
{
    return QFileInfo(path).isFile();
}

QByteArray readText(const QString& path)
{
    if (!isRegularFile(path)) {
        const QString sentence = Translated::tr("This is no regular file, as the state of each checkpoint "
                                                "is; resume from another checkpoint.");
        throw engine::located(path, config::ConfigError(sentence.toStdString()));
    }
    QFile file(path);
    if (file.open(QIODevice::ReadOnly)) {
        QByteArray text = file.read(maxBytes);
        if (file.error() == QFileDevice::NoError)
            return text;
    }
    const QString sentence =
        Translated::tr("The state of a checkpoint cannot be read (%1); check its permissions.")
            .arg(file.errorString());
    throw engine::located(path, config::ConfigError(sentence.toStdString()));
}

QJsonObject objectOf(const StoredState& stored)
{
    const CheckpointState& state = stored.state;
    QJsonObject object{
        {QLatin1String(formatKey), formatVersion},
        {QStringLiteral("serial"), static_cast<qint64>(stored.serial)},
        {QStringLiteral("step"), static_cast<qint64>(state.step)},
        {QStringLiteral("epoch"), static_cast<qint64>(state.epoch)},
        {QStringLiteral("samples_done"), static_cast<qint64>(state.samplesDone)},
        {QStringLiteral("micro_batch_size"), static_cast<qint64>(state.microBatchSize)},
        {QStringLiteral("evaluation_micro_batch_size"), static_cast<qint64>(state.evaluationMicroBatchSize)},
        {QStringLiteral("batch_size"), static_cast<qint64>(state.batchSize)},
        {QStringLiteral("samples"), static_cast<qint64>(state.samples)},
        {QStringLiteral("held_out_samples"), static_cast<qint64>(state.heldOutSamples)},
        {QStringLiteral("thrashing_in_a_row"), state.thrashingInARow},
        {QLatin1String(ownHashKey), blankHash()},
        {QStringLiteral("fingerprint"), state.fingerprint},
        {QStringLiteral("training"), state.training}};
    if (!state.tensorHash.isEmpty())
        object.insert(QLatin1String(hashKey), state.tensorHash);
    return object;
}

} // namespace

void writeStateFile(const QString& path, const StoredState& stored)
{
    const QByteArray text = withOwnHash(QJsonDocument(objectOf(stored)).toJson());
    const QString reason = engine::replaceFile(path, text);
    if (reason.isEmpty())
        return;
    const QString sentence =
        Translated::tr("The state of the checkpoint was not written (%1); make room or set permissions, or "
                       "choose another folder.")
            .arg(reason);
    throw engine::located(path, config::ConfigError(sentence.toStdString()));
}

bool isStateFile(const QString& path)
{
    QFile file(path);
    return isRegularFile(path) && file.open(QIODevice::ReadOnly) && file.read(maxBytes).contains(formatKey);
}

StoredState readStateFile(const QString& path)
{
    const StateReader reader(path, readText(path));
    reader.requireFormat();
    StoredState stored{.state = {.step = reader.number("step", 0),
                                 .epoch = reader.number("epoch", 0),
                                 .samplesDone = reader.number("samples_done", 0),
                                 .microBatchSize = reader.number("micro_batch_size", 1),
                                 .evaluationMicroBatchSize = reader.number("evaluation_micro_batch_size", 1),
                                 .batchSize = reader.number("batch_size", 1),
                                 .samples = reader.numberOrNone("samples"),
                                 .heldOutSamples = reader.numberOrNone("held_out_samples"),
                                 .thrashingInARow = static_cast<int>(reader.number("thrashing_in_a_row", 0)),
                                 .fingerprint = reader.text("fingerprint"),
                                 .training = reader.textOrNone("training"),
                                 .tensorHash = reader.textOrNone(hashKey)},
                       .serial = reader.number("serial", 1)};
    reader.requireOwnHash();
    return stored;
}

} // namespace batchpeak::training
