// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "document_origin.h"

#include "text_check.h"

#include <algorithm>

namespace batchpeak::config {

const OriginSegment& DocumentOrigin::segmentAt(std::size_t byte) const
{
    const auto after = std::ranges::upper_bound(segments, byte, {}, &OriginSegment::begin);
    if (after == segments.begin())
        throw ConfigError("The value does not stand in the file; set the micro-batch size by hand.");
    return *std::prev(after);
}

TextPosition DocumentOrigin::positionOf(std::size_t byte) const
{
    if (segments.empty())
        return named;
    const auto after = std::ranges::upper_bound(segments, byte, {}, &OriginSegment::begin);
    const OriginSegment& segment = after == segments.begin() ? segments.front() : *std::prev(after);
    const bool isInside = segment.isCopy && byte >= segment.begin;
    return positionIn(text, isInside ? std::min(segment.textBegin + (byte - segment.begin), segment.textEnd)
                            : segment.isCopy ? segment.textBegin
                                             : segment.valueBegin);
}

OriginChange DocumentOrigin::changeOf(const TextPiece& piece) const
{
    const OriginSegment* first = &segmentAt(piece.begin);
    const OriginSegment& last = segmentAt(piece.end > piece.begin ? piece.end - 1 : piece.begin);
    // A value of several lines may be followed by an entry that begins where a segment ends.
    if (!first->isCopy && piece.begin == piece.end)
        return {.piece = {first->textEnd, first->textEnd, piece.text}};
    if (first == &last && !first->isCopy) {
        return replace ? replace(*first, piece.text)
                       : OriginChange{.piece = {first->textBegin, first->textEnd, piece.text}};
    }
    const auto byteOf = [](const OriginSegment& segment, std::size_t byte) {
        return segment.textBegin + (byte - segment.begin);
    };
    const std::size_t begin = first->isCopy ? byteOf(*first, piece.begin) : first->textBegin;
    const std::size_t end = last.isCopy ? byteOf(last, piece.end) : last.textEnd;
    if (end > text.size() || begin > end)
        throw ConfigError("The value does not stand in the file; set the micro-batch size by hand.");
    return {.piece = {begin, end, piece.text}};
}

std::string withPieces(std::string_view text, std::vector<TextPiece> pieces)
{
    std::ranges::stable_sort(pieces, {}, &TextPiece::begin);
    std::string result;
    std::size_t kept = 0;
    for (const TextPiece& piece : pieces) {
        result.append(text.substr(kept, piece.begin - kept)).append(piece.text);
        kept = piece.end;
    }
    return result.append(text.substr(kept));
}

} // namespace batchpeak::config
