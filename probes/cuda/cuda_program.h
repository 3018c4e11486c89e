#pragma once
#include "probes/record/probe_program.h"

namespace fabricast::probe {

/// The probe of one GPU: kernels, copies, launches, memory.
ProbeProgram cudaProgram();

}  // namespace fabricast::probe
