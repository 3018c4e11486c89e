#pragma once
#include <array>
#include <string_view>

namespace fabricast {

/// This is a name of an optimizer in transformers, and ours with the library that runs it.
struct TrainerName {
    std::string_view typed;
    std::string_view kind;
    std::string_view detail;  ///< "settings.optimizer.…=…"; empty: the default
};
inline constexpr std::array kTrainerNames = {
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

}  // namespace fabricast
