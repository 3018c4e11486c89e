#include "planner/comm/engine_calls.h"
#include "planner/memory/make_engines.h"
#include "planner/memory/walk/step_walk.h"
#include "planner/models/model_file.h"
#include "planner/profiles/profile_store.h"
#include "planner/stack/stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// What one step gathers: how many calls or buffers of each number of bytes.
using Gathered = std::map<std::int64_t, std::int64_t>;

std::string textOf(const Gathered& gathered) {
    std::string text;
    for (const auto& [bytes, count] : gathered) {
        text += std::to_string(count) + " x " + std::to_string(bytes) + " B, ";
    }
    return text;
}

ModelSpec modelNamed(const std::string& name) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    const ProfileFile file = profiles.model(name).value();
    ModelSpec model = parseModel(file.text, file.source).value();
    model.layers = 4;
    if (!model.sparse.empty()) {
        model.sparse.resize(4);
    }
    model.mtpDepth = 0;
    return model;
}

/// All gathers of parameters that the calls of a step make.
Gathered ofCalls(const Scenario& scenario, std::int64_t stage) {
    const auto calls = stepCalls(scenario, {.stage = stage});
    EXPECT_TRUE(calls) << (calls ? "" : calls.error().text());
    Gathered gathered;
    for (const CommCall& call : calls ? *calls : std::vector<CommCall>{}) {
        if (call.use == CommUse::ParameterGather) {
            gathered[call.bytes()] += call.count();
        }
    }
    return gathered;
}

/// The buffers of the names that a walk takes, of the states or of the passes after them.
Gathered ofWalk(const Scenario& scenario,
                std::int64_t stage,
                bool states,
                const std::function<bool(const DeviceEvent&)>& counts) {
    const auto program = stageProgram(scenario, stage);
    Device device;
    const auto engine = program ? makeEngine(scenario, device, *program, {.stage = stage})
                                : tl::unexpected(program.error());
    const auto order = pipelineOrder(scenario, stage);
    if (!engine || !order) {
        ADD_FAILURE() << (engine ? order.error() : engine.error()).text();
        return {};
    }
    StepWalk walk(device, **engine, *program, scenario.settings.precision.autocast);
    walk.run(*order, *makeBoundary(scenario, device, *program, *order, stage));
    Gathered gathered;
    for (std::size_t i = 0; i < device.events().size(); ++i) {
        const DeviceEvent& event = device.events()[i];
        if (event.bytes > 0 && (i < walk.statesEnd()) == states && counts(event)) {
            ++gathered[event.bytes];
        }
    }
    return gathered;
}

struct Case {
    const char* stack;
    Layout layout;
    const char* changed = "";
    std::function<void(Scenario&)> change = [](Scenario&) {};
};

Scenario scenarioOf(const std::string& model, const Case& asked, std::int64_t microBatches) {
    Scenario scenario;
    scenario.stack = asked.stack;
    scenario.model = modelNamed(model);
    scenario.layout = asked.layout;
    scenario.workload = {.sequence = 512, .globalBatch = asked.layout.dp * microBatches};
    scenario.settings =
        defaultSettings(*findStack(asked.stack).value(), scenario.model, scenario.layout);
    asked.change(scenario);
    return scenario;
}

std::string named(const std::string& model, const Case& asked, std::int64_t microBatches) {
    return model + ", " + asked.stack + " dp " + std::to_string(asked.layout.dp) + " tp " +
           std::to_string(asked.layout.tp) + " pp " + std::to_string(asked.layout.pp) + " ep " +
           std::to_string(asked.layout.ep) + " shard size " +
           std::to_string(asked.layout.shardSize) + " " + asked.changed + ", " +
           std::to_string(microBatches) + " micro-batches";
}

// Without tied tables: the walk gathers one twice where transformers has a single parameter.
const std::vector<std::string> kDense = {"llama-3.1-8b", "qwen2.5-7b", "yi-6b"};
const std::vector<std::string> kSparse = {"qwen3-30b-a3b", "mixtral-8x7b"};

using Counts = std::function<bool(const DeviceEvent&)>;

/// Buffers of the all-gathers, by their names in the engines.
Counts called(std::vector<std::string> names) {
    return [names](const DeviceEvent& event) {
        return std::find(names.begin(), names.end(), event.what) != names.end();
    };
}

void compare(const std::vector<std::string>& models,
             const std::vector<Case>& cases,
             const Counts& counts) {
    for (const std::string& model : models) {
        for (const Case& asked : cases) {
            for (const std::int64_t microBatches : {1, 2}) {
                const Scenario scenario = scenarioOf(model, asked, microBatches);
                for (std::int64_t stage = 0; stage < asked.layout.pp; ++stage) {
                    const Gathered walked = ofWalk(scenario, stage, false, counts);
                    EXPECT_FALSE(walked.empty());
                    EXPECT_EQ(textOf(walked), textOf(ofCalls(scenario, stage)))
                        << named(model, asked, microBatches) << ", stage " << stage;
                }
            }
        }
    }
}

void reshard(Scenario& scenario, Reshard kind) {
    scenario.settings.torch.reshard = kind;
}

TEST(GatheredBytes, OfTorchtitansFsdp2AreThoseOfItsAllGathers) {
    const auto plain = [](Scenario& scenario) {
        scenario.settings.kernels.loss = LossKernel::Fp32Upcast;
    };
    const std::vector<Case> cases = {
        {"torchtitan", {.dp = 8, .shard = Shard::Fsdp}, "chunked loss"},
        {"torchtitan", {.dp = 8, .shard = Shard::Fsdp}, "plain loss", plain},
        {"torchtitan", {.dp = 8, .shard = Shard::Hsdp, .shardSize = 4}},
        {"torchtitan", {.dp = 4, .tp = 2, .sp = true, .shard = Shard::Fsdp}},
        {"torchtitan", {.dp = 2, .cp = 2, .shard = Shard::None}},
        {"torchtitan",
         {.dp = 8, .shard = Shard::Fsdp},
         "always",
         [](Scenario& s) { reshard(s, Reshard::Always); }},
        {"torchtitan", {.dp = 8, .shard = Shard::Fsdp}, "never", [plain](Scenario& s) {
             plain(s);
             reshard(s, Reshard::Never);
         }}};
    compare({"llama-3.1-8b", "qwen3-0.6b"}, cases, called({"all-gather output"}));
    compare(kSparse,
            {{"torchtitan", {.dp = 8, .shard = Shard::Fsdp}},
             {"torchtitan", {.dp = 8, .ep = 4, .shard = Shard::Fsdp}},
             {"torchtitan", {.dp = 256, .ep = 2, .shard = Shard::Fsdp}},
             {"torchtitan", {.dp = 256, .shard = Shard::Hsdp, .shardSize = 8}}},
            called({"all-gather output"}));
}

// Told whether to free the root. Untold, torch keeps it, and the walk frees it as recorded steps
// do.
TEST(GatheredBytes, OfFsdp2AroundTransformersAreThoseOfItsAllGathers) {
    const auto always = [](Scenario& scenario) { reshard(scenario, Reshard::Always); };
    const auto never = [](Scenario& scenario) { reshard(scenario, Reshard::Never); };
    compare(kDense,
            {{"fsdp2", {.dp = 8, .shard = Shard::Fsdp}, "always", always},
             {"fsdp2", {.dp = 8, .shard = Shard::Fsdp}, "never", never},
             {"fsdp2", {.dp = 12, .shard = Shard::Hsdp, .shardSize = 6}, "always", always}},
            called({"all-gather output"}));
    compare(kSparse,
            {{"fsdp2", {.dp = 8, .shard = Shard::Fsdp}, "always", always},
             {"fsdp2", {.dp = 48, .shard = Shard::Fsdp}, "always", always}},
            called({"all-gather output"}));
}

TEST(GatheredBytes, OfFsdp2InAPipelineAreThoseOfItsAllGathers) {
    compare({"llama-3.1-8b"},
            {{"torchtitan",
              {.dp = 2, .pp = 2, .shard = Shard::Fsdp, .schedule = ScheduleKind::OneFOneB}}},
            called({"all-gather output"}));
}

TEST(GatheredBytes, OfFsdp1AreThoseOfItsAllGathers) {
    compare(kDense,
            {{"fsdp1", {.dp = 8, .shard = Shard::Fsdp}},
             {"fsdp1", {.dp = 12, .shard = Shard::Hsdp, .shardSize = 6}}},
            called({"unsharded parameters"}));
}

TEST(GatheredBytes, OfZero3AreThoseOfItsAllGathers) {
    const auto small = [](Scenario& scenario) {
        scenario.settings.deepspeed.prefetchBucket = 1'000'000;
        scenario.settings.deepspeed.maxReuse = 3'000'000;
        scenario.settings.deepspeed.maxLive = 50'000'000;
    };
    const auto full = [](Scenario& scenario) {
        scenario.settings.recompute.kind = Checkpointing::Full;
    };
    const std::vector<Case> cases = {
        {"deepspeed", {.dp = 8, .shard = Shard::Zero3}},
        {"deepspeed", {.dp = 12, .shard = Shard::Zero3}, "small limits", small},
        {"deepspeed", {.dp = 8, .shard = Shard::Zero3}, "recompute", full}};
    compare(kDense, cases, called({"gathered parameters", "persistent parameters"}));
    compare({"mixtral-8x7b"}, cases, called({"gathered parameters", "persistent parameters"}));
}

// What is gathered after the step is the flat buffer itself: the walk holds it from the start.
TEST(GatheredBytes, OfMegatronsDistributedOptimizerAreItsParameterBuffers) {
    std::vector<Case> cases = {
        {"megatron", {.dp = 8, .shard = Shard::Zero1}},
        {"megatron", {.dp = 2, .tp = 2, .sp = true, .cp = 2, .shard = Shard::Zero1}},
        {"megatron", {.dp = 8, .shard = Shard::Zero1, .shardSize = 4}},
        {"megatron",
         {.dp = 2, .pp = 2, .shard = Shard::Zero1, .schedule = ScheduleKind::OneFOneB}}};
    for (const std::string model : {"llama-3.1-8b", "qwen2.5-0.5b", "gpt3-1.3b", "mixtral-8x7b"}) {
        for (const Case& asked : cases) {
            for (const bool overlap : {false, true}) {
                Scenario scenario = scenarioOf(model, asked, 2);
                scenario.settings.megatron.overlapGradReduce = overlap;
                for (std::int64_t stage = 0; stage < asked.layout.pp; ++stage) {
                    std::int64_t buffers = 0;
                    for (const auto& [bytes, count] :
                         ofWalk(scenario, stage, true, called({"parameter buffer"}))) {
                        buffers += bytes * count;
                    }
                    std::int64_t calls = 0;
                    for (const auto& [bytes, count] : ofCalls(scenario, stage)) {
                        calls += bytes * count;
                    }
                    EXPECT_GT(buffers, 0);
                    EXPECT_EQ(buffers, calls) << named(model, asked, 2) << ", stage " << stage;
                }
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
