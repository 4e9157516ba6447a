// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration_picture.h"
#include "support/test_main.h"

#include <QTest>
#include <QXmlStreamReader>

#include <cmath>

namespace {

/// Returns a search that states these probabilities in order, and is right from the second one on.
SearchRecord searchStating(const std::vector<double>& stated)
{
    SearchRecord record;
    for (const double probability : stated)
        record.moments.push_back({.stated = probability, .regret = record.moments.empty() ? 0.5 : 0.0});
    return record;
}

} // namespace

class CalibrationPictureTest : public QObject
{
    Q_OBJECT

private slots:
    void countsFirstPassages()
    {
        std::vector<SearchRecord> searches(15, searchStating({0.55, 0.97, 0.6}));
        searches.resize(20, searchStating({0.1, 0.56, 0.2}));
        const std::vector<FirstPassage> passages = firstPassagesOf(searches);
        // Passages of 30, 40 and 50 %, which all searches reach, and of 60 to 95 %, which only the first 15
        // reach.
        QCOMPARE(passages.size(), std::size_t{9});
        QCOMPARE(passages[2].searches, 20);
        QVERIFY(std::abs(passages[2].stated - 0.5525) < 1e-9);
        QVERIFY(std::abs(passages[2].right - 0.25) < 1e-9);
        QVERIFY(passages[2].low > 0.1 && passages[2].low < 0.25 && passages[2].high < 0.5);
        QCOMPARE(passages.back().searches, 15);
        QCOMPARE(passages.back().right, 1.0);
        QVERIFY(passages.back().low > 0.75 && passages.back().low < 0.85);
    }

    void ignoresPassagesOfFewSearches() { QVERIFY(firstPassagesOf({searchStating({0.9})}).empty()); }

    void writesWellFormedSvg()
    {
        const std::vector<CalibrationPanel> panels(
            5, {.title = "calm", .searches = std::vector<SearchRecord>(12, searchStating({0.5, 0.97}))});
        QXmlStreamReader reader(QByteArray::fromStdString(calibrationPicture(panels)));
        int circles = 0;
        while (!reader.atEnd()) {
            if (reader.readNext() == QXmlStreamReader::StartElement &&
                reader.name() == QLatin1String("circle"))
                ++circles;
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(circles, 5 * 9);
    }
};

BATCHPEAK_TEST(CalibrationPictureTest)
#include "tst_calibration_picture.moc"
