// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "svg_canvas.h"

#include "table_text.h"

namespace {

std::string number(double value)
{
    return cell(value, 0, 2);
}

std::string attribute(std::string_view name, std::string_view value)
{
    return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string attribute(std::string_view name, double value)
{
    return attribute(name, number(value));
}

std::string pointList(const std::vector<SvgCanvas::Point>& points)
{
    std::string list;
    for (const SvgCanvas::Point& point : points)
        list += number(point.x) + "," + number(point.y) + " ";
    return list;
}

} // namespace

SvgCanvas::SvgCanvas(double width, double height) : m_width(width), m_height(height) {}

void SvgCanvas::line(Point from, Point to, std::string_view color, double width, std::string_view dashes)
{
    m_body += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
              attribute("y2", to.y) + attribute("stroke", color) + attribute("stroke-width", width);
    if (!dashes.empty())
        m_body += attribute("stroke-dasharray", dashes);
    m_body += "/>\n";
}

void SvgCanvas::polyline(const std::vector<Point>& points, std::string_view color, double width)
{
    m_body += "<polyline" + attribute("fill", "none") + attribute("stroke", color) +
              attribute("stroke-width", width) + attribute("points", pointList(points)) + "/>\n";
}

void SvgCanvas::area(const std::vector<Point>& outline, std::string_view color)
{
    m_body += "<polygon" + attribute("fill", color) + attribute("stroke", "none") +
              attribute("points", pointList(outline)) + "/>\n";
}

void SvgCanvas::circle(Point middle, double radius, std::string_view color)
{
    m_body += "<circle" + attribute("cx", middle.x) + attribute("cy", middle.y) + attribute("r", radius) +
              attribute("fill", color) + attribute("stroke", "none") + "/>\n";
}

void SvgCanvas::text(Point place, std::string_view words, std::string_view color, double size,
                     std::string_view anchor)
{
    m_body += "<text" + attribute("x", place.x) + attribute("y", place.y) + attribute("fill", color) +
              attribute("stroke", "none") + attribute("font-size", size) +
              attribute("font-family", "sans-serif") + attribute("text-anchor", anchor) + ">" +
              std::string(words) + "</text>\n";
}

std::string SvgCanvas::document() const
{
    return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", m_width) +
           attribute("height", m_height) + ">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           m_body + "</svg>\n";
}
