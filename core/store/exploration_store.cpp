// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_store.h"

#include "history_file.h"
#include "record_rows.h"
#include "store_database.h"
#include "text/json_fields.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSqlDatabase>
#include <QSqlError>
#include <QStandardPaths>
#include <QThread>
#include <QUuid>

#include <algorithm>

// The names of the columns.

namespace batchpeak::trial {

template<typename Fields>
void visitFields(TrialRecord& trial, Fields& fields)
{
    fields.value("number", trial.number);
    fields.value("device", trial.device);
    fields.value("micro_batch_size", trial.microBatchSize);
    fields.value("visits", trial.visits);
    fields.value("outcome", trial.outcome);
    fields.value("samples_per_second", trial.samplesPerSecond);
    fields.value("relative_error", trial.relativeError);
    fields.value("seconds_per_step", trial.secondsPerStep);
    fields.value("optimizer_seconds", trial.optimizerSeconds);
    fields.value("peak_allocated_bytes", trial.peakAllocatedBytes);
    fields.value("peak_reserved_bytes", trial.peakReservedBytes);
    fields.value("timed_steps", trial.timedSteps);
    fields.value("wall_seconds", trial.wallSeconds);
    fields.value("joules_per_sample", trial.joulesPerSample);
    fields.value("attention", trial.attention);
    fields.value("text", trial.text);
}

template<typename Fields>
void visitFields(ComparedRecord& size, Fields& fields)
{
    fields.value("micro_batch_size", size.microBatchSize);
    fields.value("samples_per_second", size.samplesPerSecond);
    fields.value("relative_error", size.relativeError);
    fields.value("seconds_per_step", size.secondsPerStep);
    fields.value("peak_reserved_bytes", size.peakReservedBytes);
}

template<typename Fields>
void visitFields(VisitRecord& visit, Fields& fields)
{
    fields.value("begin_seconds", visit.beginSeconds);
    fields.value("samples_per_second", visit.samplesPerSecond);
}

} // namespace batchpeak::trial

namespace batchpeak::store {

template<typename Fields>
void visitFields(FidelityRecord& fidelity, Fields& fields)
{
    fields.value("fidelity", fidelity.kind);
    fields.value("approximations", fidelity.reasons);
    fields.value("replaced", fidelity.replaced);
    fields.value("assumed", fidelity.assumed);
}

template<typename Fields>
void visitFields(ExplorationInfo& info, Fields& fields)
{
    fields.value("started", info.started);
    fields.value("file", info.filePath);
    fields.value("format", info.formatName);
    fields.value("family", info.family);
    fields.value("parameters", info.parameters);
    fields.value("frozen_parameters", info.frozenParameters);
    fields.value("tuning", info.tuning);
    fields.value("phase", info.phase);
    fields.value("numeric_precision", info.precision);
    fields.value("optimizer", info.optimizer);
    fields.value("sequence_length", info.sequenceLength);
    fields.value("batch_size", info.globalBatchSize);
    fields.value("config_devices", info.configDevices);
    fields.value("processes", info.processes);
    fields.value("setting", info.setting);
    fields.value("objective", info.objective);
    fields.value("strategy", info.strategy);
    fields.value("tolerance", info.tolerance);
    fields.value("version", info.version);
    visitFields(info.fidelity, fields);
    fields.value("config_text", info.configText);
    fields.value("config_hash", info.configHash);
    fields.value("chosen_model", info.chosenModel);
    fields.value("command", info.command);
    fields.value("load_request", info.loadRequest);
    fields.value("headroom", info.headroom);
}

template<typename Fields>
void visitFields(DeviceRecord& device, Fields& fields)
{
    fields.value("id", device.id);
    fields.value("name", device.name);
    fields.value("program", device.program);
    fields.value("total_bytes", device.totalBytes);
    fields.value("limit_bytes", device.limitBytes);
    fields.value("framework", device.framework);
    fields.value("uuid", device.uuid);
    fields.value("driver", device.driver);
}

template<typename Fields>
void visitFields(RecommendationRecord& recommendation, Fields& fields)
{
    fields.value("micro_batch_size", recommendation.microBatchSize);
    fields.value("samples_per_second", recommendation.samplesPerSecond);
    fields.value("relative_error", recommendation.relativeError);
    fields.value("relative_performance", recommendation.relativePerformance);
    fields.value("confidence", recommendation.confidence);
    fields.value("expected_loss", recommendation.expectedLoss);
    fields.value("reason", recommendation.reason);
    fields.value("estimates", recommendation.estimates);
}

template<typename Fields>
void visitFields(ExplorationEnd& end, Fields& fields)
{
    fields.value("finished", end.finished);
    fields.value("status", end.status);
    fields.value("failure", end.failure);
    fields.value("ending", end.ending);
}

namespace {

ExplorationSummary summaryFrom(const SqlStatement& row)
{
    ExplorationSummary summary{.id = row.integer("number"),
                               .info = recordFrom<ExplorationInfo>(row),
                               .trials = static_cast<int>(row.integer("trials"))};
    if (!row.value("micro_batch_size").isNull())
        summary.recommendation = recordFrom<RecommendationRecord>(row);
    if (!row.value("status").isNull())
        summary.end = recordFrom<ExplorationEnd>(row);
    return summary;
}

const QLatin1String purposeKey("purpose");

template<typename Fields>
void visitDetails(trial::TrialRecord& record, Fields& fields)
{
    fields.value("against", record.against);
    fields.value("predicted_fit", record.predictedFit);
    fields.value("warmup_steps", record.warmupSteps);
    fields.value("repetition", record.repetition);
    fields.value("forward_seconds", record.forwardSeconds);
    fields.value("backward_seconds", record.backwardSeconds);
    fields.value("reduction_seconds", record.reductionSeconds);
    for (const trial::ReadingField& field : trial::readingFields)
        fields.value(field.name, record.readings.*field.value);
}

QJsonObject objectOf(trial::TrialRecord record)
{
    engine::JsonWriter fields;
    visitDetails(record, fields);
    return fields.object();
}

/// Returns the part of a trial that is never queried by itself: why it was run, its parts, what the device
/// reported meanwhile. It is a JSON object without members that have their default value.
QString detailsOf(const trial::TrialRecord& trial)
{
    QJsonObject object = objectOf(trial);
    const QJsonObject defaults = objectOf({});
    for (const QString& key : defaults.keys()) {
        if (object.value(key) == defaults.value(key))
            object.remove(key);
    }
    if (trial.purpose)
        object.insert(purposeKey, engine::enumText(*trial.purpose));
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

/// Sets that part of a trial.
/// \param details  from detailsOf(); empty if an older program wrote it, which changes nothing
void takeDetails(trial::TrialRecord& trial, const QString& details)
{
    const QJsonObject object = QJsonDocument::fromJson(details.toUtf8()).object();
    engine::JsonReader fields(object);
    visitDetails(trial, fields);
    trial.purpose = engine::enumFromText<trial::Purpose>(object.value(purposeKey).toString());
}

QStringList textsOf(const std::vector<std::string>& flags)
{
    QStringList texts;
    for (const std::string& flag : flags)
        texts.append(QString::fromStdString(flag));
    return texts;
}

trial::TrialRecord trialFrom(const SqlStatement& row)
{
    auto trial = recordFrom<trial::TrialRecord>(row);
    std::vector<std::string> flags;
    for (const QString& flag : row.text("flags").split(lineSeparator, Qt::SkipEmptyParts))
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

QSqlDatabase ExplorationStore::database() const
{
    return QSqlDatabase::database(m_connection);
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
    return areUnwritten(*m_trace, now) || dataVersion(database()) != m_version;
}

void ExplorationStore::takeNote()
{
    // The trace comes first, so that a change between the two is checked once too often, and never missed.
    m_trace = std::make_unique<const HistoryTrace>(traceOf(m_path));
    try {
        m_version = dataVersion(database());
    } catch (const StoreError&) {
        // Another program holds the history. With the older number, the next change counts as that of another
        // program.
    }
}

void ExplorationStore::requireWhole() const
{
    store::requireWhole(database());
}

bool ExplorationStore::holds(qint64 exploration, const ExplorationInfo& info) const
{
    SqlStatement statement(database(), QStringLiteral("SELECT started FROM exploration WHERE id = ?"));
    // The number may be that of another exploration by now.
    return statement.bind(exploration).run().next() &&
           fromTime(toTime(statement.text("started"))) == fromTime(info.started);
}

qint64 ExplorationStore::begin(const ExplorationInfo& info)
{
    return rowOf(info).insert(database(), QStringLiteral("INSERT INTO exploration"));
}

void ExplorationStore::setFidelity(qint64 exploration, const FidelityRecord& fidelity)
{
    rowOf(fidelity).update(database(), exploration);
}

void ExplorationStore::addDevice(qint64 exploration, const DeviceRecord& device)
{
    rowOf(device)
        .value("exploration", exploration)
        .insert(database(), QStringLiteral("INSERT OR REPLACE INTO device"));
}

void ExplorationStore::setSearchSpace(qint64 exploration, const QByteArray& space)
{
    RowWriter().value("search_space", QString::fromUtf8(space)).update(database(), exploration);
}

void ExplorationStore::addSearchCalls(qint64 exploration, const std::vector<QByteArray>& calls)
{
    Transaction transaction(database(), Transaction::Kind::Writes);
    insertCalls(exploration, calls);
    transaction.commit();
}

void ExplorationStore::insertCalls(qint64 exploration, const std::vector<QByteArray>& calls)
{
    for (const QByteArray& call : calls) {
        SqlStatement(database(),
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
    Transaction transaction(database(), Transaction::Kind::Writes);
    insertLog(exploration, lines);
    transaction.commit();
}

void ExplorationStore::insertLog(qint64 exploration, const std::vector<LogRecord>& lines)
{
    for (const LogRecord& line : lines) {
        SqlStatement(database(),
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
    SqlStatement(database(), QStringLiteral("DELETE FROM log_line WHERE exploration = ? AND number <= "
                                            "(SELECT max(number) FROM log_line WHERE exploration = ?) - ?"))
        .bind(exploration)
        .bind(exploration)
        .bind(static_cast<qint64>(keptLogLines))
        .run();
}

void ExplorationStore::addTrial(qint64 exploration, const trial::TrialRecord& trial,
                                const std::vector<QByteArray>& calls)
{
    Transaction transaction(database(), Transaction::Kind::Writes);
    insertTrial(exploration, trial);
    insertCalls(exploration, calls);
    transaction.commit();
}

void ExplorationStore::insertTrial(qint64 exploration, const trial::TrialRecord& trial)
{
    rowOf(trial)
        .value("exploration", exploration)
        .value("flags", textsOf(trial.flags))
        .value("details", detailsOf(trial))
        .insert(database(), QStringLiteral("INSERT OR REPLACE INTO trial"));
    addCompared(exploration, trial);
}

void ExplorationStore::addCompared(qint64 exploration, const trial::TrialRecord& trial)
{
    for (std::size_t place = 0; place < trial.compared.size(); ++place) {
        const trial::ComparedRecord& size = trial.compared[place];
        rowOf(size)
            .value("exploration", exploration)
            .value("trial", trial.number)
            .value("place", place)
            .insert(database(), QStringLiteral("INSERT INTO compared_size"));
        for (std::size_t number = 0; number < size.visits.size(); ++number) {
            rowOf(size.visits[number])
                .value("exploration", exploration)
                .value("trial", trial.number)
                .value("place", place)
                .value("number", number)
                .insert(database(), QStringLiteral("INSERT INTO visit"));
        }
    }
}

void ExplorationStore::addRecommendation(qint64 exploration, const RecommendationRecord& recommendation)
{
    rowOf(recommendation)
        .value("exploration", exploration)
        .insert(database(), QStringLiteral("INSERT INTO recommendation"));
}

void ExplorationStore::finish(qint64 exploration, const ExplorationEnd& end)
{
    rowOf(end).update(database(), exploration);
}

void ExplorationStore::reopen(qint64 exploration)
{
    SqlStatement(database(),
                 QStringLiteral("UPDATE exploration SET finished = NULL, status = NULL, failure = NULL, "
                                "ending = NULL WHERE id = ?"))
        .bind(exploration)
        .run();
}

std::vector<ExplorationSummary> ExplorationStore::list() const
{
    SqlStatement statement(database(), summaryQuery({}));
    statement.run();
    std::vector<ExplorationSummary> summaries;
    while (statement.next())
        summaries.push_back(summaryFrom(statement));
    return summaries;
}

std::optional<StoredExploration> ExplorationStore::show(qint64 exploration) const
{
    // Another program may be adding trials.
    const Transaction moment(database(), Transaction::Kind::Reads);
    return read(exploration);
}

std::optional<ExplorationOutline> ExplorationStore::outline(qint64 exploration) const
{
    const Transaction moment(database(), Transaction::Kind::Reads);
    SqlStatement statement(database(), summaryQuery(QStringLiteral("WHERE exploration.id = ?")));
    if (!statement.bind(exploration).run().next())
        return std::nullopt;
    return ExplorationOutline{.summary = summaryFrom(statement), .devices = devicesOf(exploration)};
}

std::vector<DeviceRecord> ExplorationStore::devicesOf(qint64 exploration) const
{
    SqlStatement row(database(), QStringLiteral("SELECT * FROM device WHERE exploration = ? ORDER BY rowid"));
    row.bind(exploration).run();
    std::vector<DeviceRecord> devices;
    while (row.next())
        devices.push_back(recordFrom<DeviceRecord>(row));
    return devices;
}

std::optional<StoredExploration> ExplorationStore::read(qint64 exploration) const
{
    StoredExploration stored;
    {
        SqlStatement statement(database(), summaryQuery(QStringLiteral("WHERE exploration.id = ?")));
        if (!statement.bind(exploration).run().next())
            return std::nullopt;
        stored.summary = summaryFrom(statement);
        stored.searchSpace = statement.text("search_space").toUtf8();
    }
    const auto rows = [&](const QString& text, const auto& take) {
        SqlStatement statement(database(), text);
        statement.bind(exploration).run();
        while (statement.next())
            take(statement);
    };
    stored.devices = devicesOf(exploration);
    rows(QStringLiteral("SELECT * FROM trial WHERE exploration = ? ORDER BY rowid"),
         [&](const SqlStatement& row) { stored.trials.push_back(trialFrom(row)); });
    readCompared(stored);
    rows(QStringLiteral("SELECT * FROM recommendation WHERE exploration = ? ORDER BY id"),
         [&](const SqlStatement& row) {
             stored.recommendations.push_back(recordFrom<RecommendationRecord>(row));
         });
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
        SqlStatement statement(database(), text);
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
             compared.push_back(recordFrom<trial::ComparedRecord>(row));
         });
    take(QStringLiteral("SELECT * FROM visit WHERE exploration = ? ORDER BY trial, place, number"),
         [](std::vector<trial::ComparedRecord>& compared, const SqlStatement& row) {
             const auto place = static_cast<std::size_t>(row.integer("place"));
             if (place >= compared.size())
                 row.failAsDamaged();
             compared[place].visits.push_back(recordFrom<trial::VisitRecord>(row));
         });
}

bool ExplorationStore::remove(qint64 exploration)
{
    requireWritable();
    SqlStatement statement(database(), QStringLiteral("DELETE FROM exploration WHERE id = ?"));
    return statement.bind(exploration).run().changedRows() > 0;
}

std::optional<qint64> ExplorationStore::numberOf(const ExplorationInfo& info) const
{
    SqlStatement statement(database(),
                           QStringLiteral("SELECT id FROM exploration WHERE started = ? AND file = ?"));
    const bool isThere = statement.bind(fromTime(info.started)).bind(notNull(info.filePath)).run().next();
    return isThere ? std::optional(statement.integer("id")) : std::nullopt;
}

void ExplorationStore::addAll(qint64 exploration, const StoredExploration& stored)
{
    Transaction transaction(database(), Transaction::Kind::Writes);
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
    Transaction transaction(database(), Transaction::Kind::Writes);
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
