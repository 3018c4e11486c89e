#include "planner/text/json_text.h"

#include "planner/text/json_document.h"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>
#include <utility>

namespace fabricast {
namespace {

TEST(JsonText, WritesMembersInTheOrderGiven) {
    JsonText json;
    json.beginObject();
    json.add("schema", "x/1");
    json.add("on", true);
    json.add("bytes", Bytes(1) * 5);
    json.add("ratio", 0.1);
    json.beginArray("list");
    json.item(std::int64_t{1});
    json.item("a\"b\n");
    json.end();
    json.beginObject("empty");
    json.end();
    json.end();
    EXPECT_EQ(std::move(json).finish(),
              "{\n  \"schema\": \"x/1\",\n  \"on\": true,\n  \"bytes\": 5,\n  \"ratio\": 0.1,\n"
              "  \"list\": [\n    1,\n    \"a\\\"b\\n\"\n  ],\n  \"empty\": {}\n}\n");
}

TEST(JsonText, WritesAListOfTextsAsAnArray) {
    JsonText json;
    json.beginObject();
    json.add("notes", std::vector<std::string>{"one", "t\"wo"});
    json.add("none", std::vector<std::string>());
    json.end();
    EXPECT_EQ(std::move(json).finish(),
              "{\n  \"notes\": [\n    \"one\",\n    \"t\\\"wo\"\n  ],\n  \"none\": []\n}\n");
}

TEST(JsonText, WhatIsNotFiniteIsNullWithAReason) {
    JsonText json;
    json.beginObject();
    json.add("a", std::numeric_limits<double>::quiet_NaN());
    json.add("b", std::numeric_limits<double>::infinity());
    json.end();
    const std::string text = std::move(json).finish();
    EXPECT_NE(text.find("\"a\": null,\n  \"a_why\": \"not a finite number\""), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_TRUE(parseJson(text, "out"));
}

TEST(JsonText, QuotesAnyBytes) {
    EXPECT_EQ(jsonQuoted("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
    for (const char* bad : {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
        EXPECT_TRUE(parseJson(jsonQuoted(bad), "out")) << bad;
    }
    EXPECT_EQ(jsonQuoted(std::string_view("\0\x1f", 2)), "\"\\u0000\\u001f\"");
    // Direction and width that nobody sees.
    EXPECT_EQ(jsonQuoted("a\u202eb\u061c\u0085\ufeff"), "\"a\\u202eb\\u061c\\u0085\\ufeff\"");
}

TEST(JsonText, NumbersReadBackAsTheyWere) {
    for (const double value : {0.1, 1e-300, 1.7976931348623157e308, 3.0, -0.0, 123456789.125}) {
        JsonText json;
        json.beginArray();
        json.item(value);
        json.end();
        const auto back = parseJson(std::move(json).finish(), "out");
        ASSERT_TRUE(back);
        EXPECT_EQ(back->items()[0].number(-1e308 * 1.9, 1.7976931348623157e308), value);
    }
}

}  // namespace
}  // namespace fabricast
