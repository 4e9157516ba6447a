// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_remarks.h"

#include "text/translated.h"
#include "widgets/message_banner.h"

#include <QFileInfo>
#include <QStringList>

namespace batchpeak::ui {

namespace {

constexpr qsizetype maxRemarks = 3;

} // namespace

QString remarksText(const engine::ConfigFile& file)
{
    const auto& warnings = file.contents().warnings;
    QStringList lines;
    for (const config::Warning& warning : warnings) {
        const QString sentence = QString::fromStdString(warning.sentence);
        lines << (warning.position.line > 0
                      ? engine::Translated::tr("Line %1: %2").arg(warning.position.line).arg(sentence)
                      : sentence);
    }
    const qsizetype others = lines.size() - maxRemarks;
    if (others > 1) {
        lines.resize(maxRemarks);
        lines << engine::Translated::tr("There are %1 more; `batchpeak inspect %2` prints all of them.")
                     .arg(others)
                     .arg(QFileInfo(file.path()).fileName());
    }
    return lines.join(QLatin1Char('\n'));
}

void showRemarks(MessageBanner& banner, const engine::ConfigFile& file)
{
    const QString remarks = remarksText(file);
    if (remarks.isEmpty())
        banner.hide();
    else
        banner.showMessage(MessageBanner::Kind::Warning, remarks);
}

} // namespace batchpeak::ui
