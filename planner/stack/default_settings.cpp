#include "planner/stack/megatron_pipeline.h"
#include "planner/stack/stack.h"

#include <algorithm>

namespace fabricast {
namespace {

/// What transformers puts for "auto" in a ZeRO-3 config.
void fillAutoBuckets(DeepSpeedSettings& deepspeed, std::int64_t hidden) {
    constexpr std::int64_t kWidest = 1'000'000;  // h² stays far inside 64 bits
    if (hidden < 1 || hidden > kWidest) {
        return;
    }
    deepspeed.reduceBucket = hidden * hidden;
    deepspeed.prefetchBucket = hidden * hidden * 9 / 10;
    deepspeed.persistenceThreshold = 10 * hidden;
}

}  // namespace

Settings defaultSettings(const Stack& stack, const ModelSpec& model, const Layout& layout) {
    Settings settings = stack.defaults(layout);
    if (settings.engine == Engine::Megatron && layout.pp > 1) {
        settings.pipeline = megatronPipeline(model, layout);
    }
    // Axolotl's zero3_bf16.json says "auto" for the three sizes.
    if (stack.name == "axolotl" && layout.shard == Shard::Zero3) {
        fillAutoBuckets(settings.deepspeed, model.hidden);
    }
    return settings;
}

RecomputeSettings recomputeFor(const Stack& stack, RecomputeSettings typed) {
    const auto kinds = stack.methods.recompute;
    const bool byModule =
        std::find(kinds.begin(), kinds.end(), Checkpointing::Modules) != kinds.end();
    if (typed.kind == Checkpointing::Selective && byModule) {
        return {.kind = Checkpointing::Modules, .modules = {"core_attn"}};
    }
    return typed;
}

RankOrder rankOrderOf(const Stack& stack, const Layout& layout) {
    return {.pipelineInside = layout.placement == RankPlacement::PpInside,
            .experts = stack.experts};
}

}  // namespace fabricast
