// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <QStringList>
#include <QWidget>

class QLabel;

namespace batchpeak::ui {

/// Two words on the recommended size, each with the figures as its tool tip: what limits its speed, and how
/// its verification in a fresh process stands.
class RecommendationChips : public QWidget
{
    Q_OBJECT

public:
    explicit RecommendationChips(QWidget* parent = nullptr);

    void display(const engine::Snapshot& snapshot);
    /// Of the chips that are shown.
    QStringList words() const;

private:
    QLabel* m_limit;
    QLabel* m_verification;
};

} // namespace batchpeak::ui
