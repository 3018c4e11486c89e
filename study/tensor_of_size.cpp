#include "planner/base/quantity_text.h"
#include "study/oom_causes.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace fabricast {
namespace {

struct GrowingTensor {
    std::string name;  ///< with its shape
    double elements = 0.0;
};

/// With the samples of a microbatch, and with all of a step where those were not divided.
std::vector<GrowingTensor> growingTensors(const Scenario& scenario) {
    const std::int64_t length = scenario.workload.sequence;
    const std::int64_t heads = scenario.model.attention.heads;
    const std::int64_t words = scenario.model.vocab;
    const auto s = static_cast<double>(length);
    std::vector<GrowingTensor> tensors;
    for (const std::int64_t batch : {scenario.layout.microBatch, scenario.workload.globalBatch}) {
        const auto b = static_cast<double>(batch);
        tensors.push_back(
            {fmt::format("scores of {} x {} heads x {} x {}", batch, heads, length, length),
             b * static_cast<double>(heads) * s * s});
        tensors.push_back(
            {fmt::format("a mask of {} x {} x {}", batch, length, length), b * s * s});
        tensors.push_back({fmt::format("logits of {} x {} x {} words", batch, length, words),
                           b * s * static_cast<double>(words)});
    }
    return tensors;
}

}  // namespace

std::string tensorOfSize(Bytes size, const Scenario& scenario) {
    constexpr double kRounded = 0.01;  // by the message
    const std::vector<GrowingTensor> tensors = growingTensors(scenario);
    const auto asked = static_cast<double>(size.count());
    for (const double width : {2.0, 4.0, 1.0, 8.0}) {
        for (const GrowingTensor& tensor : tensors) {
            if (std::abs(tensor.elements * width / asked - 1.0) <= kRounded) {
                return fmt::format("{} in {:.0f} bits have this size", tensor.name, 8.0 * width);
            }
        }
    }
    const auto sizeOf = [](const GrowingTensor& tensor) {
        return shortText(Bytes(std::llround(2.0 * tensor.elements)));
    };
    return fmt::format(
        "{} would take {}, and {} {} (16 bits): the run had other lengths or another batch",
        tensors[0].name,
        sizeOf(tensors[0]),
        tensors[2].name,
        sizeOf(tensors[2]));
}

}  // namespace fabricast
