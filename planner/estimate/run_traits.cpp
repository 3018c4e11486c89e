#include "planner/estimate/run_traits.h"

#include "planner/base/quantity_text.h"
#include "planner/evidence/likeness.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/names.h"
#include "planner/stack/model_code.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace fabricast {

namespace {

static_assert(kTraitShares.size() == kTimeParts);

std::string settingsOf(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const Quantization quantization = settings.kernels.quantization;
    const std::string type(quantization == Quantization::None ? nameOf(settings.precision.compute)
                                                              : nameOf(quantization));
    return std::string(softwareName(settings)) + " " + type + " " +
           recomputeText(settings.recompute) + " " +
           (settings.tuning == Tuning::Lora ? "lora " : "full ") +
           std::string(nameOf(scenario.layout.shard));
}

}  // namespace

RunTraits traitsOf(const Scenario& scenario, const TimeByPart& parts) {
    const Layout& layout = scenario.layout;
    const auto count = [](std::int64_t value) {
        return static_cast<double>(std::max<std::int64_t>(1, value));
    };
    RunTraits traits{.settings = settingsOf(scenario)};
    traits.counts = {count(layout.tp),
                     count(layout.pp),
                     count(layout.cp),
                     count(layout.ep),
                     count(layout.microBatch),
                     count(scenario.workload.globalBatch) / count(layout.world()),
                     count(scenario.workload.sequence),
                     count(layout.world()),
                     count(scenario.model.hidden),
                     count(scenario.model.layers)};
    const double total = parts.total();
    for (std::size_t i = 0; i < kTimeParts && total > 0; ++i) {
        traits.shares[i] = parts.seconds[i] / total;
    }
    return traits;
}

double ownStretch(const Scenario& scenario, const TimeByPart& parts) {
    const OwnLikeness& like = scenario.cluster.node.own.like;
    return like.runs.empty() ? 1.0 : stretchOf(like, traitsOf(scenario, parts));
}

std::string stretchNote(double stretch, const std::string& correction) {
    return "own runs like it took " + percentText(std::abs(stretch - 1.0)) +
           (stretch > 1.0 ? " longer" : " less") + " than its speeds say" +
           (correction.empty() ? "" : " (" + correction + ")");
}

void stretchTimes(StepEstimate& step, double stretch) {
    StepTerms& terms = step.terms;
    for (TimeByPart* const times :
         {&step.parts, &terms.forward, &terms.backward, &terms.recompute}) {
        *times = *times * stretch;
    }
    terms.span *= stretch;
    terms.tail *= stretch;
    terms.hostStep = terms.hostStep * stretch;
    terms.hostMicroBatch = terms.hostMicroBatch * stretch;
    terms.optimizer.rate = terms.optimizer.rate * (1.0 / stretch);
    terms.optimizer.launch = terms.optimizer.launch * stretch;
    terms.optimizer.products *= stretch;
    for (CommLine& line : step.comm) {
        line.seconds *= stretch;
        line.exposed *= stretch;
    }
}

}  // namespace fabricast
