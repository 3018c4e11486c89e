#pragma once
#include "planner/result/changes.h"
#include "planner/text/json_text.h"

#include <optional>
#include <string>

namespace fabricast {

/// "surer: --set settings.kernels.loss=liger: ddp dp=1,recompute=full surely fits in GPU
/// memory alone, 21.1 of 23.6 GiB, 32.893 s a step\n"; nothing without a change.
std::string surerLine(const std::optional<SurerChange>& surer);
/// "surely fits in GPU memory alone, 21.1 of 23.6 GiB, 32.893 s a step".
std::string surerEffect(const SurerChange& surer);
/// The member "surer", where there is one.
void writeSurer(JsonText& json, const std::optional<SurerChange>& surer);

}  // namespace fabricast
