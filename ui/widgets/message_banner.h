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

/// A message within the window: sentences about a failure or a success, with the lines that show why and at
/// most one action. It stays until it is closed or replaced, and is not modal; it only covers what it lies
/// over.
class MessageBanner : public QFrame
{
    Q_OBJECT

public:
    /// After a Warning the user can continue, after an Error not. Past reports that what is shown is over.
    enum class Kind { Error, Warning, Note, Past };

    explicit MessageBanner(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param details  lines in the fixed font; may be empty
    /// \param action   action of the button; if null there is no button
    void showMessage(Kind kind, const QString& text, const QString& details = {}, QAction* action = nullptr);
    /// Shows a failure once, as an error with these details and this button, and hides it when the failure is
    /// over; any later message stays.
    /// \param failure  the failure as a sentence; empty if there is none
    void showFailure(const QString& failure, const QString& details = {}, QAction* action = nullptr);
    QString text() const;
    /// Whether the banner is visible and has the button of that action.
    bool offers(const QAction* action) const;
    /// Sets whether the banner has a close button; it needs none if it applies as long as it is shown.
    void setClosable(bool closable);
    /// From now on, overlays the lower edge of a widget instead of being in a layout, and moves nothing.
    /// \param host  widget of the same window
    void floatOver(QWidget* host);

signals:
    /// The user has closed the banner.
    /// \param offered  action of its button; null if there was none
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
    /// The widget that the banner overlays; null in a layout.
    QPointer<QWidget> m_host;
    QLabel* m_sign;
    QLabel* m_text;
    QLabel* m_details;
    QPushButton* m_button;
    QPointer<QAction> m_action;
    QToolButton* m_close;
};

} // namespace batchpeak::ui
