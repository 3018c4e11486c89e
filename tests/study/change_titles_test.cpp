#include "planner/text/json_document.h"
#include "study/change_offers.h"
#include "study/changes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

TEST(ChangeTitles, ASideEffectOfSeveralChangesIsSaidOnce) {
    const Change tensor{.kind = "axes", .sideEffect = "collectives inside every layer"};
    const Change stack{.kind = "stack", .sideEffect = "different training software"};
    const std::vector<Change> both = {tensor, stack, tensor};
    EXPECT_EQ(sideEffectsOf(both), "collectives inside every layer; different training software");
}

TEST(ChangeTitles, WhatIsMultipliedTwiceIsSaidAsItsProduct) {
    const Change nodes{.kind = "nodes", .sideEffect = " times the hardware", .times = 2};
    EXPECT_EQ(sideEffectsOf(std::vector<Change>{nodes, nodes}), "4 times the hardware");
}

/// The edits of "only adapters are trained" to this question, one change a word.
std::string adaptersOffered(const std::string& settings) {
    const Question question{.root = parseJson("{\"settings\": " + settings + "}", "q").value()};
    const Scenario now;
    const LayoutRules rules;
    offers::Offers offered(Change{});
    offers::adaptersOnly({.question = question, .now = now, .rules = &rules}, offered);
    std::string all;
    for (const Change& change : std::move(offered).take()) {
        for (const Edit& edit : change.edits) {
            all += edit.path + "=" + edit.value + " ";
        }
        all += "; ";
    }
    return all;
}

TEST(ChangeOffers, AdaptersAreOfferedToWhatHasNone) {
    EXPECT_EQ(adaptersOffered("{}"),
              "settings.tuning=lora ; settings.tuning=lora settings.lora.base=nf4 ; ");
    EXPECT_EQ(adaptersOffered(R"({"tuning": "lora"})"), "settings.lora.base=nf4 ; ");
    EXPECT_EQ(adaptersOffered(R"({"tuning": "lora", "lora": {"base": "nf4"}})"), "");
}

}  // namespace
}  // namespace fabricast
