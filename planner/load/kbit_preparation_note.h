#pragma once
#include "planner/request/scenario_json.h"
#include "planner/spec/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Whether a script around the scenario may call peft's prepare_model_for_kbit_training, which the
/// scenario does not count: unsharded adapters over quantised weights. Axolotl casts back what it
/// casts to fp32.
bool mayBePreparedForKbit(const Scenario& scenario);

/// "peft's prepare_model_for_kbit_training, …, is not counted", what follows from it (": it does
/// not fit"), and how to count it.
std::string kbitNote(std::string_view consequence = "");

/// Says once that it is not counted, where the request says nothing of it.
void addKbitNote(const ScenarioRequest& request,
                 const Scenario& scenario,
                 std::vector<std::string>& assumed);

}  // namespace fabricast
