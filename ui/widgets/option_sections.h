// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "option_field.h"

#include <QWidget>

#include <string>
#include <vector>

class QGridLayout;

namespace batchpeak::ui {

/// The fields of a form under headings, of which some can be folded away: in two columns where it is wide
/// enough, else in one. What the fields say it does not know.
class OptionSections : public QWidget
{
    Q_OBJECT

public:
    explicit OptionSections(QWidget* parent = nullptr);

    /// \param isFolded  its fields appear once the heading is clicked
    void addSection(const QString& title, const std::vector<OptionField*>& fields, bool isFolded = false);
    /// Explains nothing beside fields but what is wrong with them, so that they need little room.
    void setCompact();

    const std::vector<OptionField*>& fields() const { return m_fields; }
    /// Null for one that has no field here.
    OptionField* field(const std::string& name) const;
    /// What is wrong with each field, as full sentences in lines of their own; empty while all can be read.
    QString problem() const;
    /// That of one column, so that a narrow window comes to it.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Section
    {
        QWidget* body = nullptr;
        QGridLayout* grid = nullptr;
        std::vector<OptionField*> fields;
    };

    void layOut();

    std::vector<Section> m_sections;
    std::vector<OptionField*> m_fields;
    bool m_isCompact = false;
    int m_columns = 0;
    OptionField::Explanation m_explanation = OptionField::Explanation::Below;
};

} // namespace batchpeak::ui
