// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/confirmation_snapshot.h"
#include "widgets/table_model.h"

namespace batchpeak::ui {

/// The sizes of a confirmation: predicted and achieved values. A size that is far off or did not fit has an
/// icon.
class ConfirmationModel : public TableModel
{
    Q_OBJECT

public:
    enum Column { Role, Size, Accumulation, Predicted, Achieved, Miscorrelation, Peak };

    explicit ConfirmationModel(QObject* parent = nullptr);

    void display(const training::ConfirmationSnapshot& snapshot);

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
};

} // namespace batchpeak::ui
