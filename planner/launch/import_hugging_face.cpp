#include "planner/launch/import_hugging_face.h"

#include <array>
#include <string>

namespace fabricast {
namespace {

/// transformers' names of optimizers, and ours with the library that runs them.
struct TrainerName {
    std::string_view typed;
    std::string_view kind;
    std::string_view detail;  ///< "settings.optimizer.…=…"; empty: the default
};
constexpr std::array kTrainerNames = {
    TrainerName{"adamw_torch_fused", "adamw", ""},
    TrainerName{"adamw_torch", "adamw", "kernel=foreach"},
    TrainerName{"adamw_hf", "adamw", "kernel=foreach"},
    TrainerName{"adamw_torch_8bit", "adamw_8bit", "library=torchao"},
    TrainerName{"adamw_bnb_8bit", "adamw_8bit", "library=bitsandbytes"},
    TrainerName{"adamw_8bit", "adamw_8bit", "library=bitsandbytes"},
    TrainerName{"paged_adamw_8bit", "paged_adamw_8bit", ""},
    TrainerName{"paged_adamw_32bit", "adamw", ""},
    TrainerName{"adamw_torch_4bit", "adamw_4bit", ""},
    TrainerName{"ao_adamw_4bit", "adamw_4bit", ""},
    TrainerName{"adafactor", "adafactor", ""},
    TrainerName{"lion_32bit", "lion", ""},
    TrainerName{"lion_8bit", "lion_8bit", ""},
    TrainerName{"sgd", "sgd", ""},
    TrainerName{"muon", "muon", ""}};

}  // namespace

Result<void> importTrainerOptimizer(ScenarioDraft& draft, std::string_view from) {
    LaunchKeys& keys = draft.keys();
    const auto typed = keys.text(from);
    if (!typed) {
        return {};
    }
    for (const TrainerName& one : kTrainerNames) {
        if (one.typed == *typed) {
            draft.set("workload.optimizer", one.kind, from);
            if (one.typed.starts_with("paged_adamw_32")) {
                draft.note("paged_adamw_32bit is forecast as adamw, whose states stay on the GPU");
            }
            if (!one.detail.empty()) {
                const std::size_t equals = one.detail.find('=');
                draft.set("settings.optimizer." + std::string(one.detail.substr(0, equals)),
                          one.detail.substr(equals + 1),
                          from);
            }
            return {};
        }
    }
    return keys.refuse(*keys.use(from),
                       "\"" + *typed + "\" is not modelled",
                       "adamw_torch_fused, adamw_torch_8bit, paged_adamw_8bit, …");
}

void importAttention(ScenarioDraft& draft, std::string_view from, std::string_view usual) {
    const std::string attention = draft.keys().text(from).value_or(std::string(usual));
    if (attention == "eager") {
        draft.set("settings.kernels.attention", "unfused", from);
    } else if (attention == "sdpa" || attention == "flash_attention_3") {
        draft.set(
            "settings.kernels.attention_code", attention == "sdpa" ? "native" : "flash3", from);
    }
}

}  // namespace fabricast
