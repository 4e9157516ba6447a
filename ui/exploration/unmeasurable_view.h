// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "syntax/config_error.h"
#include "widgets/card.h"

#include <QList>
#include <QString>

#include <optional>

class QAction;
class QGridLayout;
class QLabel;

namespace batchpeak::ui {

/// A file with which no trial is possible as it is.
struct UnmeasurableFile
{
    QString path;
    /// The reasons as sentences, without the path.
    QString why;
    /// The file as a config; nothing if it cannot be read as one.
    std::optional<engine::ConfigFile> config;
};

/// \param error  the reason why no trial is possible with the file at \p path
UnmeasurableFile unmeasurableFile(const QString& path, const config::ConfigError& error,
                                  std::optional<engine::ConfigFile> config = {});

/// The page of a file with which no trial is possible: what was found in it, why no trial is possible, and
/// what can still be done: choose a network, write a size, read the file again once it is corrected, or open
/// another file.
class UnmeasurableView : public Card
{
    Q_OBJECT

public:
    /// \param actions  actions of the buttons below; those that are impossible are omitted
    explicit UnmeasurableView(const QList<QAction*>& actions, QWidget* parent = nullptr);

    void display(const UnmeasurableFile& file);

    /// Returns the whole text of the page.
    QString summary() const;

private:
    void addFact(const QString& name, const QString& text);
    void addFactsOf(const engine::ConfigFile& file);

    QLabel* m_heading;
    QGridLayout* m_facts;
    QLabel* m_why;
};

} // namespace batchpeak::ui
