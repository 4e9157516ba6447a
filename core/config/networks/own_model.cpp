// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "own_model.h"

#include "model/architecture_fields.h"
#include "model/family.h"
#include "syntax/known_keys.h"

#include <utility>

namespace batchpeak::config {

namespace {

/// Reads the members of a network from a section, each where its key is there.
class SectionReader
{
public:
    /// \param known  keys that others read
    SectionReader(const ConfigSection& section, std::vector<std::string> known)
        : m_section(section), m_known(std::move(known))
    {}

    void value(const std::string& key, std::int64_t& member) { set(key, member, m_section.integer(key)); }
    void value(const std::string& key, double& member) { set(key, member, m_section.number(key)); }
    void value(const std::string& key, bool& member) { set(key, member, m_section.boolean(key)); }
    void value(const std::string& key, std::string& member) { set(key, member, m_section.text(key)); }

    template<typename Value>
    void word(const std::string& key, Value& member, std::optional<Value> (*parse)(std::string_view))
    {
        const auto text = m_section.text(key);
        const auto parsed = text ? parse(*text) : std::nullopt;
        if (text && !parsed)
            m_section.fail(key, "is none of the words that it may be: \"" + *text + "\"");
        set(key, member, parsed);
    }

    void sizes(const std::string& key, std::vector<std::int64_t>& member)
    {
        set(key, member, m_section.integers(key));
    }

    template<typename Value>
    void list(const std::string& key, std::vector<Value>& member)
    {
        m_known.push_back(key);
        for (const ConfigSection& section : m_section.sections(key)) {
            SectionReader reader(section, {});
            visitFields(member.emplace_back(), reader);
            refuseOtherKeys(section, reader.known());
        }
    }

    const std::vector<std::string>& known() const { return m_known; }

private:
    template<typename Value>
    void set(const std::string& key, Value& member, std::optional<Value> found)
    {
        m_known.push_back(key);
        if (found)
            member = std::move(*found);
    }

    const ConfigSection& m_section;
    std::vector<std::string> m_known;
};

} // namespace

model::ModelSpec readOwnModel(const ConfigSection& section)
{
    const auto family = section.text("family");
    if (!family) {
        throw ConfigError(section.pathOf("family") + " is missing; write which network it is, such as " +
                              model::familyWords() + ".",
                          section.positionOf("family"));
    }
    auto architecture = model::architectureOf(*family);
    if (!architecture)
        section.fail("family", "is \"" + *family + "\", which is none of " + model::familyWords());

    model::ModelSpec spec{.family = *family, .architecture = std::move(*architecture)};
    SectionReader reader(section, {"family"});
    std::visit([&reader](auto& members) { visitFields(members, reader); }, spec.architecture);
    refuseOtherKeys(section, reader.known());
    if (const auto problem = problemWith(spec))
        throw ConfigError(*problem, section.document().positionOf(section.mapping()));
    return spec;
}

} // namespace batchpeak::config
