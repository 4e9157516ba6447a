// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan_preview.h"
#include "theme/theme.h"
#include "widgets/card.h"

#include <QStringList>

#include <vector>

class QAction;
class QLabel;
class QVBoxLayout;

namespace batchpeak::ui {

/// The available devices, each with a check box, its free memory and the memory that other programs use; or
/// the places where trials will run, with what is known of their devices.
class DeviceList : public Card
{
    Q_OBJECT

public:
    /// \param places  action that shows all places
    explicit DeviceList(QAction* places, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param remark  sentences on GPUs that cannot be used or are hidden; may be empty
    void display(const std::vector<engine::DevicePreview>& devices, const QString& remark);
    /// A place of an exploration.
    struct PlaceRow
    {
        QString name;
        /// Lines on its devices.
        QString facts;
    };
    /// \param remark  sentences on all of them; may be empty
    void displayPlaces(const std::vector<PlaceRow>& places, const QString& remark);

signals:
    /// The user changed the checked devices, which are in their order; may be empty.
    void chosen(const QStringList& ids);

private:
    class TickBox;
    struct Row
    {
        QString id;
        /// Null for a place.
        TickBox* box = nullptr;
        /// Name of a place; null for a device.
        QLabel* name = nullptr;
        QLabel* facts = nullptr;
    };

    QLabel* makeFacts();
    void clear();
    void makeRows(const std::vector<engine::DevicePreview>& devices);
    void tellChosen();

    Theme m_theme = Theme::light();
    QVBoxLayout* m_list;
    std::vector<Row> m_rows;
    QLabel* m_remark;
};

} // namespace batchpeak::ui
