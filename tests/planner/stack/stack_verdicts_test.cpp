#include "planner/spec/setting_names.h"
#include "planner/stack/stack.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace fabricast {
namespace {

using Pairs = std::map<std::string, std::string>;

ModelSpec llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
    ModelSpec model;
    model.layers = layers;
    model.hidden = hidden;
    model.vocab = 128256;
    model.maxPositions = 131072;
    model.attention = {.heads = heads, .kvHeads = 8, .headDim = 128};
    return model;
}

ModelSpec modelNamed(const std::string& name) {
    if (name == "8b") {
        return llama(32, 4096, 32);
    }
    if (name == "70b") {
        return llama(80, 8192, 64);
    }
    if (name == "405b") {
        return llama(126, 16384, 128);
    }
    ModelSpec model = llama(16, 2048, 32);
    if (name == "1b") {
        model.tiedEmbeddings = true;
    } else if (name == "gpt-oss") {
        model.attention.sinks = true;
    } else if (name == "mixtral") {
        model = llama(32, 4096, 32);
        model.vocab = 32000;
        model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 14336};
    } else {
        ADD_FAILURE() << "no model " << name;
    }
    return model;
}

std::int64_t sizeOf(const Pairs& typed, const std::string& key) {
    const auto found = typed.find(key);
    return found == typed.end() ? 1 : std::stoll(found->second);
}

template <class T>
void choose(const Pairs& typed, const std::string& key, T untyped, T& chosen) {
    const auto found = typed.find(key);
    if (found == typed.end()) {
        chosen = untyped;
        return;
    }
    const auto value = fromName<T>(found->second);
    ASSERT_TRUE(value.has_value()) << key << "=" << found->second;
    chosen = *value;
}

Layout layoutOf(const Stack& stack, const Pairs& typed, std::int64_t gpus) {
    Layout layout;
    layout.tp = sizeOf(typed, "tp");
    layout.pp = sizeOf(typed, "pp");
    layout.cp = sizeOf(typed, "cp");
    layout.vpp = sizeOf(typed, "vpp");
    layout.ep = sizeOf(typed, "ep");
    layout.microBatch = sizeOf(typed, "micro_batch");
    const std::int64_t rest = gpus / (layout.tp * layout.pp * layout.cp);
    layout.dp = typed.contains("dp") ? sizeOf(typed, "dp") : std::max<std::int64_t>(rest, 1);
    choose(typed, "offload", Offload::None, layout.offload);
    choose(typed, "placement", RankPlacement::DpInside, layout.placement);
    choose(typed, "schedule", ScheduleKind::None, layout.schedule);
    choose(typed, "shard", Shard::None, layout.shard);
    const LayoutDefaults untyped = layoutDefaults(stack, layout);
    choose(typed, "schedule", untyped.schedule, layout.schedule);
    choose(typed, "shard", untyped.shard, layout.shard);
    choose(typed, "cp_kind", untyped.cpKind, layout.cpKind);
    layout.vpp = typed.contains("vpp") ? layout.vpp : untyped.vpp;
    layout.sp = typed.contains("sp") ? typed.at("sp") == "1" : untyped.sp;
    layout.etp = typed.contains("etp") ? sizeOf(typed, "etp") : untyped.etp;
    layout.shardSize = typed.contains("shard_size") ? sizeOf(typed, "shard_size") : 0;
    return layout;
}

void applyPipeline(const Pairs& typed, PipelineSettings& pipeline) {
    if (typed.contains("even") || typed.contains("first") || typed.contains("embedding")) {
        pipeline = {};
        pipeline.embeddingWeight = typed.contains("embedding") ? 1 : 0;
        pipeline.headWeight = typed.contains("head") ? 1 : 0;
        pipeline.firstStageLayers = typed.contains("first") ? sizeOf(typed, "first") : 0;
        pipeline.lastStageLayers = typed.contains("last") ? sizeOf(typed, "last") : 0;
        pipeline.remainder = typed.contains("remainder");
    }
}

RecomputeSettings recomputeOf(const std::string& typed) {
    if (typed == "full") {
        return {.kind = Checkpointing::Full};
    }
    if (typed == "selective") {
        return {.kind = Checkpointing::Selective};
    }
    return {.kind = Checkpointing::Modules, .modules = {typed}};
}

void applyLora(const Pairs& typed, LoraSettings& lora) {
    choose(typed, "base", lora.base, lora.base);
    choose(typed, "lora_dtype", lora.dtype, lora.dtype);
    if (typed.contains("rank")) {
        lora.rank = sizeOf(typed, "rank");
    }
    if (typed.contains("dropout")) {
        lora.dropout = std::stod(typed.at("dropout"));
    }
    if (typed.contains("targets")) {
        lora.targets = {};
        std::istringstream names(typed.at("targets"));
        for (std::string name; std::getline(names, name, '+');) {
            lora.targets.insert(name);
        }
    }
}

void applySettings(const Pairs& typed, Settings& settings) {
    applyPipeline(typed, settings.pipeline);
    choose(typed, "experts", settings.kernels.experts, settings.kernels.experts);
    choose(typed, "parameters", settings.precision.parameters, settings.precision.parameters);
    choose(typed, "attention", settings.kernels.attention, settings.kernels.attention);
    choose(typed, "engine", settings.engine, settings.engine);
    choose(typed, "code", settings.kernels.code, settings.kernels.code);
    choose(typed, "moments", settings.precision.moments, settings.precision.moments);
    choose(typed, "reduce", settings.precision.reduce, settings.precision.reduce);
    choose(typed, "compute", settings.precision.compute, settings.precision.compute);
    choose(typed, "gradients", settings.precision.gradients, settings.precision.gradients);
    choose(typed, "optimizer", settings.optimizer.kind, settings.optimizer.kind);
    choose(typed, "kernel", settings.optimizer.kernel, settings.optimizer.kernel);
    choose(typed, "quantization", settings.kernels.quantization, settings.kernels.quantization);
    choose(typed, "backend", settings.torch.backend, settings.torch.backend);
    applyLora(typed, settings.lora);
    if (typed.contains("master")) {
        settings.precision.masterWeights = typed.at("master") == "1";
    }
    if (typed.contains("instances")) {
        settings.megatron.optimizerInstances = std::stoll(typed.at("instances"));
    }
    if (typed.contains("expert_overlap")) {
        settings.megatron.expertOverlap = typed.at("expert_overlap") == "1";
    }
    if (typed.contains("offloaded_layers")) {
        settings.megatron.offloadedLayers = std::stoll(typed.at("offloaded_layers"));
    }
    settings.kernels.cudaGraphs = settings.kernels.cudaGraphs || typed.contains("cuda_graphs");
    settings.kernels.fusedOps = settings.kernels.fusedOps || typed.contains("fused_ops");
    if (typed.contains("library")) {
        settings.optimizer.library =
            typed.at("library") == "ao" ? LowBitLibrary::TorchAo : LowBitLibrary::BitsAndBytes;
    }
    if (typed.contains("recompute")) {
        settings.recompute = recomputeOf(typed.at("recompute"));
    }
}

Scenario scenarioOf(const CaseRow& row, const Stack& stack) {
    Scenario scenario;
    scenario.stack = stack.name;
    scenario.model = modelNamed(row.at("model"));
    scenario.cluster.node.gpus = std::stoll(row.at("gpus"));
    scenario.workload = {.sequence = std::stoll(row.at("seq")),
                         .globalBatch = std::stoll(row.at("batch"))};
    scenario.layout = layoutOf(stack, splitPairs(row.at("layout")), scenario.cluster.gpus());
    const Pairs settings = splitPairs(row.at("settings"));
    const Tuning tuning = settings.contains("tuning") ? Tuning::Lora : Tuning::Full;
    scenario.settings = defaultSettings(stack, scenario.model, scenario.layout, tuning);
    applySettings(settings, scenario.settings);
    scenario.settings.recompute = recomputeFor(stack, scenario.settings.recompute);
    return scenario;
}

TEST(StackVerdicts, AreThoseOfTheFrameworks) {
    const std::vector<CaseRow> rows = readCases("stack_verdicts.csv");
    ASSERT_GE(rows.size(), 120U);
    for (const CaseRow& row : rows) {
        const Stack& stack = *findStack(row.at("stack")).value();
        const auto verdict = stack.check(scenarioOf(row, stack));
        const std::string what = row.at("stack") + " " + row.at("model") + " " + row.at("layout") +
                                 " " + row.at("settings");
        const std::string& says = row.at("says");
        if (says.empty()) {
            EXPECT_TRUE(verdict.has_value()) << what << ": " << verdict.error().text();
            continue;
        }
        ASSERT_FALSE(verdict.has_value()) << what;
        EXPECT_NE(verdict.error().why.find(says), std::string::npos)
            << what << ": " << verdict.error().text();
        EXPECT_NE(verdict.error().hint.find(row.at("hint")), std::string::npos)
            << what << ": " << verdict.error().text();
        EXPECT_FALSE(verdict.error().where.empty()) << what;
    }
}

// Following the hint of a refused batch size leads to an accepted one.
TEST(StackVerdicts, AHintThatNamesAValueIsAccepted) {
    const CaseRow row{{"model", "8b"},
                      {"gpus", "8"},
                      {"layout", "micro_batch=2"},
                      {"seq", "8192"},
                      {"batch", "33"},
                      {"settings", ""}};
    for (const Stack& stack : allStacks()) {
        Scenario scenario = scenarioOf(row, stack);
        const auto refused = stack.check(scenario);
        ASSERT_FALSE(refused.has_value()) << stack.name;
        EXPECT_EQ(refused.error().hint, "global_batch=32 or 48") << stack.name;
        scenario.workload.globalBatch = 48;
        EXPECT_TRUE(stack.check(scenario).has_value()) << stack.name;
    }
}

}  // namespace
}  // namespace fabricast
