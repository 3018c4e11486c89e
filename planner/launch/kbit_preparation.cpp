#include "planner/launch/import_settings.h"

#include <optional>
#include <string>

namespace fabricast {

/// peft/utils/other.py: what is not quantised is cast to fp32, and the layers of a quantised model
/// are checkpointed, whatever TrainingArguments say.
Result<void> importKbitPreparation(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const call = keys.use(kKbitPreparation);
    FABRICAST_ASSIGN(const auto named, keys.flag(kKbitCheckpoints));
    FABRICAST_ASSIGN(const auto second, keys.flag(kKbitCheckpointsSecond));
    if (call == nullptr || draft.word("settings.tuning") != "lora") {
        return {};
    }
    const std::string base = draft.word("settings.lora.base");
    if (base != "nf4" && base != "int8") {
        draft.set("settings.lora.base", "fp32", "prepare_model_for_kbit_training");
        return {};
    }
    draft.set("settings.lora.prepared_for_kbit", true, "prepare_model_for_kbit_training");
    if (named.value_or(second.value_or(true))) {
        draft.set("layout.recompute", "full", "prepare_model_for_kbit_training");
    }
    return {};
}

}  // namespace fabricast
