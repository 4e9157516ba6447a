// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Collects lines, areas and texts of a picture, and writes them as SVG. Positions are in pixels from the
/// upper left corner.
class SvgCanvas
{
public:
    struct Point
    {
        double x = 0.0;
        double y = 0.0;
    };

    SvgCanvas(double width, double height);

    /// Colors are as in CSS.
    void line(Point from, Point to, std::string_view color, double width, std::string_view dashes = "");
    void polyline(const std::vector<Point>& points, std::string_view color, double width);
    void area(const std::vector<Point>& outline, std::string_view color);
    void circle(Point middle, double radius, std::string_view color);
    /// \param words   text without <, > and &
    /// \param anchor  as in SVG: "start", "middle" or "end"
    void text(Point place, std::string_view words, std::string_view color, double size,
              std::string_view anchor = "start");

    std::string document() const;

private:
    double m_width;
    double m_height;
    std::string m_body;
};
