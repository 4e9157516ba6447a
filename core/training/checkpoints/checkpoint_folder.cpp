// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint_folder.h"

#include "checkpoint_state_file.h"
#include "files/saved_file.h"
#include "store/program_lock.h"
#include "syntax/config_error.h"
#include "text/errors.h"
#include "text/translated.h"
#include "training_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <system_error>
#include <vector>

namespace batchpeak::training {

using engine::Translated;

namespace {

[[noreturn]] void fail(const QString& path, int error)
{
    const QString sentence =
        Translated::tr("The checkpoint was not written (%1); make room or set permissions, or choose another "
                       "folder.")
            .arg(QString::fromStdString(std::generic_category().message(error)));
    throw engine::located(path, config::ConfigError(sentence.toStdString()));
}

/// Exchanges two folders. On file systems without this operation, the caller renames the old folder first.
bool exchange(const QByteArray& one, const QByteArray& other)
{
    return ::renameat2(AT_FDCWD, one.constData(), AT_FDCWD, other.constData(), RENAME_EXCHANGE) == 0;
}

/// \throws config::ConfigError
void syncToDisk(const QString& path)
{
    if (const std::error_code error = engine::syncToDisk(path))
        fail(path, error.value());
}

/// \return 0, or errno
int rename(const QString& from, const QString& to)
{
    const QByteArray name = QFile::encodeName(from);
    return ::rename(name.constData(), QFile::encodeName(to).constData()) == 0 ? 0 : errno;
}

/// The checkpoint to resume from, and the one before it in case the first is damaged.
constexpr std::size_t keptCheckpoints = 2;

const QString unfinishedEnding = QStringLiteral(".unfinished");
/// Ending of a checkpoint that is being removed, so that a partly removed checkpoint does not have the name
/// of a complete one.
const QString replacedEnding = QStringLiteral(".replaced") + unfinishedEnding;

/// Gives a folder its final name. If a folder of that name exists, the two are exchanged, so that the name
/// always exists. removeLeftOnes() removes the old folder.
/// \throws config::ConfigError
void giveName(const QString& folder, const QString& name)
{
    if (QDir(name).exists()) {
        if (exchange(QFile::encodeName(folder), QFile::encodeName(name)))
            return;
        (void)rename(name, name + replacedEnding);
    }
    if (const int error = rename(folder, name))
        fail(folder, error);
}

[[noreturn]] void fail(const QString& path, const QString& sentence)
{
    throw engine::located(path, config::ConfigError(sentence.toStdString()));
}

QString tensorsIn(const QString& checkpoint)
{
    return QDir(checkpoint).filePath(QStringLiteral("tensors.safetensors"));
}

QString stateIn(const QString& checkpoint)
{
    return QDir(checkpoint).filePath(QStringLiteral("state.json"));
}

const QString nameOfFinished = QStringLiteral("^step-(\\d{6,})");

/// Returns the step in the name of a checkpoint's folder; -1 if the user has named the folder.
std::int64_t stepInName(const QString& checkpoint)
{
    const auto name =
        QRegularExpression(nameOfFinished + QLatin1Char('$')).match(QFileInfo(checkpoint).fileName());
    return name.hasMatch() ? name.captured(1).toLongLong() : -1;
}

/// \throws config::ConfigError  if it cannot be read, is damaged, or belongs to another step than the
///         folder's name says
StoredState readState(const QString& checkpoint)
{
    StoredState stored = readStateFile(stateIn(checkpoint));
    const std::int64_t step = stepInName(checkpoint);
    if (step >= 0 && step != stored.state.step)
        fail(stateIn(checkpoint),
             Translated::tr("This is the state of step %1, where its folder has the name "
                            "of another; resume from another checkpoint.")
                 .arg(stored.state.step));
    return stored;
}

QString finishedPath(const QString& folder, std::int64_t step)
{
    return QDir(folder).absoluteFilePath(QStringLiteral("step-%1").arg(step, 6, 10, QLatin1Char('0')));
}

/// Returns the entries of \p folder whose names begin like those of checkpoints and continue with \p ending.
QStringList entriesOf(const QString& folder, const QString& ending, QDir::Filters kinds)
{
    const QRegularExpression name(nameOfFinished + QRegularExpression::escape(ending) + QLatin1Char('$'));
    QStringList paths;
    const QDir dir(folder);
    for (const QFileInfo& entry : dir.entryInfoList(kinds | QDir::NoDotAndDotDot)) {
        if (name.match(entry.fileName()).hasMatch())
            paths.append(entry.absoluteFilePath());
    }
    return paths;
}

QStringList foldersIn(const QString& folder, const QString& ending)
{
    return entriesOf(folder, ending, QDir::Dirs | QDir::NoSymLinks);
}

/// Removes the remains of checkpoints that were being written or removed.
void removeLeftOnes(const QString& folder)
{
    for (const QString& ending : {unfinishedEnding, replacedEnding}) {
        for (const QString& left : foldersIn(folder, ending))
            QDir(left).removeRecursively();
    }
}

/// Throws if something other than a checkpoint has the name, since it must not be replaced.
void refuseToReplace(const QString& finished)
{
    const QFileInfo there(finished);
    if ((there.exists() || there.isSymLink()) && !isStateFile(stateIn(finished)))
        fail(finished, Translated::tr("Something that is no checkpoint has the name of one; move it away, or "
                                      "choose another folder for checkpoints."));
}

struct Written
{
    QString path;
    StoredState stored;
};

/// Returns the complete checkpoints, the newest first.
/// \param damaged  called for a checkpoint whose state cannot be read, with its path and the error
template<typename Damaged>
std::vector<Written> writtenIn(const QString& folder, const Damaged& damaged)
{
    std::vector<Written> found;
    for (const QString& path : foldersIn(folder, QString())) {
        if (!QFileInfo::exists(stateIn(path)))
            continue;
        try {
            found.push_back({.path = path, .stored = readState(path)});
        } catch (const config::ConfigError& error) {
            damaged(path, error);
        }
    }
    std::ranges::sort(found, std::ranges::greater(), [](const Written& one) { return one.stored.serial; });
    return found;
}

std::vector<Written> soundOnesIn(const QString& folder)
{
    return writtenIn(folder, [](const QString&, const config::ConfigError&) {});
}

/// \throws config::ConfigError  the error of a damaged checkpoint, unless it is older than the newest intact
///         one
std::optional<Written> newestIn(const QString& folder)
{
    std::int64_t damagedStep = -1;
    std::optional<config::ConfigError> damage;
    const auto found = writtenIn(folder, [&](const QString& path, const config::ConfigError& error) {
        if (const std::int64_t step = stepInName(path); step > damagedStep) {
            damagedStep = step;
            damage = error;
        }
    });
    if (damage && (found.empty() || damagedStep > found.front().stored.state.step))
        throw config::ConfigError(*damage);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

bool hasTensors(const Written& written)
{
    return QFileInfo(tensorsIn(written.path)).isFile();
}

/// Throws \p error for a checkpoint that cannot be resumed, and adds the name of one that can.
/// \param checkpoint  refused checkpoint, or the folder that contains it
[[noreturn]] void refuse(const config::ConfigError& error, const QString& checkpoint)
{
    const bool isAmongOthers = QFileInfo::exists(stateIn(checkpoint));
    const std::vector<Written> sound = soundOnesIn(isAmongOthers ? QFileInfo(checkpoint).path() : checkpoint);
    const auto whole = std::ranges::find_if(sound, hasTensors);
    const QString instead = resumeWholeText(whole == sound.end() ? QString() : whole->path);
    throw config::ConfigError(error.what() + (' ' + instead.toStdString()));
}

/// \throws config::ConfigError
void requireTensors(const QString& checkpoint)
{
    const QString tensors = tensorsIn(checkpoint);
    const QFileInfo there(tensors);
    if (there.isFile())
        return;
    fail(tensors, there.exists()
                      ? Translated::tr("This is no regular file, as the tensors of each checkpoint are; "
                                       "resume from another checkpoint.")
                      : Translated::tr("This file with the tensors of the checkpoint is missing; resume from "
                                       "another checkpoint."));
}

void makeFolder(const QString& path)
{
    if (const std::error_code error = engine::makeFolder(path))
        fail(path, Translated::tr("The folder for checkpoints cannot be made (%1); choose another, or set "
                                  "permissions.")
                       .arg(QString::fromStdString(error.message())));
}

QString lockIn(const QString& folder)
{
    return QDir(QFileInfo(folder).canonicalFilePath()).filePath(QStringLiteral(".training.lock"));
}

/// Returns the lock of a folder, of which a program has only one, since it may set up a training while its
/// previous one still exists.
std::shared_ptr<store::ProgramLock> lockOf(const QString& path)
{
    using Outcome = store::ProgramLock::Outcome;
    static QHash<QString, std::weak_ptr<store::ProgramLock>> locks;
    const QString name = lockIn(path);
    auto lock = locks.value(name).lock();
    if (lock && lock->isInForce())
        return lock;
    lock = std::make_shared<store::ProgramLock>(name);
    const Outcome outcome = lock->take();
    if (outcome == Outcome::NoFile)
        fail(path, Translated::tr("Nothing can be written into this folder; set permissions, or choose "
                                  "another one for checkpoints."));
    if (outcome == Outcome::HeldByAnother) {
        const auto holder = lock->holder().value_or(store::ProgramLock::Holder());
        fail(path,
             Translated::tr("Another training (process %1 on %2) writes its checkpoints into this folder; "
                            "choose another one, or wait for its end.")
                 .arg(QString::number(holder.pid), holder.host));
    }
    locks.insert(name, lock);
    return lock;
}

} // namespace

std::shared_ptr<store::ProgramLock> CheckpointFolder::claim(const QString& training) const
{
    makeFolder(m_path);
    auto lock = lockOf(m_path);
    // Obstacles are reported before the training begins, not when a checkpoint is due.
    for (const QString& path : entriesOf(m_path, QString(), QDir::AllEntries | QDir::System | QDir::Hidden))
        refuseToReplace(path);
    for (const Written& written : soundOnesIn(m_path)) {
        if (written.stored.state.training != training)
            fail(written.path,
                 Translated::tr("This checkpoint is of another training, whose folder this is; go "
                                "on with that one by --resume, or choose another folder."));
    }
    return lock;
}

bool CheckpointFolder::isClaimedBy(const store::ProgramLock& lock) const
{
    return lock.isInForce() && lock.path() == lockIn(m_path);
}

QString CheckpointFolder::begin(std::int64_t step)
{
    removeLeftOnes(m_path);
    const QString finished = finishedPath(m_path, step);
    refuseToReplace(finished);
    const QString unfinished = finished + unfinishedEnding;
    makeFolder(unfinished);
    if (!QFileInfo(unfinished).isWritable())
        fail(unfinished, Translated::tr("Nothing can be written into this folder; set permissions, or choose "
                                        "another one for checkpoints."));
    return tensorsIn(unfinished);
}

QString CheckpointFolder::commit(const CheckpointState& state)
{
    QString finished = finishedPath(m_path, state.step);
    const QString unfinished = finished + unfinishedEnding;
    const QFileInfo tensors(tensorsIn(unfinished));
    // The target of a link may change or vanish after the checkpoint is reported as written.
    if (!tensors.isFile() || tensors.isSymLink() || QFileInfo(unfinished).isSymLink())
        fail(unfinished, Translated::tr("The worker left no tensors here, so there is no checkpoint of step "
                                        "%1; choose a folder that it can write to.")
                             .arg(state.step));
    const std::vector<Written> before = soundOnesIn(m_path);
    const std::int64_t serial = before.empty() ? 1 : before.front().stored.serial + 1;
    writeStateFile(stateIn(unfinished), {.state = state, .serial = serial});
    syncToDisk(tensorsIn(unfinished));
    syncToDisk(unfinished);
    refuseToReplace(finished);
    giveName(unfinished, finished);
    const std::vector<Written> now = soundOnesIn(m_path);
    for (std::size_t i = keptCheckpoints; i < now.size(); ++i)
        (void)rename(now[i].path, now[i].path + replacedEnding);
    // Otherwise the disk might lose the new names but keep the removals.
    syncToDisk(m_path);
    removeLeftOnes(m_path);
    return finished;
}

void CheckpointFolder::addTensorHash(const QString& checkpoint, const QString& hash) const
{
    StoredState stored = readState(checkpoint);
    stored.state.tensorHash = hash;
    writeStateFile(stateIn(checkpoint), stored);
}

CheckpointFolder::Found CheckpointFolder::newest() const
{
    const QString folder = QDir::cleanPath(QFileInfo(m_path).absoluteFilePath());
    if (!QFileInfo(folder).isDir())
        fail(m_path,
             Translated::tr("There is no such folder; give the one that checkpoints were written to, or "
                            "one checkpoint in it."));
    Written chosen{.path = folder, .stored = {}};
    try {
        if (QFileInfo::exists(stateIn(folder)) && !folder.endsWith(unfinishedEnding)) {
            chosen.stored = readState(folder);
        } else {
            chosen = newestIn(folder).value_or(chosen);
        }
        if (chosen.stored.serial > 0)
            requireTensors(chosen.path);
    } catch (const config::ConfigError& error) {
        refuse(error, folder);
    }
    if (chosen.stored.serial == 0)
        fail(m_path, Translated::tr("This folder has no complete checkpoint; give another, or leave out "
                                    "--resume to start afresh."));
    return {.path = chosen.path, .tensors = tensorsIn(chosen.path), .state = chosen.stored.state};
}

QString olderCheckpoint(const QString& checkpoint)
{
    std::vector<Written> found = soundOnesIn(QFileInfo(checkpoint).path());
    const auto newer = std::ranges::find(found, checkpoint, &Written::path);
    if (newer == found.end())
        return {};
    const QString& training = newer->stored.state.training;
    const auto older = std::find_if(newer + 1, found.end(), [&](const Written& written) {
        return written.stored.state.training == training && hasTensors(written);
    });
    return older == found.end() ? QString() : older->path;
}

bool TrainingCheckpoints::isDue(std::int64_t step) const
{
    return m_every > 0 && step % m_every == 0 && step != m_givenUpStep && isNewer(step);
}

QString TrainingCheckpoints::begin(std::int64_t step)
{
    if (!m_folder.isClaimedBy(*m_lock))
        m_lock = m_folder.claim(m_training);
    return m_folder.begin(step);
}

QString TrainingCheckpoints::commit(const DataPosition& position, const MicroBatchSizes& sizes,
                                    std::int64_t batchSize)
{
    requireFolder();
    m_written = m_folder.commit({.step = position.step,
                                 .epoch = position.epoch,
                                 .samplesDone = position.samplesDone,
                                 .microBatchSize = sizes.of(model::Phase::Train),
                                 .evaluationMicroBatchSize = sizes.of(model::Phase::Eval),
                                 .batchSize = batchSize,
                                 .samples = m_samples,
                                 .heldOutSamples = m_heldOutSamples,
                                 .thrashingInARow = sizes.thrashingInARow(),
                                 .fingerprint = m_fingerprint,
                                 .training = m_training});
    m_savedStep = position.step;
    return m_written;
}

QString TrainingCheckpoints::writtenTensors() const
{
    return tensorsIn(m_written);
}

void TrainingCheckpoints::addTensorHash(const QString& hash)
{
    requireFolder();
    m_folder.addTensorHash(m_written, hash);
}

void TrainingCheckpoints::requireFolder() const
{
    if (m_lock->isTaken() && !m_folder.isClaimedBy(*m_lock))
        fail(m_folder.path(), Translated::tr("This folder was removed or replaced while a checkpoint was "
                                             "written; choose a folder that stays."));
}

} // namespace batchpeak::training
