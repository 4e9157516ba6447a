// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/yaml_edit.h"

#include <QTest>

#include <functional>

using namespace batchpeak::config;

namespace {

using Change = std::function<void(YamlEdit&)>;

struct Writing
{
    std::string before;
    std::string after;
};

constexpr const char* text = "a: &x 1\nb: [2, *x]\nc: 3\n";

} // namespace

/// Tests applied(), which alone decides whether a change to a YAML text can be trusted, regardless of what
/// made the change.
class YamlEditTest : public QObject
{
    Q_OBJECT

private slots:
    void appliesTheRequestedChange()
    {
        const YamlDocument document(text);
        const YamlNode& value = *document.root().children[1];
        QCOMPARE(applied(document, replaceValue(document, value, "9"))->text(),
                 std::string("a: &x 9\nb: [2, *x]\nc: 3\n"));
    }

    void ignoresTagsInComments_data()
    {
        rows<Writing>({
            {"of JSON", {"{\"a\" /* set! */ : 8}\n", "{\"a\" /* set! */ : 24}\n"}},
            {"behind a key", {"? a # set!\n: 8\n", "? a # set!\n: 24\n"}},
            {"before a tag", {"a: # set!\n  !!str 8\n", "a: # set!\n  24\n"}},
        });
    }
    void ignoresTagsInComments()
    {
        const auto& [before, after] = row<Writing>();
        const YamlDocument document(before);
        QCOMPARE(applied(document, replaceValue(document, *document.root().children[1], "24"))->text(),
                 after);
    }

    void insertsAboveAKeyWithATag()
    {
        const YamlDocument document("a: &x\n  !!str b: 1\n");
        QCOMPARE(applied(document, insertEntry(document, *document.root().children[1], "c", "2"))->text(),
                 std::string("a: &x\n  c: 2\n  !!str b: 1\n"));
    }

    void notesMergedEntries_data()
    {
        const auto add = rows<std::string, std::size_t>();
        add("one", {"b: {<<: *x}", 1});
        add("one that is set there", {"b: {<<: *x, size: 8}", 0});
        add("one beside bytes of its name", {"b: {<<: *x, !!binary size: 8}", 1});
    }
    void notesMergedEntries()
    {
        const auto& [merging, notes] = row<std::string, std::size_t>();
        const YamlDocument document("a: &x {size: 4}\n" + merging + "\n");
        const YamlNode& size = *document.root().children[1]->children[1];
        QCOMPARE(aliasNotes(document, size, "size").size(), notes);
    }

    void refusesFurtherChanges_data()
    {
        rows<Change>({
            {"another value",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({22, 23, "4"});
             }},
            {"another key",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({19, 20, "d"});
             }},
            {"quoting of another value",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({22, 23, "'3'"});
             }},
            {"an alias for its value",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({15, 17, "9"});
             }},
            {"a list for a mapping",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({11, 18, "{2: *x}"});
             }},
            {"one value more",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({23, 23, "\nd: 4"});
             }},
            {"one value less",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({19, 24, ""});
             }},
            {"an anchor moved",
             [](YamlEdit& edit) {
                 edit.pieces = {{3, 7, "9"}, {12, 12, "&x "}};
             }},
            {"a tag",
             [](YamlEdit& edit) {
                 edit.pieces = {{6, 7, "!!str 9"}};
             }},
            {"no YAML any more",
             [](YamlEdit& edit) {
                 edit.pieces.push_back({17, 18, ""});
             }},
        });
    }
    void refusesFurtherChanges()
    {
        const YamlDocument document(text);
        YamlEdit edit = replaceValue(document, *document.root().children[1], "9");
        row<Change>()(edit);
        QVERIFY_EXCEPTION_THROWN(applied(document, edit), ConfigError);
    }
};

BATCHPEAK_TEST(YamlEditTest)
#include "tst_yaml_edit.moc"
