// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QFrame>
#include <QPointer>

class QAction;
class QLabel;
class QPushButton;
class QToolButton;

namespace batchpeak::ui {

/// A message within the window: what went wrong or was done, as sentences, with the lines that show why
/// and at most one thing to do about it. It stays until it is closed or replaced, and blocks nothing but what
/// it lies over.
class MessageBanner : public QFrame
{
    Q_OBJECT

public:
    /// A Warning is what can be gone on from, an Error what cannot. Past tells that what is shown is over.
    enum class Kind { Error, Warning, Note, Past };

    explicit MessageBanner(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param details  lines in the fixed font; may be empty
    /// \param action   of the button; without one there is no button
    void showMessage(Kind kind, const QString& text, const QString& details = {}, QAction* action = nullptr);
    /// Shows a failure once, as an error with these details and this button, and takes it away when it is
    /// over; what was said since stays. \param failure  as a sentence; empty without one
    void showFailure(const QString& failure, const QString& details = {}, QAction* action = nullptr);
    QString text() const;
    /// Whether what it says is shown with the button of that action.
    bool offers(const QAction* action) const;
    /// Without a way to close it, for what holds as long as it is shown.
    void setClosable(bool closable);
    /// Lies over the lower edge of a widget from here on, in the place of a layout, and moves nothing.
    /// \param host  of the same window
    void floatOver(QWidget* host);

signals:
    /// A person has closed it. \param offered  the action of its button; null without one
    void closed(const QAction* offered);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applySign();
    void place();

    Theme m_theme = Theme::light();
    Kind m_kind = Kind::Note;
    QString m_failure;
    /// What it lies over; null in a layout.
    QPointer<QWidget> m_host;
    QLabel* m_sign;
    QLabel* m_text;
    QLabel* m_details;
    QPushButton* m_button;
    QPointer<QAction> m_action;
    QToolButton* m_close;
};

} // namespace batchpeak::ui
