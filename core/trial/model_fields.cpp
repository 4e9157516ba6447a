// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_fields.h"

#include "model/architecture_fields.h"

#include <utility>

namespace batchpeak::trial {

namespace {

/// Writes the members of a network into an object.
class FieldWriter
{
public:
    explicit FieldWriter(Json& object) : m_object(object) {}

    template<typename Value>
    void value(const char* name, const Value& member)
    {
        m_object[name] = member;
    }
    template<typename Value, typename Parse>
    void word(const char* name, Value member, Parse)
    {
        m_object[name] = toText(member);
    }
    void sizes(const char* name, const std::vector<std::int64_t>& member) { m_object[name] = member; }
    template<typename Value>
    void list(const char* name, std::vector<Value>& member)
    {
        Json& array = m_object[name] = Json::array();
        for (Value& element : member)
            visitFields(element, FieldWriter(array.emplace_back(Json::object())));
    }

private:
    Json& m_object;
};

/// Reads the members of a network from an object; an absent one stays as it is.
class MemberReader
{
public:
    explicit MemberReader(const FieldReader& fields) : m_fields(fields) {}

    void value(const char* name, std::int64_t& member) { member = m_fields.integer(name, member); }
    void value(const char* name, double& member) { member = m_fields.number(name, member); }
    void value(const char* name, bool& member) { member = m_fields.boolean(name, member); }
    void value(const char* name, std::string& member) { member = m_fields.text(name, member); }
    template<typename Value>
    void word(const char* name, Value& member, std::optional<Value> (*parse)(std::string_view))
    {
        member = m_fields.word(name, parse, std::optional(member));
    }
    void sizes(const char* name, std::vector<std::int64_t>& member) { member = m_fields.integers(name); }
    template<typename Value>
    void list(const char* name, std::vector<Value>& member)
    {
        member.clear();
        for (const FieldReader& element : m_fields.objects(name))
            visitFields(member.emplace_back(), MemberReader(element));
    }

private:
    const FieldReader& m_fields;
};

} // namespace

Json modelToJson(const model::ModelSpec& spec)
{
    Json object{{"family", spec.family}};
    model::Architecture architecture = spec.architecture;
    std::visit([&object](auto& members) { visitFields(members, FieldWriter(object)); }, architecture);
    return object;
}

model::ModelSpec modelSpecFrom(const FieldReader& fields)
{
    const std::string family = fields.text("family");
    auto architecture = model::architectureOf(family);
    if (!architecture) {
        fields.refuse("family", "is " + inQuotes(family) + ", but must be one of " + model::familyWords());
    }
    std::visit([&fields](auto& members) { visitFields(members, MemberReader(fields)); }, *architecture);
    return {.family = family, .architecture = std::move(*architecture)};
}

} // namespace batchpeak::trial
