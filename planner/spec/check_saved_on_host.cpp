#include "planner/spec/activation_offload.h"
#include "planner/spec/check_settings.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/stage_split.h"

#include <string>
#include <utility>

namespace fabricast {

namespace {

Result<void> refused(std::string where, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported,
                std::move(where),
                std::move(why),
                std::move(hint) + ", or offload=none");
}

bool isTorchLoop(Engine engine) {
    return engine == Engine::Local || engine == Engine::Ddp || engine == Engine::Fsdp2;
}

constexpr const char* kWith = "offload of activations is not modelled ";

/// Transformer Engine moves what its own modules save. Its fused operations save in other places,
/// and a step whose passes overlap does not run the block of layers that is offloaded.
Result<void> checkMarked(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.kernels.code != ModelCode::TransformerEngine) {
        return refused(
            "settings.kernels.code",
            std::string(kWith) + "for layers written in PyTorch (--transformer-impl local)",
            "transformer_engine");
    }
    if (settings.tuning == Tuning::Lora) {
        return refused("settings.tuning", std::string(kWith) + "beside adapters", "--tuning full");
    }
    if (settings.kernels.fusedOps) {
        return refused("settings.kernels.fused_ops",
                       std::string(kWith) + "with --use-transformer-engine-op-fuser",
                       "false");
    }
    if (settings.megatron.expertOverlap) {
        return refused("settings.megatron.expert_overlap",
                       std::string(kWith) + "with --overlap-moe-expert-parallel-comm",
                       "false");
    }
    return {};
}

}  // namespace

Result<void> checkSavedOnHost(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const Layout& layout = scenario.layout;
    if (layout.offload != Offload::Activations) {
        return {};
    }
    if (hostWayOf(scenario) == HostWay::Layers) {
        return checkMarked(scenario);
    }
    if (!isTorchLoop(settings.engine)) {  // DeepSpeed's way is refused where it is
        return {};
    }
    if (settings.kernels.code != ModelCode::HuggingFace) {
        return refused(
            "layout.offload",
            std::string(kWith) + "for " + std::string(nameOf(settings.kernels.code)) + "'s layers",
            "--stack ddp or fsdp2");
    }
    if (!settings.trainsAll()) {
        return refused(settings.tuning == Tuning::Lora ? "settings.tuning" : "settings.train",
                       std::string(kWith) + "beside frozen weights",
                       "--tuning full with --train all");
    }
    if (scenario.model.moe) {
        return refused(
            "layout.offload", std::string(kWith) + "of a model with experts", "another model");
    }
    if (const auto axis = splitAxis(layout)) {
        return refused("layout." + *axis, std::string(kWith) + "with " + *axis, *axis + "=1");
    }
    return {};
}

}  // namespace fabricast
