#include "study/other_situations.h"

#include <array>
#include <cstdint>
#include <string>

namespace fabricast {
namespace {

using Edits = std::vector<Edit>;

Edit gpus(std::int64_t count) {
    return {"cluster.gpus", std::to_string(count), "--gpus"};
}
Edit sequence(std::int64_t tokens) {
    return {"workload.sequence", std::to_string(tokens), "--seq"};
}

Edits twiceTheGpus(const Scenario& base, int times) {
    return {gpus(base.cluster.gpus() << times)};
}

Edits halfTheGpus(const Scenario& base, int /*times*/) {
    const ClusterSpec& cluster = base.cluster;
    const bool isWhole = cluster.nodes == 1 ? cluster.node.gpus % 2 == 0 : cluster.nodes % 2 == 0;
    return isWhole ? Edits{gpus(cluster.gpus() / 2)} : Edits{};
}

/// The same tokens a step, in fewer sequences.
Edits longerSequences(const Scenario& base, int /*times*/) {
    constexpr std::int64_t kTimes = 4;
    const std::int64_t tokens = base.workload.sequence * kTimes;
    const bool known =
        base.model.position != PositionKind::Learned || tokens <= base.model.learnedPositions;
    if (!known || base.workload.globalBatch % kTimes != 0) {
        return {};
    }
    const std::string batch = std::to_string(base.workload.globalBatch / kTimes);
    return {sequence(tokens), {"workload.global_batch", batch, "--global-batch"}};
}

/// For what does not fit: as many sequences, each of half the tokens.
Edits shorterSequences(const Scenario& base, int /*times*/) {
    constexpr std::int64_t kShortest = 512;
    const std::int64_t tokens = base.workload.sequence;
    return tokens % 2 == 0 && tokens / 2 >= kShortest ? Edits{sequence(tokens / 2)} : Edits{};
}

/// For what does not fit in an evaluation, which may be apart from the steps.
Edits smallerEvaluation(const Scenario& base, int times) {
    const std::int64_t samples = base.settings.phases.evaluationBatch >> times;
    return samples >= 1
               ? Edits{{"settings.phases.evaluation_batch", std::to_string(samples), "--set"}}
               : Edits{};
}

/// Sites that train apart, joined once in as many steps as INTELLECT-1's (arXiv 2412.01152).
Edits localSteps(const Scenario& base, int /*times*/) {
    const bool isApart = base.settings.outer.steps > 0;
    const bool isModelled = base.settings.tuning != Tuning::Lora;
    return base.cluster.sites.count > 1 && !isApart && isModelled
               ? Edits{{"settings.outer.steps", "100", "--set"}}
               : Edits{};
}

// Those first that change most: the last may find no work left.
constexpr std::array kSituations = {
    OtherSituation{.change = "local SGD (settings.outer.steps=100): check convergence",
                   .edits = &localSteps},
    OtherSituation{.change = "twice the GPUs", .edits = &twiceTheGpus},
    OtherSituation{.change = "half the GPUs", .edits = &halfTheGpus},
    OtherSituation{.change = "sequences 4 times as long, same tokens per step",
                   .edits = &longerSequences},
    OtherSituation{.change = "half the memory per GPU", .knob = "memory_size", .factor = 0.5},
    OtherSituation{.change = "a quarter of the network bandwidth",
                   .knob = "network_bandwidth",
                   .factor = 0.25,
                   .betweenNodes = true},
    OtherSituation{.change = "a quarter of the bandwidth of the line between sites",
                   .knob = "wan_bandwidth",
                   .factor = 0.25,
                   .betweenSites = true},
    OtherSituation{.change = "a smaller evaluation batch",
                   .edits = &smallerEvaluation,
                   .whereItFits = false,
                   .most = 6},
    OtherSituation{
        .change = "", .edits = &twiceTheGpus, .whereItFits = false, .most = 6, .of = "the GPUs"},
    OtherSituation{.change = "",
                   .knob = "memory_size",
                   .factor = 2.0,
                   .whereItFits = false,
                   .most = 3,
                   .of = "the memory per GPU"},
    OtherSituation{
        .change = "half the sequence", .edits = &shorterSequences, .whereItFits = false}};

}  // namespace

std::span<const OtherSituation> otherSituations() {
    return kSituations;
}

}  // namespace fabricast
