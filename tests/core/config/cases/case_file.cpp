// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "case_file.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace batchpeak::config {

namespace {

const std::string caseMark = "=== ";
const std::string partMark = "--- ";
const std::string placeMark = "<<case>>";
const std::string byteOrderMark = "\xEF\xBB\xBF";

/// Returns the key of the whole value: "network" for "network.heads".
std::string wholeOf(const std::string& key)
{
    return key.substr(0, key.find('.'));
}

Lines withKey(const Lines& lines, const std::string& key)
{
    Lines found;
    std::ranges::copy_if(lines, std::back_inserter(found),
                         [&key](const std::string& line) { return keyOf(line) == key; });
    return found;
}

bool isNone(const Lines& lines, const std::string& whole)
{
    const Lines found = withKey(lines, whole);
    return !found.empty() && found.front().starts_with(whole + ": none");
}

/// Returns each key once, in the order of the lines.
Lines keysOf(const Lines& lines)
{
    Lines keys;
    for (const std::string& line : lines) {
        if (std::ranges::find(keys, keyOf(line)) == keys.end())
            keys.push_back(keyOf(line));
    }
    return keys;
}

/// Returns the bytes that lines of a case file stand for.
std::string unescaped(const Lines& lines)
{
    std::string text;
    for (std::string line : lines) {
        const auto cut = [&line](const std::string& end) {
            const bool has = line.ends_with(end);
            if (has)
                line.resize(line.size() - end.size());
            return has;
        };
        if (line.starts_with("\\BOM"))
            line.replace(0, 4, byteOrderMark);
        if (line.starts_with("\\" + caseMark) || line.starts_with("\\" + partMark))
            line.erase(0, 1);
        const bool hasEnd = !cut("\\c");
        const bool hasReturn = cut("\\r");
        text += line + (hasReturn ? "\r" : "") + (hasEnd ? "\n" : "");
    }
    return text;
}

void addTo(std::string& text, const std::string& header, const Lines& lines)
{
    text += header;
    for (const std::string& line : lines)
        text += line + '\n';
}

void addTo(std::string& text, const ConfigCase& one)
{
    addTo(text, "\n" + caseMark + one.name + '\n', one.text);
    for (const CasePart& part : one.parts)
        addTo(text, partMark + part.header + '\n', part.lines);
}

} // namespace

std::string keyOf(const std::string& line)
{
    return line.substr(0, line.find(':'));
}

CaseFile caseFileFromText(const std::string& text)
{
    CaseFile file;
    Lines* lines = &file.about;
    ConfigCase* current = nullptr;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with(caseMark)) {
            // An empty line separates two cases.
            if (!lines->empty() && lines->back().empty())
                lines->pop_back();
            const std::string name = line.substr(caseMark.size());
            current = name == "all" ? &file.all : &file.cases.emplace_back();
            current->name = name;
            lines = &current->text;
        } else if (current && line.starts_with(partMark)) {
            lines = &current->parts.emplace_back(CasePart{.header = line.substr(partMark.size())}).lines;
        } else {
            lines->push_back(line);
        }
    }
    return file;
}

std::string toText(const CaseFile& file)
{
    std::string text;
    addTo(text, "", file.about);
    if (!file.all.name.empty())
        addTo(text, file.all);
    for (const ConfigCase& one : file.cases)
        addTo(text, one);
    return text;
}

std::string configText(const ConfigCase& all, const ConfigCase& one)
{
    std::string text = unescaped(one.text);
    std::string whole = unescaped(all.text);
    const std::size_t place = whole.find(placeMark);
    if (place == std::string::npos)
        return whole + text;
    const std::size_t end = place + placeMark.size();
    const bool isWholeLine =
        (place == 0 || whole[place - 1] == '\n') && (end == whole.size() || whole[end] == '\n');
    if (!isWholeLine && text.ends_with('\n'))
        text.pop_back();
    return whole.replace(place, placeMark.size() + (isWholeLine && end < whole.size() ? 1 : 0), text);
}

Lines escapedLines(const std::string& text)
{
    Lines lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        std::string line = text.substr(begin, end - begin);
        const bool hasReturn = line.ends_with('\r');
        if (hasReturn)
            line.pop_back();
        if (line.starts_with(byteOrderMark))
            line.replace(0, byteOrderMark.size(), "\\BOM");
        lines.push_back(line + (hasReturn ? "\\r" : "") + (end == std::string::npos ? "\\c" : ""));
        begin = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

Lines readingWith(const Lines& all, const Lines& own)
{
    Lines reading;
    for (const std::string& line : all) {
        const std::string key = keyOf(line);
        const std::string whole = wholeOf(key);
        const bool isOfNone = whole != key && isNone(withKey(own, whole).empty() ? all : own, whole);
        if (withKey(own, key).empty() && !isOfNone)
            reading.push_back(line);
    }
    std::ranges::copy_if(own, std::back_inserter(reading),
                         [](const std::string& line) { return !line.ends_with(": absent"); });
    return reading;
}

Lines ownReading(const Lines& all, const Lines& reading)
{
    Lines own;
    for (const std::string& key : keysOf(reading)) {
        const Lines lines = withKey(reading, key);
        if (lines != withKey(all, key))
            own.insert(own.end(), lines.begin(), lines.end());
    }
    for (const std::string& key : keysOf(all)) {
        if (withKey(reading, key).empty() && !isNone(reading, wholeOf(key)))
            own.push_back(key + ": absent");
    }
    return own;
}

Lines commonReading(const std::vector<Lines>& readings)
{
    Lines keys;
    for (const Lines& reading : readings) {
        for (const std::string& key : keysOf(reading)) {
            if (std::ranges::find(keys, key) == keys.end())
                keys.push_back(key);
        }
    }
    Lines common;
    for (const std::string& key : keys) {
        std::map<Lines, std::size_t> counts;
        std::size_t present = 0;
        std::size_t wholes = 0;
        for (const Lines& reading : readings) {
            const Lines lines = withKey(reading, key);
            present += lines.empty() ? 0 : 1;
            wholes += isNone(reading, wholeOf(key)) ? 0 : 1;
            if (!lines.empty())
                ++counts[lines];
        }
        const auto max = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
        const bool isPart = wholeOf(key) != key;
        if (!isPart || 2 * present > wholes)
            common.insert(common.end(), max->first.begin(), max->first.end());
    }
    return common;
}

} // namespace batchpeak::config
