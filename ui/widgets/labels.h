// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>

namespace batchpeak::ui {

/// A label in the muted color of the theme.
QLabel* mutedLabel(const QString& text, QWidget* parent);

/// \p label for plain text of several lines, which can be marked and copied.
QLabel* wrapped(QLabel* label);

/// Unlike QLabel::setText(), lays nothing out again where the text stays the same.
void setTextIfNew(QLabel* label, const QString& text);

/// Shows \p text in a label with places to break a line within long names of keys, as
/// "train_input.micro_batch_size", so that none forces it wider. What nobody sees in the text is spelled out.
void setBreakableText(QLabel* label, const QString& text);
/// Text of a widget without the places to break a line that stand there so.
QString withoutBreaks(const QWidget& widget, QString text);

/// About as many letters as a dialog is wide.
inline constexpr int longestName = 72;

/// \p text with "…" in the middle of each longer name in it, as that of a file may be.
QString withShortNames(QString text, int longest = longestName);

/// Shows that in a label, and the whole of it as the tool tip where they differ.
void setTextWithShortNames(QLabel* label, const QString& text, int longest = longestName);
/// What was set there.
QString wholeTextOf(const QLabel* label);

/// One line of text that ends in "…" where it has no room, instead of forcing the window wider. The
/// whole of it is then the tool tip.
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

/// One number that a person reads first, over a muted word for what it is.
class Metric : public QWidget
{
    Q_OBJECT

public:
    explicit Metric(const QString& caption, QWidget* parent = nullptr);

    void setValue(const QString& value);
    void setCaption(const QString& caption);
    /// What the caption means, as its tool tip.
    void setExplanation(const QString& sentence);

    /// "2,266 ± 38 samples/s"
    QString text() const;

private:
    QLabel* m_value;
    QLabel* m_caption;
};

} // namespace batchpeak::ui
