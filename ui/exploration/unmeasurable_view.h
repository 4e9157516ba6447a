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

/// A file with which nothing can be tried as it is.
struct UnmeasurableFile
{
    QString path;
    /// The reasons as sentences, without the path.
    QString why;
    /// What it is as a config; nothing where it cannot be read as one.
    std::optional<engine::ConfigFile> config;
};

/// \param error  why nothing can be tried with the file at \p path
UnmeasurableFile unmeasurableFile(const QString& path, const config::ConfigError& error,
                                  std::optional<engine::ConfigFile> config = {});

/// The page of a file with which nothing can be tried: what was found in it, why no trial is possible, and
/// what can be done all the same: to name a network, to write a size, to read it again once it is mended, or
/// to open another.
class UnmeasurableView : public Card
{
    Q_OBJECT

public:
    /// \param actions  whose buttons stand below; those that are impossible are left out
    explicit UnmeasurableView(const QList<QAction*>& actions, QWidget* parent = nullptr);

    void display(const UnmeasurableFile& file);

    /// All that is said, in one text.
    QString summary() const;

private:
    void addFact(const QString& name, const QString& text);
    void addFactsOf(const engine::ConfigFile& file);

    QLabel* m_heading;
    QGridLayout* m_facts;
    QLabel* m_why;
};

} // namespace batchpeak::ui
