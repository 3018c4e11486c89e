#pragma once
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// What an answer is about, in one line: model, cluster, stack, layout, batch.
std::string subjectText(const Scenario& scenario);

/// Whether a section has a subject line: the first of several does.
enum class Subject { Said, Left };
/// The line of a section's text, or nothing.
/// How it is trained: "bf16 adamw", "bf16 adamw, LoRA rank 16 over nf4".
std::string trainingText(const Settings& settings);
std::string subjectLine(const Scenario& scenario, Subject subject);

/// "16 x dgx-h100 (128 h100-sxm5-80gb)".
std::string clusterText(const ClusterSpec& cluster);

}  // namespace fabricast
