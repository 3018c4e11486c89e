#pragma once
#include <string>

namespace fabricast {

/// What a new scenario begins with; each as its flag takes it. An empty one is left as a comment.
struct ScenarioStart {
    std::string model = "llama-3.1-8b";
    std::string cluster = "dgx-h100";
    std::string nodes = "1";
    std::string stack{};
    std::string sequence = "8192";
    std::string globalBatch = "64";
};

/// A scenario file to be edited: every part of one, with what it means, and what can be left out
/// as a comment.
std::string scenarioTemplate(const ScenarioStart& start);

}  // namespace fabricast
