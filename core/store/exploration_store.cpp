// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_store.h"

#include "history_file.h"
#include "size_estimates.h"
#include "store_database.h"
#include "trial_details.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSqlDatabase>
#include <QSqlError>
#include <QStandardPaths>
#include <QThread>
#include <QUuid>

#include <algorithm>

namespace batchpeak::store {

namespace {

/// Flags, and the phrases on fidelity, have one line each.
constexpr QChar flagSeparator = QLatin1Char('\n');

RecommendationRecord recommendationFrom(const SqlStatement& row)
{
    return {.microBatchSize = row.integer("micro_batch_size"),
            .samplesPerSecond = row.real("samples_per_second"),
            .relativeError = row.real("relative_error"),
            .relativePerformance = row.real("relative_performance"),
            .confidence = static_cast<int>(row.integer("confidence")),
            .expectedLoss = row.optional<double>("expected_loss"),
            .reason = row.text("reason"),
            .estimates = estimatesFrom(row.text("estimates"))};
}

QStringList linesOf(const QString& text)
{
    return text.split(flagSeparator, Qt::SkipEmptyParts);
}

FidelityRecord fidelityFrom(const SqlStatement& row)
{
    return {.kind = row.text("fidelity"),
            .reasons = linesOf(row.text("approximations")),
            .replaced = linesOf(row.text("replaced")),
            .assumed = linesOf(row.text("assumed"))};
}

ExplorationSummary summaryFrom(const SqlStatement& row)
{
    ExplorationSummary summary{.id = row.integer("number"),
                               .info = {.started = toTime(row.text("started")),
                                        .filePath = row.text("file"),
                                        .formatName = row.text("format"),
                                        .family = row.text("family"),
                                        .parameters = row.integer("parameters"),
                                        .frozenParameters = row.integer("frozen_parameters"),
                                        .tuning = row.text("tuning"),
                                        .phase = row.text("phase"),
                                        .precision = row.text("numeric_precision"),
                                        .optimizer = row.text("optimizer"),
                                        .sequenceLength = row.integer("sequence_length"),
                                        .globalBatchSize = row.integer("batch_size"),
                                        .configDevices = row.integer("config_devices"),
                                        .setting = row.text("setting"),
                                        .objective = row.text("objective"),
                                        .strategy = row.text("strategy"),
                                        .tolerance = row.real("tolerance"),
                                        .version = row.text("version"),
                                        .fidelity = fidelityFrom(row),
                                        .configText = row.text("config_text"),
                                        .configHash = row.text("config_hash"),
                                        .chosenModel = row.text("chosen_model"),
                                        .command = linesOf(row.text("command")),
                                        .loadRequest = row.text("load_request"),
                                        .headroom = row.real("headroom")},
                               .trials = static_cast<int>(row.integer("trials"))};
    if (!row.value("micro_batch_size").isNull())
        summary.recommendation = recommendationFrom(row);
    if (!row.value("status").isNull()) {
        summary.end = ExplorationEnd{.finished = toTime(row.text("finished")),
                                     .status = row.text("status"),
                                     .failure = row.text("failure"),
                                     .ending = row.text("ending")};
    }
    return summary;
}

QString joined(const std::vector<std::string>& flags)
{
    QStringList all;
    for (const std::string& flag : flags)
        all.append(QString::fromStdString(flag));
    return all.join(flagSeparator);
}

trial::TrialRecord trialFrom(const SqlStatement& row)
{
    trial::TrialRecord trial{.number = static_cast<int>(row.integer("number")),
                             .device = row.text("device").toStdString(),
                             .microBatchSize = row.integer("micro_batch_size"),
                             .visits = static_cast<int>(row.integer("visits")),
                             // An unknown word means that the trial did not run well.
                             .outcome = trial::fromText<trial::Outcome>(row.text("outcome").toStdString())
                                            .value_or(trial::Outcome::Failed),
                             .samplesPerSecond = row.optional<double>("samples_per_second"),
                             .relativeError = row.optional<double>("relative_error"),
                             .secondsPerStep = row.optional<double>("seconds_per_step"),
                             .optimizerSeconds = row.optional<double>("optimizer_seconds"),
                             .peakAllocatedBytes = row.optional<std::int64_t>("peak_allocated_bytes"),
                             .peakReservedBytes = row.optional<std::int64_t>("peak_reserved_bytes"),
                             .timedSteps = static_cast<int>(row.integer("timed_steps")),
                             .wallSeconds = row.real("wall_seconds"),
                             .joulesPerSample = row.optional<double>("joules_per_sample"),
                             .attention = row.text("attention").toStdString(),
                             .text = row.text("text").toStdString()};
    std::vector<std::string> flags;
    for (const QString& flag : row.text("flags").split(flagSeparator, Qt::SkipEmptyParts))
        flags.push_back(flag.toStdString());
    trial::addFlags(trial, flags);
    takeDetails(trial, row.text("details"));
    return trial;
}

QString summaryQuery(const QString& condition)
{
    return QStringLiteral("SELECT exploration.id AS number, exploration.*, recommendation.*, "
                          "(SELECT count(*) FROM trial WHERE trial.exploration = exploration.id AND "
                          "trial.outcome <> 'cancelled') AS trials "
                          "FROM exploration LEFT JOIN recommendation ON recommendation.id = "
                          "(SELECT max(id) FROM recommendation WHERE exploration = exploration.id) "
                          "%1 ORDER BY exploration.id DESC")
        .arg(condition);
}

} // namespace

std::chrono::milliseconds defaultPatience()
{
    const QCoreApplication* const program = QCoreApplication::instance();
    const bool hasWindow = program && program->inherits("QGuiApplication");
    return hasWindow && QThread::currentThread() == program->thread() ? std::chrono::milliseconds(50)
                                                                      : std::chrono::seconds(5);
}

ExplorationStore::ExplorationStore(const QString& path, std::chrono::milliseconds patience,
                                   std::optional<Place> place)
    : m_path(path), m_connection(QUuid::createUuid().toString(QUuid::WithoutBraces))
{
    // SQLite would open a pipe or a device as a database, and write into it.
    if (QFileInfo::exists(path) && !QFileInfo(path).isFile()) {
        throw StoreError(
            QCoreApplication::translate("batchpeak::store",
                                        "The history %1 cannot be opened (it is no file); move what is "
                                        "there away, and a new one is begun.")
                .arg(path));
    }
    makeHistoryFile(path);
    try {
        open(patience, place);
        return;
    } catch (const StoreError& error) {
        QSqlDatabase::removeDatabase(m_connection);
        if (error.kind() != StoreError::Kind::Unwritable || !isWholeAlone(path))
            throw;
        m_unwritable = error;
    }
    try {
        openToRead();
    } catch (const StoreError& error) {
        QSqlDatabase::removeDatabase(m_connection);
        // A problem that also prevents reading was reported first.
        if (error.kind() == StoreError::Kind::Unwritable)
            throw StoreError(*m_unwritable);
        throw;
    }
}

void ExplorationStore::open(std::chrono::milliseconds patience, std::optional<Place> place)
{
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection);
    database.setDatabaseName(m_path);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(patience.count()));
    openDatabase(database);
    runSql(database, QStringLiteral("PRAGMA foreign_keys = ON"));
    // Committed data is on the disk. Without EXTRA, a power failure may restore a journal that a commit
    // removed, and undo the commit with it (sqlite.org/pragma.html#pragma_synchronous).
    runSql(database, QStringLiteral("PRAGMA synchronous = EXTRA"));
    prepareSchema(database);
    keepToOneself(m_path);
    // With a log, readers and the writer do not wait for each other (sqlite.org/wal.html). The log needs
    // memory that all of them share, which does not work over a network.
    const bool isHere = place ? *place == Place::ThisComputer : isOnThisComputer(m_path);
    runSql(database, isHere ? QStringLiteral("PRAGMA journal_mode = WAL")
                            : QStringLiteral("PRAGMA journal_mode = DELETE"));
    takeNote();
}

/// Opens the file as one that nobody changes meanwhile, so that no files are created beside it
/// (sqlite.org/uri.html, "immutable").
void ExplorationStore::openToRead()
{
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection);
    database.setDatabaseName(nameToRead(m_path));
    database.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY;QSQLITE_OPEN_URI"));
    openDatabase(database);
    prepareSchema(database);
}

ExplorationStore::~ExplorationStore()
{
    QSqlDatabase::database(m_connection, false).close();
    QSqlDatabase::removeDatabase(m_connection);
}

QString ExplorationStore::defaultPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/batchpeak/explorations.sqlite");
}

void ExplorationStore::requireWritable() const
{
    if (m_unwritable)
        throw StoreError(*m_unwritable);
}

bool ExplorationStore::isAsItWas() const
{
    if (!m_trace)
        return false;
    const HistoryTrace now = traceOf(m_path);
    if (now.sharedBytes < m_trace->sharedBytes)
        lengthenSharedMemory(m_path, m_trace->sharedBytes);
    if (!areSameFiles(*m_trace, now))
        return false;
    // A change by another program is one that SQLite knows of.
    return areUnwritten(*m_trace, now) || dataVersion(QSqlDatabase::database(m_connection)) != m_version;
}

void ExplorationStore::takeNote()
{
    // The trace comes first, so that a change between the two is checked once too often, and never missed.
    m_trace = std::make_unique<const HistoryTrace>(traceOf(m_path));
    try {
        m_version = dataVersion(QSqlDatabase::database(m_connection));
    } catch (const StoreError&) {
        // Another program holds the history. With the older number, the next change counts as that of another
        // program.
    }
}

void ExplorationStore::requireWhole() const
{
    store::requireWhole(QSqlDatabase::database(m_connection));
}

bool ExplorationStore::holds(qint64 exploration, const ExplorationInfo& info) const
{
    SqlStatement statement(QSqlDatabase::database(m_connection),
                           QStringLiteral("SELECT started FROM exploration WHERE id = ?"));
    // The number may be that of another exploration by now.
    return statement.bind(exploration).run().next() &&
           fromTime(toTime(statement.text("started"))) == fromTime(info.started);
}

qint64 ExplorationStore::begin(const ExplorationInfo& info)
{
    SqlStatement statement(
        QSqlDatabase::database(m_connection),
        QStringLiteral("INSERT INTO exploration (started, file, format, family, parameters, "
                       "phase, numeric_precision, optimizer, sequence_length, batch_size, "
                       "config_devices, setting, objective, strategy, tolerance, version, "
                       "frozen_parameters, tuning, fidelity, approximations, replaced, assumed, "
                       "config_text, config_hash, chosen_model, command, load_request, headroom) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?)"));
    statement.bind(fromTime(info.started))
        .bind(notNull(info.filePath))
        .bind(notNull(info.formatName))
        .bind(notNull(info.family))
        .bind(info.parameters)
        .bind(notNull(info.phase))
        .bind(notNull(info.precision))
        .bind(notNull(info.optimizer))
        .bind(info.sequenceLength)
        .bind(info.globalBatchSize)
        .bind(info.configDevices)
        .bind(notNull(info.setting))
        .bind(notNull(info.objective))
        .bind(notNull(info.strategy))
        .bind(info.tolerance)
        .bind(notNull(info.version))
        .bind(info.frozenParameters)
        .bind(notNull(info.tuning))
        .bind(notNull(info.fidelity.kind))
        .bind(notNull(info.fidelity.reasons.join(flagSeparator)))
        .bind(notNull(info.fidelity.replaced.join(flagSeparator)))
        .bind(notNull(info.fidelity.assumed.join(flagSeparator)))
        .bind(notNull(info.configText))
        .bind(notNull(info.configHash))
        .bind(notNull(info.chosenModel))
        .bind(notNull(info.command.join(flagSeparator)))
        .bind(notNull(info.loadRequest))
        .bind(info.headroom);
    return statement.run().insertedId();
}

void ExplorationStore::setFidelity(qint64 exploration, const FidelityRecord& fidelity)
{
    SqlStatement(QSqlDatabase::database(m_connection),
                 QStringLiteral("UPDATE exploration SET fidelity = ?, approximations = ?, replaced = ?, "
                                "assumed = ? WHERE id = ?"))
        .bind(notNull(fidelity.kind))
        .bind(notNull(fidelity.reasons.join(flagSeparator)))
        .bind(notNull(fidelity.replaced.join(flagSeparator)))
        .bind(notNull(fidelity.assumed.join(flagSeparator)))
        .bind(exploration)
        .run();
}

void ExplorationStore::addDevice(qint64 exploration, const DeviceRecord& device)
{
    SqlStatement(QSqlDatabase::database(m_connection),
                 QStringLiteral("INSERT OR REPLACE INTO device (exploration, id, name, program, total_bytes, "
                                "limit_bytes, framework, uuid, driver) "
                                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"))
        .bind(exploration)
        .bind(notNull(device.id))
        .bind(notNull(device.name))
        .bind(notNull(device.program))
        .bind(device.totalBytes)
        .bind(device.limitBytes)
        .bind(notNull(device.framework))
        .bind(notNull(device.uuid))
        .bind(notNull(device.driver))
        .run();
}

void ExplorationStore::setSearchSpace(qint64 exploration, const QByteArray& space)
{
    SqlStatement(QSqlDatabase::database(m_connection),
                 QStringLiteral("UPDATE exploration SET search_space = ? WHERE id = ?"))
        .bind(QString::fromUtf8(space))
        .bind(exploration)
        .run();
}

void ExplorationStore::addSearchCalls(qint64 exploration, const std::vector<QByteArray>& calls)
{
    Transaction transaction(QSqlDatabase::database(m_connection), Transaction::Kind::Writes);
    insertCalls(exploration, calls);
    transaction.commit();
}

void ExplorationStore::insertCalls(qint64 exploration, const std::vector<QByteArray>& calls)
{
    for (const QByteArray& call : calls) {
        SqlStatement(QSqlDatabase::database(m_connection),
                     QStringLiteral("INSERT INTO search_call (exploration, number, call) SELECT ?, "
                                    "1 + coalesce(max(number), 0), ? FROM search_call WHERE exploration = ?"))
            .bind(exploration)
            .bind(QString::fromUtf8(call))
            .bind(exploration)
            .run();
    }
}

void ExplorationStore::addLog(qint64 exploration, const std::vector<LogRecord>& lines)
{
    Transaction transaction(QSqlDatabase::database(m_connection), Transaction::Kind::Writes);
    insertLog(exploration, lines);
    transaction.commit();
}

void ExplorationStore::insertLog(qint64 exploration, const std::vector<LogRecord>& lines)
{
    for (const LogRecord& line : lines) {
        SqlStatement(QSqlDatabase::database(m_connection),
                     QStringLiteral("INSERT INTO log_line (exploration, number, time, level, text) SELECT ?, "
                                    "1 + coalesce(max(number), 0), ?, ?, ? FROM log_line "
                                    "WHERE exploration = ?"))
            .bind(exploration)
            .bind(fromTime(line.time))
            .bind(line.level)
            .bind(notNull(line.text))
            .bind(exploration)
            .run();
    }
    SqlStatement(QSqlDatabase::database(m_connection),
                 QStringLiteral("DELETE FROM log_line WHERE exploration = ? AND number <= "
                                "(SELECT max(number) FROM log_line WHERE exploration = ?) - ?"))
        .bind(exploration)
        .bind(exploration)
        .bind(static_cast<qint64>(keptLogLines))
        .run();
}

void ExplorationStore::addTrial(qint64 exploration, const trial::TrialRecord& trial,
                                const std::vector<QByteArray>& calls)
{
    Transaction transaction(QSqlDatabase::database(m_connection), Transaction::Kind::Writes);
    insertTrial(exploration, trial);
    insertCalls(exploration, calls);
    transaction.commit();
}

void ExplorationStore::insertTrial(qint64 exploration, const trial::TrialRecord& trial)
{
    SqlStatement(
        QSqlDatabase::database(m_connection),
        QStringLiteral(
            "INSERT OR REPLACE INTO trial (exploration, number, device, micro_batch_size, visits, outcome, "
            "samples_per_second, relative_error, seconds_per_step, optimizer_seconds, "
            "peak_allocated_bytes, peak_reserved_bytes, timed_steps, wall_seconds, "
            "joules_per_sample, attention, flags, text, details) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
        .bind(exploration)
        .bind(trial.number)
        .bind(notNull(QString::fromStdString(trial.device)))
        .bind(qint64{trial.microBatchSize})
        .bind(trial.visits)
        .bind(QString::fromUtf8(trial::toText(*trial.outcome)))
        .bind(trial.samplesPerSecond)
        .bind(trial.relativeError)
        .bind(trial.secondsPerStep)
        .bind(trial.optimizerSeconds)
        .bind(trial.peakAllocatedBytes)
        .bind(trial.peakReservedBytes)
        .bind(trial.timedSteps)
        .bind(trial.wallSeconds)
        .bind(trial.joulesPerSample)
        .bind(notNull(QString::fromStdString(trial.attention)))
        .bind(notNull(joined(trial.flags)))
        .bind(notNull(QString::fromStdString(trial.text)))
        .bind(detailsOf(trial))
        .run();
    addCompared(exploration, trial);
}

void ExplorationStore::addCompared(qint64 exploration, const trial::TrialRecord& trial)
{
    const QSqlDatabase database = QSqlDatabase::database(m_connection);
    for (std::size_t place = 0; place < trial.compared.size(); ++place) {
        const trial::ComparedRecord& size = trial.compared[place];
        SqlStatement(database, QStringLiteral("INSERT INTO compared_size (exploration, trial, place, "
                                              "micro_batch_size, samples_per_second, relative_error, "
                                              "seconds_per_step, peak_reserved_bytes) "
                                              "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"))
            .bind(exploration)
            .bind(trial.number)
            .bind(static_cast<qint64>(place))
            .bind(qint64{size.microBatchSize})
            .bind(size.samplesPerSecond)
            .bind(size.relativeError)
            .bind(size.secondsPerStep)
            .bind(size.peakReservedBytes)
            .run();
        for (std::size_t number = 0; number < size.visits.size(); ++number) {
            SqlStatement(database, QStringLiteral("INSERT INTO visit (exploration, trial, place, number, "
                                                  "begin_seconds, samples_per_second) "
                                                  "VALUES (?, ?, ?, ?, ?, ?)"))
                .bind(exploration)
                .bind(trial.number)
                .bind(static_cast<qint64>(place))
                .bind(static_cast<qint64>(number))
                .bind(size.visits[number].beginSeconds)
                .bind(size.visits[number].samplesPerSecond)
                .run();
        }
    }
}

void ExplorationStore::addRecommendation(qint64 exploration, const RecommendationRecord& recommendation)
{
    SqlStatement(
        QSqlDatabase::database(m_connection),
        QStringLiteral("INSERT INTO recommendation (exploration, micro_batch_size, samples_per_second, "
                       "relative_error, relative_performance, confidence, expected_loss, reason, "
                       "estimates) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"))
        .bind(exploration)
        .bind(recommendation.microBatchSize)
        .bind(recommendation.samplesPerSecond)
        .bind(recommendation.relativeError)
        .bind(recommendation.relativePerformance)
        .bind(recommendation.confidence)
        .bind(recommendation.expectedLoss)
        .bind(notNull(recommendation.reason))
        .bind(notNull(textOf(recommendation.estimates)))
        .run();
}

void ExplorationStore::finish(qint64 exploration, const ExplorationEnd& end)
{
    SqlStatement(QSqlDatabase::database(m_connection),
                 QStringLiteral("UPDATE exploration SET finished = ?, status = ?, failure = ?, ending = ? "
                                "WHERE id = ?"))
        .bind(fromTime(end.finished))
        .bind(notNull(end.status))
        .bind(notNull(end.failure))
        .bind(notNull(end.ending))
        .bind(exploration)
        .run();
}

void ExplorationStore::reopen(qint64 exploration)
{
    SqlStatement(QSqlDatabase::database(m_connection),
                 QStringLiteral("UPDATE exploration SET finished = NULL, status = NULL, failure = NULL, "
                                "ending = NULL WHERE id = ?"))
        .bind(exploration)
        .run();
}

std::vector<ExplorationSummary> ExplorationStore::list() const
{
    SqlStatement statement(QSqlDatabase::database(m_connection), summaryQuery({}));
    statement.run();
    std::vector<ExplorationSummary> summaries;
    while (statement.next())
        summaries.push_back(summaryFrom(statement));
    return summaries;
}

std::optional<StoredExploration> ExplorationStore::show(qint64 exploration) const
{
    // Another program may be adding trials.
    const Transaction moment(QSqlDatabase::database(m_connection), Transaction::Kind::Reads);
    return read(exploration);
}

std::optional<ExplorationOutline> ExplorationStore::outline(qint64 exploration) const
{
    const QSqlDatabase database = QSqlDatabase::database(m_connection);
    const Transaction moment(database, Transaction::Kind::Reads);
    SqlStatement statement(database, summaryQuery(QStringLiteral("WHERE exploration.id = ?")));
    if (!statement.bind(exploration).run().next())
        return std::nullopt;
    return ExplorationOutline{.summary = summaryFrom(statement), .devices = devicesOf(exploration)};
}

std::vector<DeviceRecord> ExplorationStore::devicesOf(qint64 exploration) const
{
    SqlStatement row(QSqlDatabase::database(m_connection),
                     QStringLiteral("SELECT * FROM device WHERE exploration = ? ORDER BY rowid"));
    row.bind(exploration).run();
    std::vector<DeviceRecord> devices;
    while (row.next())
        devices.push_back({.id = row.text("id"),
                           .name = row.text("name"),
                           .program = row.text("program"),
                           .totalBytes = row.integer("total_bytes"),
                           .limitBytes = row.integer("limit_bytes"),
                           .framework = row.text("framework"),
                           .uuid = row.text("uuid"),
                           .driver = row.text("driver")});
    return devices;
}

std::optional<StoredExploration> ExplorationStore::read(qint64 exploration) const
{
    const QSqlDatabase database = QSqlDatabase::database(m_connection);
    StoredExploration stored;
    {
        SqlStatement statement(database, summaryQuery(QStringLiteral("WHERE exploration.id = ?")));
        if (!statement.bind(exploration).run().next())
            return std::nullopt;
        stored.summary = summaryFrom(statement);
        stored.searchSpace = statement.text("search_space").toUtf8();
    }
    const auto rows = [&](const QString& text, const auto& take) {
        SqlStatement statement(database, text);
        statement.bind(exploration).run();
        while (statement.next())
            take(statement);
    };
    stored.devices = devicesOf(exploration);
    rows(QStringLiteral("SELECT * FROM trial WHERE exploration = ? ORDER BY rowid"),
         [&](const SqlStatement& row) { stored.trials.push_back(trialFrom(row)); });
    readCompared(stored);
    rows(QStringLiteral("SELECT * FROM recommendation WHERE exploration = ? ORDER BY id"),
         [&](const SqlStatement& row) { stored.recommendations.push_back(recommendationFrom(row)); });
    rows(QStringLiteral("SELECT call FROM search_call WHERE exploration = ? ORDER BY number"),
         [&](const SqlStatement& row) { stored.searchCalls.push_back(row.text("call").toUtf8()); });
    // An older program stored all lines.
    rows(QStringLiteral("SELECT * FROM (SELECT * FROM log_line WHERE exploration = ? ORDER BY number DESC "
                        "LIMIT %1) ORDER BY number")
             .arg(keptLogLines),
         [&](const SqlStatement& row) {
             stored.log.push_back({.time = toTime(row.text("time")),
                                   .level = static_cast<int>(row.integer("level")),
                                   .text = row.text("text")});
         });
    return stored;
}

void ExplorationStore::readCompared(StoredExploration& stored) const
{
    const auto take = [&](const QString& text, const auto& takeRow) {
        SqlStatement statement(QSqlDatabase::database(m_connection), text);
        statement.bind(stored.summary.id).run();
        while (statement.next()) {
            const auto trial =
                std::ranges::find(stored.trials, statement.integer("trial"), &trial::TrialRecord::number);
            if (trial == stored.trials.end())
                statement.failAsDamaged();
            takeRow(trial->compared, statement);
        }
    };
    take(QStringLiteral("SELECT * FROM compared_size WHERE exploration = ? ORDER BY trial, place"),
         [](std::vector<trial::ComparedRecord>& compared, const SqlStatement& row) {
             compared.push_back({.microBatchSize = row.integer("micro_batch_size"),
                                 .samplesPerSecond = row.optional<double>("samples_per_second"),
                                 .relativeError = row.optional<double>("relative_error"),
                                 .secondsPerStep = row.optional<double>("seconds_per_step"),
                                 .peakReservedBytes = row.optional<std::int64_t>("peak_reserved_bytes")});
         });
    take(QStringLiteral("SELECT * FROM visit WHERE exploration = ? ORDER BY trial, place, number"),
         [](std::vector<trial::ComparedRecord>& compared, const SqlStatement& row) {
             const auto place = static_cast<std::size_t>(row.integer("place"));
             if (place >= compared.size())
                 row.failAsDamaged();
             compared[place].visits.push_back({.beginSeconds = row.real("begin_seconds"),
                                               .samplesPerSecond = row.real("samples_per_second")});
         });
}

bool ExplorationStore::remove(qint64 exploration)
{
    requireWritable();
    SqlStatement statement(QSqlDatabase::database(m_connection),
                           QStringLiteral("DELETE FROM exploration WHERE id = ?"));
    return statement.bind(exploration).run().changedRows() > 0;
}

std::optional<qint64> ExplorationStore::numberOf(const ExplorationInfo& info) const
{
    SqlStatement statement(QSqlDatabase::database(m_connection),
                           QStringLiteral("SELECT id FROM exploration WHERE started = ? AND file = ?"));
    const bool isThere = statement.bind(fromTime(info.started)).bind(notNull(info.filePath)).run().next();
    return isThere ? std::optional(statement.integer("id")) : std::nullopt;
}

void ExplorationStore::addAll(qint64 exploration, const StoredExploration& stored)
{
    Transaction transaction(QSqlDatabase::database(m_connection), Transaction::Kind::Writes);
    insertAll(exploration, stored);
    transaction.commit();
}

void ExplorationStore::insertAll(qint64 exploration, const StoredExploration& stored)
{
    for (const DeviceRecord& device : stored.devices)
        addDevice(exploration, device);
    for (const trial::TrialRecord& trial : stored.trials)
        insertTrial(exploration, trial);
    for (const RecommendationRecord& recommendation : stored.recommendations)
        addRecommendation(exploration, recommendation);
    setSearchSpace(exploration, stored.searchSpace);
    insertCalls(exploration, stored.searchCalls);
    insertLog(exploration, stored.log);
    if (stored.summary.end)
        finish(exploration, *stored.summary.end);
}

int ExplorationStore::takeIn(const QString& path)
{
    requireWritable();
    const ExplorationStore other(path);
    std::vector<StoredExploration> explorations;
    for (const ExplorationSummary& summary : other.list()) {
        if (auto exploration = other.show(summary.id))
            explorations.insert(explorations.begin(), std::move(*exploration));
    }
    Transaction transaction(QSqlDatabase::database(m_connection), Transaction::Kind::Writes);
    for (const StoredExploration& exploration : explorations) {
        // An exploration that continued elsewhere is incomplete here.
        if (const auto known = numberOf(exploration.summary.info)) {
            const auto here = read(*known);
            const bool isMore = exploration.trials.size() > here->trials.size() ||
                                (exploration.summary.end && !here->summary.end);
            if (!isMore)
                continue;
            remove(*known);
        }
        insertAll(begin(exploration.summary.info), exploration);
    }
    transaction.commit();
    return static_cast<int>(explorations.size());
}

} // namespace batchpeak::store
