#pragma once
#include "planner/report/report.h"
#include "planner/result/sensitivity.h"

#include <string>

namespace fabricast {

/// What would make a step shorter, and by how much: a bar for each knob, the longest first, and
/// what twice as much of it gives.
Report sensitivityReport(const Sensitivity& sensitivity);
/// What makes a layout fit that does not; else, of what fits: "none is faster: …", or what does
/// nothing: "no faster: host", and what would if it did fit: "; faster, but does not fit:
/// micro-batch".
std::string noFasterText(const Sensitivity& sensitivity);
/// What a "*" in the table means, where there is one, and why some knobs were not searched; a line
/// each.
std::string searchedEarlyText(const Sensitivity& sensitivity);
std::string sensitivityMarkdown(const Sensitivity& sensitivity);
/// A row per knob, in seconds, tokens per second and bytes.
std::string sensitivityCsv(const Sensitivity& sensitivity);

}  // namespace fabricast
