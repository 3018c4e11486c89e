#pragma once
#include "probes/record/point.h"
#include "probes/record/probe_program.h"

#include <limits>
#include <string>
#include <vector>

namespace fabricast::probe {

/// What all probes can be told.
struct ProbeFlags {
    enum class Ask { Measure, List, Help, Version, Doctor };
    Ask ask = Ask::Measure;
    std::string suite;
    std::vector<Point> points;            ///< of --points and --point
    std::vector<std::string> pointFiles;  ///< of --points
    double seconds = std::numeric_limits<double>::infinity();
    double pointSeconds = std::numeric_limits<double>::infinity();
    std::string out;
    bool quiet = false;
};

/// Reads a command line; a flag that is none of these goes to the program. Reads the files named.
Answer<ProbeFlags> parseProbeFlags(const ProbeProgram& program,
                                   std::span<const char* const> arguments);

/// What --help prints.
std::string probeHelp(const ProbeProgram& program);

/// "90", "90s", "5m" or "1h" in seconds.
Answer<double> parseDuration(const std::string& text);

}  // namespace fabricast::probe
