// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_job.h"

#include "place_launch.h"
#include "process_group.h"
#include "text/shell_quoting.h"
#include "text/translated.h"

#include <QProcess>

namespace batchpeak::engine {

namespace {

/// Returns a line for each option, with its value.
QString directives(const QStringList& words)
{
    QString lines;
    for (const QString& word : words) {
        const bool isValue = !word.startsWith(QLatin1Char('-')) && !lines.isEmpty();
        lines += (isValue ? QLatin1String(" ") : QLatin1String("\n#SBATCH ")) + quotedForShell(word);
    }
    return lines;
}

// %1 directives, %2 path of the events, %3 the program, %4 words that begin the exploration, %5 words of its
// output
const QLatin1String scriptText(R"sh(#!/bin/sh
# `batchpeak submit` wrote this file. Change what you like, and submit it with `sbatch FILE`.%1

events=%2-$SLURM_JOB_ID.jsonl

# A job that Slurm has restarted continues its exploration, whose number is in the events.
number=
if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && [ -e "$events" ]; then
  number=$(sed -n 's/.*"event":"recorded","exploration":\([0-9]*\).*/\1/p' "$events" | tail -n 1)
fi
if [ -n "$number" ]; then
  set -- --resume "$number"
else
  set -- %4
fi

finished_trials() { cat "$events" 2>/dev/null | grep -c '"event":"trial_finished"'; }
before=$(finished_trials)

# Slurm says TERM 90 seconds before the time limit.
ends=
%3 explore "$@" --events "$events"%5 &
exploration=$!
trap 'ends=yes; kill -TERM $exploration' TERM
wait $exploration
code=$?
while kill -0 $exploration 2>/dev/null; do
  wait $exploration
  code=$?
done
# TERM comes too when the job is canceled; then it is not running any more.
state=$(squeue --noheader --states=all --jobs="$SLURM_JOB_ID" --format=%T)
if [ -n "$ends" ] && [ $code -ne 0 ] && [ "$state" = RUNNING ]; then
  if [ "$(finished_trials)" = "$before" ]; then
    echo "No trial has ended in this time; submit the job again with a longer --time." >&2
  else
    scontrol requeue "$SLURM_JOB_ID"
  fi
fi
exit $code
)sh");

} // namespace

QString batchScript(const BatchJob& job)
{
    // sbatch would replace a single "%" and the letter after it (sbatch(1), FILENAME PATTERN).
    const QString log =
        QString(job.prefix).replace(QLatin1Char('%'), QLatin1String("%%")) + QStringLiteral("-%j.log");
    const QStringList words =
        QStringList{QStringLiteral("--output=") + log, QStringLiteral("--open-mode=append"),
                    QStringLiteral("--requeue"), QStringLiteral("--signal=B:TERM@90")} +
        allocationWords(job.place);
    const QString output =
        job.outputWords.isEmpty() ? QString() : QLatin1Char(' ') + quotedForShell(job.outputWords);
    return QString(scriptText)
        .arg(directives(words), quotedForShell(job.prefix), quotedForShell(job.program),
             quotedForShell(job.exploreWords), output);
}

SubmittedJob submitScript(const QString& path)
{
    QProcess process;
    leadOwnGroup(process);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(QStringLiteral("sbatch"), {QStringLiteral("--parsable"), path});
    if (!process.waitForStarted())
        return {.problem =
                    Translated::tr("sbatch could not be started: %1. Submit %2 on a computer of the cluster.")
                        .arg(process.errorString(), path)};
    process.waitForFinished(-1);
    if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return {.problem = Translated::tr("Slurm refused %1: %2")
                               .arg(path, QString::fromUtf8(process.readAllStandardError().trimmed()))};
    // "17" or "17;cluster"
    const QString said = QString::fromUtf8(process.readAllStandardOutput().trimmed());
    return {.job = said.section(QLatin1Char(';'), 0, 0)};
}

} // namespace batchpeak::engine
