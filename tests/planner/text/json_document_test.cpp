#include "planner/text/json_document.h"

#include "planner/text/json_builder.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 3> kKnown = {"tp", "micro_batch", "pp"};

std::string errorOf(std::string_view text) {
    const auto parsed = parseJson(text, "a.json");
    return parsed ? "" : parsed.error().text();
}

TEST(JsonDocument, KnowsWhereEveryValueAndKeyStands) {
    const auto root = parseJson(
        "{ // a comment, with \"quotes\"\n  \"a\": [1, \"é\\\"]\", {\"b\":true}],\n"
        "/* two\nlines */ \"c\" : -1.5e3 }",
        "a.json");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_EQ(root->where(), "a.json:1:1");
    const JsonValue& list = *root->find("a");
    EXPECT_EQ(list.whereKey(), "a.json:2:3");
    EXPECT_EQ(list.where(), "a.json:2:8");
    EXPECT_EQ(list.items()[1].where(), "a.json:2:12");
    EXPECT_EQ(list.items()[2].where(), "a.json:2:20");  // é is one column
    EXPECT_EQ(list.items()[2].name(), "a[2]");
    EXPECT_EQ(list.items()[2].find("b")->where(), "a.json:2:25");
    EXPECT_EQ(root->find("c")->whereKey(), "a.json:4:10");
    EXPECT_EQ(root->find("c")->where(), "a.json:4:16");
}

TEST(JsonDocument, ReadsEachKindOfValue) {
    const auto root = parseJson(
        "\xEF\xBB\xBF{\"i\": 12, \"w\": 4e9, \"d\": 0.5, \"s\": \"x\", \"t\": true}", "a.json");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_EQ(root->find("i")->integer({}), 12);
    EXPECT_EQ(root->find("w")->integer({}), 4'000'000'000);
    EXPECT_EQ(root->find("d")->number(0, 1), 0.5);
    EXPECT_EQ(root->find("i")->number(0, 100), 12.0);
    EXPECT_EQ(root->find("s")->text(), "x");
    EXPECT_EQ(root->find("t")->boolean(), true);
    EXPECT_EQ(root->integerOr("absent", 7, {}), 7);
    EXPECT_EQ(root->find("absent"), nullptr);
}

TEST(JsonDocument, SaysWhatIsWrongAndWhere) {
    const auto root = parseJson("{\n \"tp\": \"eight\", \"n\": 0.5, \"big\": 70}", "a.json");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->integerOr("tp", 1, {1, 64}).error().text(),
              "a.json:2:8: \"tp\" must be a whole number from 1 to 64, not \"eight\"");
    EXPECT_EQ(root->integerOr("n", 1, {.least = 1}).error().text(),
              "a.json:2:22: \"n\" must be a whole number of at least 1, not 0.5");
    EXPECT_EQ(root->integerOr("big", 1, {1, 64}).error().where, "a.json:2:34");
    EXPECT_EQ(root->textOr("n", "").error().why, "\"n\" must be a string, not 0.5");
    EXPECT_EQ(root->require("pp").error().text(),
              "a.json:1:1: the text has no \"pp\" (add \"pp\")");
}

TEST(JsonDocument, OffersTheNearestKey) {
    const auto near = parseJson("{\"tp\": 1,\n \"micro_bach\": 2}", "a.json");
    EXPECT_EQ(near->onlyKeys(kKnown).error().text(),
              "a.json:2:2: unknown key \"micro_bach\" (did you mean \"micro_batch\"?)");
    const auto far = parseJson("{\"colour\": 2}", "a.json");
    EXPECT_EQ(far->onlyKeys(kKnown).error().hint, "known: tp, micro_batch, pp");
    EXPECT_TRUE(parseJson("{\"pp\": 2}", "a.json")->onlyKeys(kKnown));
}

TEST(JsonDocument, RefusesWhatIsNotJson) {
    EXPECT_EQ(
        errorOf(""),
        "a.json:1:1: not valid JSON: unexpected end of input; expected '[', '{', or a literal");
    EXPECT_EQ(errorOf("{\n  \"a\": 1,\n}"),
              "a.json:3:1: not valid JSON: unexpected '}'; expected string literal");
    EXPECT_EQ(errorOf("{\"a\": 1, \"b\": {\"a\": 1}, \n \"a\": 2}"),
              "a.json:2:2: \"a\" is given twice (remove one of them)");
    EXPECT_NE(errorOf("{\"a\": 1e999}").find("number overflow"), std::string::npos);
    EXPECT_NE(errorOf("[NaN]"), "");
    EXPECT_NE(errorOf("[1] 2"), "");
    EXPECT_NE(errorOf("\"\xFF\""), "");
    EXPECT_NE(errorOf("/* open"), "");
    EXPECT_EQ(errorOf(std::string(100'000, '[')), "a.json:1:65: more than 64 levels deep");
    std::string many = "[0";
    for (int i = 0; i < 200'000; ++i) {
        many += ",0";
    }
    EXPECT_EQ(errorOf(many + "]").substr(0, 30), "a.json:1:400000: more than 200");
    EXPECT_EQ(errorOf(std::string((8 << 20) + 1, ' ')), "a.json: is larger than 8 MiB");
}

TEST(JsonDocument, IntegersBeyond64BitsAreNumbersNotWholeOnes) {
    const auto root = parseJson("[18446744073709551615, 9223372036854775807, 1e300]", "a.json");
    EXPECT_FALSE(root->items()[0].integer({}));
    EXPECT_EQ(root->items()[1].integer({}), 9223372036854775807);
    EXPECT_FALSE(root->items()[2].integer({}));
    EXPECT_TRUE(root->items()[2].number(0, 1e308));
    const auto most = parseJson("{\"us\": 1e300}", "a.json")->find("us")->number(0, 1e16);
    EXPECT_EQ(most.error().why, "\"us\" is out of range at 1e300: at most 1e+16");
}

TEST(JsonBuilder, SetsAMemberByPathAndKeepsItsOrigin) {
    auto root = parseJson("{\"workload\": {\"sequence\": 1}}", "a.json");
    const JsonBuilder flag("--set layout.tp");
    root = flag.with(*root, "layout.tp", *parseJsonArgument("8x", "--set layout.tp"));
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("layout")->find("tp")->integer({1, 8}).error().text(),
              "--set layout.tp: \"tp\" must be a whole number from 1 to 8, not \"8x\"");
    root = flag.with(*root, "workload.sequence", *parseJsonArgument("4096", "--seq"));
    EXPECT_EQ(root->find("workload")->find("sequence")->integer({}), 4096);
    EXPECT_EQ(root->members().size(), 2U);
    EXPECT_FALSE(flag.with(*root, "workload.sequence.deeper", flag.null()));
    EXPECT_FALSE(flag.with(*root, "a..b", flag.null()));
}

TEST(ParseJson, ANulByteIsNotTheEnd) {
    const auto parsed = parseJson(std::string_view("{\n\"a\": 1}\0{", 12), "file");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().where, "file:2:8");
    EXPECT_FALSE(parseJson(std::string_view("{}\0", 3), "file"));
}

}  // namespace
}  // namespace fabricast
