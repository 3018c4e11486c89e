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

}  // namespace

Result<void> checkSavedOnHost(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const Layout& layout = scenario.layout;
    // Megatron's and DeepSpeed's ways to offload activations are refused where these are.
    if (layout.offload != Offload::Activations || !isTorchLoop(settings.engine)) {
        return {};
    }
    const std::string with = "offload of activations is not modelled ";
    if (settings.kernels.code != ModelCode::HuggingFace) {
        return refused("layout.offload",
                       with + "for " + std::string(nameOf(settings.kernels.code)) + "'s layers",
                       "--stack ddp or fsdp2");
    }
    if (!settings.trainsAll()) {
        return refused(settings.tuning == Tuning::Lora ? "settings.tuning" : "settings.train",
                       with + "beside frozen weights",
                       "--tuning full with --train all");
    }
    if (scenario.model.moe) {
        return refused("layout.offload", with + "of a model with experts", "another model");
    }
    if (const auto axis = splitAxis(layout)) {
        return refused("layout." + *axis, with + "with " + *axis, *axis + "=1");
    }
    return {};
}

}  // namespace fabricast
