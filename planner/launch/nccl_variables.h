#pragma once
#include "planner/launch/scenario_draft.h"
#include "planner/spec/settings.h"

#include <string>
#include <vector>

namespace fabricast {

/// What a script, a program or a job sets of NCCL's buffers, as "settings.nccl": NCCL_BUFFSIZE,
/// NCCL_MAX_NCHANNELS, NCCL_NVLS_ENABLE, NCCL_ALGO and others. Values that NCCL would not take,
/// or that are not modelled, are noted.
void importNcclVariables(ScenarioDraft& draft);

/// The same variables that a launch file exports: "NCCL_BUFFSIZE=1048576", one for each setting
/// that is not NCCL's own.
std::vector<std::string> ncclVariables(const NcclSettings& settings);

}  // namespace fabricast
