#include "planner/spec/check_settings.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/stage_split.h"

#include <string>
#include <utility>

namespace fabricast {

namespace {

Result<void> notWalked(std::string where, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, std::move(where), std::move(why), std::move(hint));
}

Result<void> checkPart(const Scenario& scenario) {
    if (scenario.settings.tuning == Tuning::Lora) {
        return fail(Error::Code::BadInput,
                    "settings.train",
                    "adapters are trained over a base that is frozen as a whole",
                    "--tuning full, or --train all");
    }
    return {};
}

Result<void> checkTrainedLayout(const Layout& layout) {
    if (const auto axis = splitAxis(layout)) {
        return notWalked("layout." + *axis,
                         "frozen weights are not modelled with " + *axis,
                         *axis + "=1, or --train all");
    }
    return layout.offload == Offload::None
               ? Result<void>()
               : notWalked("layout.offload",
                           "offload beside frozen weights is not modelled",
                           "offload=none, or --train all");
}

}  // namespace

Result<void> checkTrained(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.train.all()) {
        return {};
    }
    FABRICAST_TRY(checkPart(scenario));
    const std::string what = "--train " + trainedText(settings.train);
    if (settings.engine != Engine::Local && settings.engine != Engine::Ddp &&
        settings.engine != Engine::Fsdp2) {
        return notWalked("settings.train",
                         what + " is not modelled under " + std::string(nameOf(settings.engine)),
                         "--stack ddp or fsdp2");
    }
    if (settings.kernels.code != ModelCode::HuggingFace) {
        return notWalked("settings.train",
                         what + " is modelled of transformers' layers, not of " +
                             std::string(nameOf(settings.kernels.code)) + "'s",
                         "--stack ddp or fsdp2");
    }
    if (scenario.model.moe) {
        return notWalked("settings.train",
                         what + " is not modelled of a model with experts",
                         "--train all, or --tuning lora");
    }
    return checkTrainedLayout(scenario.layout);
}

}  // namespace fabricast
