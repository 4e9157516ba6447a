// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_choice.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QButtonGroup;
class QVBoxLayout;

namespace batchpeak::ui {

/// Asks which batch one optimizer step is to have where a config cannot keep its own with a micro-batch size:
/// the nearest below, if there is one, or the nearest above. None is chosen at first, since either changes
/// the training.
class BatchChoiceBox : public QWidget
{
    Q_OBJECT

public:
    /// \param plan  whose batch cannot be kept
    BatchChoiceBox(const config::BatchPlan& plan, std::int64_t microBatchSize,
                   const config::BatchNotKept& choice, QWidget* parent = nullptr);

    /// Samples in one optimizer step, in the terms of the plan.
    std::optional<std::int64_t> chosen() const;

signals:
    void changed();

private:
    void offer(const QString& text, std::int64_t batch);

    QButtonGroup* m_buttons;
    QVBoxLayout* m_layout;
    std::vector<std::int64_t> m_batches;
};

} // namespace batchpeak::ui
