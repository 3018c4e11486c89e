#include "planner/launch/import_settings.h"

namespace fabricast {

Result<void> importDeepSpeedOffload(ScenarioDraft& draft,
                                    const std::string& parametersKey,
                                    const std::string& optimizerKey,
                                    std::int64_t stage) {
    LaunchKeys& keys = draft.keys();
    const std::string typed = keys.text(parametersKey).value_or("none");
    const std::string states = keys.text(optimizerKey).value_or("none");
    if (stage != 3 && typed != "none") {
        draft.note("offload_param is read by ZeRO stage 3 only: forecast without it");
    }
    const std::string parameters = stage == 3 ? typed : "none";
    if (parameters != "none" && states != "none" && parameters != states) {
        return keys.refuse(*keys.use(parametersKey),
                           parameters + " beside an optimizer on " + states + " is not modelled",
                           parametersKey + ": " + states + ", as the optimizer");
    }
    if (parameters != "none") {
        draft.set("layout.offload", "parameters_" + parameters, parametersKey);
        if (states == "none") {
            draft.set("settings.deepspeed.optimizer_stays_on_device", true, parametersKey);
        }
    } else if (states != "none") {
        draft.set("layout.offload", "optimizer_" + states, optimizerKey);
    }
    return {};
}

}  // namespace fabricast
