// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch_target.h"

#include "options/option_values.h"
#include "text/translated.h"

#include <algorithm>

namespace batchpeak::engine {

QString WatchTarget::name() const
{
    const QString what = job.isEmpty() ? path : Translated::tr("Slurm job %1").arg(job);
    if (!place)
        return what;
    return job.isEmpty() ? QStringLiteral("%1:%2").arg(place->target, what)
                         : Translated::tr("%1 on %2").arg(what, place->target);
}

WatchTarget watchTargetFrom(const QString& text, const QString& on)
{
    QString rest = text.trimmed();
    QString place = on;
    const QLatin1String ssh("ssh:");
    if (on.isEmpty() && rest.startsWith(ssh)) {
        const qsizetype colon = rest.indexOf(QLatin1Char(':'), ssh.size());
        if (colon < 0)
            throw UsageError("name a file or the number of a job behind the host: ssh:HOST:PATH.");
        place = rest.left(colon);
        rest = rest.mid(colon + 1);
    }
    if (rest.isEmpty() || rest.contains(QLatin1Char('\n')))
        throw UsageError("name the file of the events, or the number of a job of Slurm.");
    WatchTarget target;
    if (!place.isEmpty()) {
        target.place = placeFromText(place);
        if (target.place->kind != Place::Kind::Ssh)
            throw UsageError("events are read on this computer or over ssh; name the host: --on ssh:HOST.");
    }
    const bool isNumber = std::ranges::all_of(
        rest, [](QChar character) { return character >= QLatin1Char('0') && character <= QLatin1Char('9'); });
    (isNumber ? target.job : target.path) = rest;
    return target;
}

} // namespace batchpeak::engine
