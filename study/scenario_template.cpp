#include "study/scenario_template.h"

#include "planner/text/json_text.h"

#include <algorithm>
#include <cctype>

namespace fabricast {
namespace {

/// A number as it is, anything else as a text: 8192, "4M tokens".
std::string jsonValueText(const std::string& typed) {
    const bool isNumber =
        !typed.empty() && typed.size() < 16 && typed.front() != '0' &&
        std::ranges::all_of(typed, [](unsigned char c) { return std::isdigit(c) != 0; });
    return isNumber ? typed : jsonQuoted(typed);
}

}  // namespace

std::string scenarioTemplate(const ScenarioStart& start) {
    const std::string stack =
        start.stack.empty()
            ? "  // Without it, plan compares Megatron, TorchTitan, FSDP2 and DeepSpeed.\n"
              "  // \"stack\": \"megatron\",\n"
            : "  // The training software: fabricast help stacks\n"
              "  \"stack\": " +
                  jsonQuoted(start.stack) + ",\n";
    return "{\n"
           "  \"schema\": \"fabricast.scenario/1\",\n\n"
           "  // A built-in name (fabricast profiles list --kind model), or a config.json\n"
           "  \"model\": " +
           jsonQuoted(start.model) +
           ",\n\n"
           "  // A node or a cluster (fabricast profiles list --kind node), and how many nodes\n"
           "  \"cluster\": { \"name\": " +
           jsonQuoted(start.cluster) + ", \"nodes\": " + jsonValueText(start.nodes) + " },\n\n" +
           stack +
           "\n"
           "  // Found or assumed where it is left out: fabricast help layout, help settings\n"
           "  // \"layout\": \"recompute=full\",\n"
           "  // \"settings\": { \"kernels\": { \"compile\": true } },\n\n"
           "  // Dollars of a GPU hour, or a price profile\n"
           "  // \"price\": 2.10,\n\n"
           "  // What fabricast check judges\n"
           "  // \"require\": [\"fits surely\", \"mfu >= 35%\"],\n\n"
           "  \"workload\": {\n"
           "    // Of the whole run, for its days and dollars\n"
           "    // \"tokens\": \"1T\",\n"
           "    // \"precision\": \"bf16\",\n"
           "    // \"optimizer\": \"adamw\",\n"
           "    \"sequence\": " +
           jsonValueText(start.sequence) +
           ",\n"
           "    // Samples of a step, or \"4M tokens\"\n"
           "    \"global_batch\": " +
           jsonValueText(start.globalBatch) + "\n  }\n}\n";
}

}  // namespace fabricast
