#pragma once
#include "probes/nccl/nccl_program.h"

namespace fabricast::probe {

/// Takes a flag of this probe; false for one it does not know.
Answer<bool> takeNcclFlag(const std::string& flag, const std::string& value, NcclFlags& flags);

/// The lines about them for --help.
std::string ncclHelp();

}  // namespace fabricast::probe
