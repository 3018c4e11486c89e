#include "planner/load/kbit_preparation_note.h"

#include "planner/spec/peft_targets.h"

#include <algorithm>
#include <utility>

namespace fabricast {

bool mayBePreparedForKbit(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const LoraSettings& lora = settings.lora;
    const bool isWhole = settings.engine == Engine::Local || settings.engine == Engine::Ddp;
    return settings.tuning == Tuning::Lora && isQuantized(lora.base) && isWhole &&
           !lora.preparedForKbit && settings.kernels.code == ModelCode::HuggingFace &&
           scenario.stack != "axolotl";
}

std::string kbitNote(std::string_view consequence) {
    return "peft's prepare_model_for_kbit_training, which casts what is not quantised to fp32, is "
           "not counted" +
           std::string(consequence) + " (--set settings.lora.prepared_for_kbit=true)";
}

void addKbitNote(const ScenarioRequest& request,
                 const Scenario& scenario,
                 std::vector<std::string>& assumed) {
    const JsonValue* const lora = request.settings.find("lora");
    const bool isSaid = lora != nullptr && lora->find("prepared_for_kbit") != nullptr;
    if (isSaid || !mayBePreparedForKbit(scenario)) {
        return;
    }
    std::string note = kbitNote();
    if (std::ranges::find(assumed, note) == assumed.end()) {
        assumed.push_back(std::move(note));
    }
}

}  // namespace fabricast
