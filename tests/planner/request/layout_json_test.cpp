#include "planner/request/layout_json.h"

#include "planner/request/settings_json.h"
#include "planner/text/json_builder.h"

#include <gtest/gtest.h>

#include <utility>

namespace fabricast {
namespace {

Result<PartialLayout> typed(const std::string& text) {
    FABRICAST_ASSIGN(const JsonValue object, layoutObject(text, "--layout"));
    return readLayout(object);
}

TEST(LayoutJson, ReadsWhatIsTyped) {
    const auto partial = typed("tp=8, pp=4,sp=on,shard=zero1,schedule=1f1b,micro_batch=2,group=6");
    ASSERT_TRUE(partial) << partial.error().text();
    const Layout expected{.tp = 8,
                          .sp = true,
                          .pp = 4,
                          .shard = Shard::Zero1,
                          .microBatch = 2,
                          .schedule = ScheduleKind::OneFOneB,
                          .scheduleGroup = 6};
    EXPECT_EQ(partial->layout, expected);
    EXPECT_TRUE(partial->says("tp"));
    EXPECT_FALSE(partial->says("dp"));
    EXPECT_FALSE(partial->says("recompute"));
    EXPECT_EQ(layoutText(partial->layout),
              "tp=8,sp=on,pp=4,shard=zero1,micro_batch=2,schedule=1f1b,group=6");
}

TEST(LayoutJson, AStringInAFileIsTheSameAsAnObject) {
    const auto text = parseJson(R"({"layout": "tp=8,recompute=block:4"})", "s.json");
    const auto object = parseJson(R"({"layout": {"tp": 8, "recompute": "block:4"}})", "s.json");
    const auto fromText = readLayout(*text->find("layout"));
    const auto fromObject = readLayout(*object->find("layout"));
    ASSERT_TRUE(fromText && fromObject);
    EXPECT_EQ(fromText->layout, fromObject->layout);
    EXPECT_EQ(fromText->said, fromObject->said);
    EXPECT_EQ(recomputeText(fromText->recompute), "block:4");
}

TEST(LayoutJson, RecomputeReadsBackWhatItPrints) {
    for (const std::string text :
         {"none", "selective", "full", "uniform:4", "block:2", "core_attn+mlp", "moe_act"}) {
        const auto partial = typed("recompute=" + text);
        ASSERT_TRUE(partial) << text;
        EXPECT_EQ(recomputeText(partial->recompute), text);
    }
    EXPECT_EQ(typed("recompute=ful").error().hint, "did you mean \"full\"?");
    for (const std::string wrong :
         {"uniform:0", "block:", "block:x", "block:99999999999999999999", "core_attn+", "+", "1"}) {
        EXPECT_FALSE(typed("recompute=" + wrong)) << wrong;
    }
}

TEST(LayoutJson, ErrorsNameTheFlagAndWhatToType) {
    EXPECT_EQ(typed("tp=0").error().text(),
              "--layout: \"tp\" must be a whole number from 1 to 1048576, not 0 (--layout tp=2)");
    EXPECT_EQ(typed("tq=8").error().text(), "--layout: unknown key \"tq\" (did you mean \"tp\"?)");
    EXPECT_EQ(typed("tp").error().why, "\"tp\" is not KEY=VALUE");
    EXPECT_EQ(typed("tp=1,,pp=2").error().why, "\"\" is not KEY=VALUE");
    EXPECT_EQ(typed("tp=1,tp=2").error().why, "\"tp\" is given twice");
    EXPECT_EQ(typed("shard=zero4").error().hint, "did you mean \"zero1\"?");
    EXPECT_EQ(typed("sp=2").error().why, "\"sp\" must be a whole number from 0 to 1, not 2");
    EXPECT_TRUE(typed(""));
}

TEST(LayoutJson, WritesEveryKey) {
    JsonText json;
    json.beginObject();
    writeLayout(json, "layout", Layout{.dp = 4, .cpKind = CpKind::Ulysses});
    json.end();
    const auto back = parseJson(std::move(json).finish(), "out");
    const auto partial = readLayout(*back->find("layout"));
    ASSERT_TRUE(partial) << partial.error().text();
    EXPECT_EQ(partial->layout, (Layout{.dp = 4, .cpKind = CpKind::Ulysses}));
    EXPECT_EQ(partial->said.size(), 16U);
}

}  // namespace
}  // namespace fabricast
