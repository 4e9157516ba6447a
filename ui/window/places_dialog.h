// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;
class QVBoxLayout;

namespace batchpeak::ui {

class PlacesModel;

/// Shows where trials can run, tests places and saves others; on request, some of them are chosen for the
/// exploration of the plan.
///
/// Tests go on after it is closed.
class PlacesDialog : public QDialog
{
    Q_OBJECT

public:
    /// \param model        outlives the dialog, with its answers
    /// \param isChoosable  whether places can be chosen; accept() then means those of the model
    PlacesDialog(PlacesModel* model, bool isChoosable, const Theme& theme, QWidget* parent = nullptr);
    ~PlacesDialog() override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addTable(QVBoxLayout* layout);
    void addButtons(QVBoxLayout* layout, bool isChoosable);
    int current() const;
    void select(int row);
    void fitRowsSoon();
    void addPlace();
    void removePlace();
    void testOrCancel();
    void copyRow() const;
    void follow();

    PlacesModel* m_model;
    Theme m_theme;
    QTableView* m_table = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_test = nullptr;
    QPushButton* m_send = nullptr;
    /// Null if nothing can be chosen.
    QPushButton* m_choose = nullptr;
};

/// Asks for the name and the text of a place, and saves it. The input is checked while it is typed.
class NewPlaceDialog : public QDialog
{
    Q_OBJECT

public:
    explicit NewPlaceDialog(const Theme& theme, QWidget* parent = nullptr);

    QString name() const;
    QString text() const;
    void setPlace(const QString& name, const QString& text);
    /// Returns why the input is no place, or what it replaces.
    QString finding() const;

    /// Saves the place, unless the input is none.
    void accept() override;

private:
    void check();
    void showFinding(QString sentence, Tone tone);

    Theme m_theme;
    QLineEdit* m_name;
    QLineEdit* m_text;
    QLabel* m_finding;
    QPushButton* m_save;
};

} // namespace batchpeak::ui
