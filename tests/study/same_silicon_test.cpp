#include "study/explain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

double stepOn(const std::string& cluster, const std::string& model, const std::string& layout) {
    static const Workbench bench = Workbench::open({}, 2).value();
    std::vector<Edit> edits = {{"model", model, "-m"},
                               {"cluster.name", cluster, "-c"},
                               {"cluster.nodes", "4", "-n"},
                               {"stack", "megatron", "--stack"},
                               {"workload.sequence", "4096", "--seq"},
                               {"workload.global_batch", "256", "--global-batch"}};
    const std::vector<Edit> keys = layoutEdits(layout, "--layout").value();
    edits.insert(edits.end(), keys.begin(), keys.end());
    const Question question = with(readQuestion("", "").value(), edits).value();
    return explain(question, {.memory = false, .step = true}, bench, {})->step->step.value.count();
}

/// An H200 is an H100 with faster memory: on one layout nothing of it is slower.
TEST(SameSilicon, MoreBandwidthIsNeverSlower) {
    const std::vector<std::pair<std::string, std::string>> layouts = {
        {"mixtral-8x7b", "dp=8,pp=4,vpp=8,ep=8,schedule=interleaved"},
        {"mixtral-8x7b", "dp=8,pp=4,ep=8"},
        {"llama-3.1-8b", "tp=2"},
        {"llama-3.1-70b", "tp=8,pp=2"},
        {"qwen3-30b-a3b", "ep=8"}};
    for (const auto& [model, layout] : layouts) {
        const double h100 = stepOn("dgx-h100", model, layout);
        const double h200 = stepOn("dgx-h200", model, layout);
        EXPECT_LE(h200, h100) << model << " " << layout;
        EXPECT_GT(h200, 0.85 * h100) << model << " " << layout;
    }
}

}  // namespace
}  // namespace fabricast
