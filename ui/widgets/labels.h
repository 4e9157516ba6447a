// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>

namespace batchpeak::ui {

/// Creates a label in the muted color of the theme.
QLabel* mutedLabel(const QString& text, QWidget* parent);

/// Makes \p label show plain text of several lines, which can be selected and copied, and returns it.
QLabel* wrapped(QLabel* label);

/// Unlike QLabel::setText(), triggers no new layout if the text stays the same.
void setTextIfNew(QLabel* label, const QString& text);

/// Shows \p text in a label with optional line breaks within long names of keys, such as
/// "train_input.micro_batch_size", so that none of them widens the label. Invisible characters of the text
/// are escaped.
void setBreakableText(QLabel* label, const QString& text);
/// Returns the text of a widget without the optional line breaks that setBreakableText() inserted.
QString withoutBreaks(const QWidget& widget, QString text);

/// Maximum length of a name, about as many characters as a dialog is wide.
inline constexpr int longestName = 72;

/// Returns \p text with "…" in the middle of each longer name in it, such as that of a file.
QString withShortNames(QString text, int longest = longestName);

/// Shows such a text in a label, and the whole text as the tool tip if the two differ.
void setTextWithShortNames(QLabel* label, const QString& text, int longest = longestName);
/// Returns the text that was passed to setTextWithShortNames().
QString wholeTextOf(const QLabel* label);

/// One line of text that is elided with "…" if it does not fit, instead of widening the window. The whole
/// text is then the tool tip.
class ElidedLabel : public QLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(Qt::TextElideMode mode, QWidget* parent = nullptr);

    void setFullText(const QString& text);
    const QString& fullText() const { return m_fullText; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();

    Qt::TextElideMode m_mode;
    QString m_fullText;
};

/// A number that the user should read first, above a muted caption.
class Metric : public QWidget
{
    Q_OBJECT

public:
    explicit Metric(const QString& caption, QWidget* parent = nullptr);

    void setValue(const QString& value);
    void setCaption(const QString& caption);
    /// Sets the tool tip that explains the caption.
    void setExplanation(const QString& sentence);

    /// "2,266 ± 38 samples/s"
    QString text() const;

private:
    QLabel* m_value;
    QLabel* m_caption;
};

} // namespace batchpeak::ui
