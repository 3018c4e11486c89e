#include "planner/text/edit_json.h"

#include "planner/text/json_builder.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {
namespace {

struct JsonEdit {
    std::string path;
    std::string value;  ///< "null": taken away
};

std::string afterEdits(const std::string& text, const std::vector<JsonEdit>& edits) {
    const JsonValue said = parseJson(text, "run.json").value();
    JsonValue wanted = said;
    for (const JsonEdit& edit : edits) {
        wanted = edit.value == "null"
                     ? JsonBuilder::without(wanted, edit.path)
                     : JsonBuilder("")
                           .with(wanted, edit.path, parseJsonArgument(edit.value, "").value())
                           .value();
    }
    const std::string edited = editedJson(text, said, wanted).value();
    const Result<JsonValue> again = parseJson(edited, "edited.json");
    EXPECT_TRUE(again) << edited;
    EXPECT_TRUE(again && isSameJson(*again, wanted)) << edited;
    return edited;
}

TEST(EditedJson, WithoutAnEditIsTheSameBytes) {
    for (const std::string text :
         {"{}",
          " { /* all */ } // end",
          "\xEF\xBB\xBF{\r\n\t\"a\" : 1 , // one\r\n\"b\":[ 1,2 ]\r\n}\r\n",
          R"({"a": "// no comment", "b": {"c": "\\\""}})"}) {
        EXPECT_EQ(afterEdits(text, {}), text);
    }
}

constexpr const char* kText = R"({
  // What is trained
  "model": "gpt2",   // small

  /* Where */
  "cluster": { "name": "dgx-h100", "nodes": 1 },
  "workload": {
    // Samples
    "global_batch": 64,
    "sequence": 8192 // tokens
    // the end
  }
}
)";

TEST(EditedJson, ChangesAValueInItsLine) {
    EXPECT_EQ(afterEdits(kText, {{"cluster.nodes", "4"}, {"workload.sequence", "4096"}}),
              R"({
  // What is trained
  "model": "gpt2",   // small

  /* Where */
  "cluster": { "name": "dgx-h100", "nodes": 4 },
  "workload": {
    // Samples
    "global_batch": 64,
    "sequence": 4096 // tokens
    // the end
  }
}
)");
}

TEST(EditedJson, AddsAMemberBehindTheLastComment) {
    EXPECT_EQ(afterEdits(kText, {{"cluster.fabric", "roce"}, {"workload.tokens", "1T"}}),
              R"({
  // What is trained
  "model": "gpt2",   // small

  /* Where */
  "cluster": { "name": "dgx-h100", "nodes": 1, "fabric": "roce" },
  "workload": {
    // Samples
    "global_batch": 64,
    "sequence": 8192, // tokens
    // the end
    "tokens": "1T"
  }
}
)");
}

TEST(EditedJson, TakesAMemberAwayWithItsLineAndKeepsTheComments) {
    EXPECT_EQ(afterEdits(kText, {{"model", "null"}, {"workload.sequence", "null"}}),
              R"({
  // What is trained
  // small

  /* Where */
  "cluster": { "name": "dgx-h100", "nodes": 1 },
  "workload": {
    // Samples
    "global_batch": 64
    // tokens
    // the end
  }
}
)");
}

TEST(EditedJson, ReadsBackWhereverCommentsStand) {
    const std::string odd =
        "{\"a\"//k\n:/*v*/1//x\n,/*b*/\"b\": {\"c\": 1//}\n}, \"d\": [1, //,\n2]//end\n}";
    const std::size_t comments = commentsOf(odd).size();
    EXPECT_EQ(comments, 7U);
    for (const JsonEdit& edit : {JsonEdit{"a", "null"},
                                 JsonEdit{"a", "2"},
                                 JsonEdit{"b.c", "null"},
                                 JsonEdit{"b.e", "3"},
                                 JsonEdit{"e", "{\"f\": [1, 2]}"},
                                 JsonEdit{"d", "null"}}) {
        const std::string edited = afterEdits(odd, {edit});
        EXPECT_EQ(edited.find("//end") != std::string::npos, true) << edited;
    }
    afterEdits(odd, {{"a", "null"}, {"b", "null"}, {"d", "null"}});
    afterEdits(odd, {{"a", "null"}, {"b", "null"}, {"d", "null"}, {"e", "1"}});
    afterEdits("{\"a\": 1 // one\n}", {{"b", "2"}});
    afterEdits("{ // one\n \"a\": 1}", {{"b", "2"}, {"a", "null"}});
}

}  // namespace
}  // namespace fabricast
