// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"
#include "snapshot/snapshot.h"

#include <QWidget>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace batchpeak::ui {

/// The user's requests to a running exploration: skip a trial, try a size, exclude a size, spend more, accept
/// a lower target. It offers what the snapshot says is possible, and emits the requests.
class SteeringPanel : public QWidget
{
    Q_OBJECT

public:
    explicit SteeringPanel(QWidget* parent = nullptr);

    void display(const engine::Snapshot& snapshot);
    /// Puts a size into its field.
    void setSize(std::int64_t size);

signals:
    void skipAsked();
    void trialAsked(std::int64_t size);
    /// \param isExcluded  false to allow it again
    void exclusionAsked(std::int64_t size, bool isExcluded);
    void effortAsked(const batchpeak::engine::ExtraBudget& more);
    /// Requests a tolerance, as a fraction 0..1.
    void toleranceAsked(double tolerance);
    void targetConfidenceAsked(double confidence);

private:
    QWidget* makeSizeRow();
    QWidget* makeEffortRow();
    QWidget* makeToleranceRow();
    std::int64_t size() const;
    bool isExcluded(std::int64_t size) const;
    void enable();
    /// A fraction that is typed in percent.
    struct ShareField
    {
        QLineEdit* line = nullptr;
        /// Name of the field in sentences.
        QString name;
        double min = 0.0;
        double max = 0.0;
        void (SteeringPanel::*asked)(double) = nullptr;
        /// Sentence that says what is wrong with the input; empty if it is valid.
        QString problem = {};
    };

    void addShare(const QString& name, const QString& accessibleName, double min, double max,
                  void (SteeringPanel::*asked)(double));
    std::optional<double> read(ShareField& field);
    void showShare(ShareField& field, double share, bool isEnabled, bool isOfAnother);
    void showProblems();

    engine::Commands m_commands;
    std::vector<std::int64_t> m_excluded;
    QLineEdit* m_size = nullptr;
    QPushButton* m_try = nullptr;
    QPushButton* m_exclude = nullptr;
    QPushButton* m_skip = nullptr;
    QPushButton* m_moreTrials = nullptr;
    QPushButton* m_moreTime = nullptr;
    /// Tolerance and confidence; their addresses are stable.
    std::vector<std::unique_ptr<ShareField>> m_shares;
    /// Number of trials of the exploration that was shown last: a smaller number means another exploration.
    std::size_t m_trials = 0;
    QLabel* m_state;
    QLabel* m_problem;
};

} // namespace batchpeak::ui
