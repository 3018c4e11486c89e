#include "planner/spec/trained_part.h"

#include "planner/spec/check_settings.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(TrainedPart, IsReadAsItIsPrinted) {
    for (const char* text : {"all", "last:1", "last:40", "norms", "no_embedding"}) {
        const std::optional<TrainedPart> part = trainedPart(text);
        ASSERT_TRUE(part) << text;
        EXPECT_EQ(trainedText(*part), text);
    }
    for (const char* text :
         {"", "last", "last:", "last:0", "last:-1", "last:2x", "first:2", "norm"}) {
        EXPECT_FALSE(trainedPart(text)) << text;
    }
}

/// Four layers of transformers' code that DDP trains the last one of.
Scenario lastLayer() {
    Scenario scenario;
    scenario.model.name = "four-layers";
    scenario.model.layers = 4;
    scenario.settings.engine = Engine::Ddp;
    scenario.settings.kernels.code = ModelCode::HuggingFace;
    scenario.settings.train = *trainedPart("last:1");
    return scenario;
}

std::string placeRefused(const Scenario& scenario) {
    const Result<void> checked = checkTrained(scenario);
    return checked ? "" : checked.error().where;
}

struct Refused {
    const char* where;
    void (*change)(Scenario&);
};

// What was not recorded is refused by the key that asks for it.
TEST(TrainedPart, IsRefusedByNameWhereItIsNotModelled) {
    EXPECT_EQ(placeRefused(lastLayer()), "");
    const Refused cases[] = {
        {"settings.train", [](Scenario& s) { s.settings.tuning = Tuning::Lora; }},
        {"settings.train", [](Scenario& s) { s.settings.engine = Engine::Fsdp1; }},
        {"settings.train", [](Scenario& s) { s.settings.engine = Engine::DeepSpeed; }},
        {"settings.train", [](Scenario& s) { s.settings.engine = Engine::Megatron; }},
        {"settings.train", [](Scenario& s) { s.settings.kernels.code = ModelCode::TorchTitan; }},
        {"settings.train", [](Scenario& s) { s.model.moe = MoeSpec{}; }},
        {"layout.tp", [](Scenario& s) { s.layout.tp = 2; }},
        {"layout.pp", [](Scenario& s) { s.layout.pp = 2; }},
        {"layout.cp", [](Scenario& s) { s.layout.cp = 2; }},
        {"layout.offload", [](Scenario& s) { s.layout.offload = Offload::ParametersCpu; }}};
    for (const Refused& one : cases) {
        Scenario scenario = lastLayer();
        one.change(scenario);
        EXPECT_EQ(placeRefused(scenario), one.where);
    }
}

}  // namespace
}  // namespace fabricast
