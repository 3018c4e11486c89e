#pragma once
#include "probes/record/probe_program.h"

#include <string>

namespace fabricast::probe {

/// What the host probe is told beside what all probes are.
struct HostFlags {
    std::string scratch;  ///< a folder whose disk is measured; empty: none is
};

/// fabricast-probe-host. `flags` outlives it.
ProbeProgram hostProgram(HostFlags& flags);

/// `fabricast-probe-host --inventory [--root DIR]`: the machine as JSON on standard output. Any
/// other command line is runProbe's.
int runHostProbe(std::span<const char* const> arguments);

}  // namespace fabricast::probe
