#include "planner/advise/other_situations.h"

#include <array>
#include <cstdint>

namespace fabricast {
namespace {

bool twiceTheGpus(Premises& premises) {
    premises.scenario.cluster.nodes *= 2;
    return true;
}

bool halfTheGpus(Premises& premises) {
    ClusterSpec& cluster = premises.scenario.cluster;
    if (cluster.nodes % 2 == 0) {
        cluster.nodes /= 2;
        return true;
    }
    NodeSpec& node = cluster.node;
    if (cluster.nodes != 1 || node.gpus % 2 != 0) {
        return false;
    }
    node.gpus /= 2;
    if (node.power.value) {
        node.power.value = *node.power.value * 0.5;
    }
    return true;
}

/// The same tokens a step, in fewer sequences.
bool longerSequences(Premises& premises) {
    constexpr std::int64_t kTimes = 4;
    Scenario& scenario = premises.scenario;
    const std::int64_t sequence = scenario.workload.sequence * kTimes;
    const bool known = scenario.model.position != PositionKind::Learned ||
                       sequence <= scenario.model.learnedPositions;
    if (!known || scenario.workload.globalBatch % kTimes != 0) {
        return false;
    }
    scenario.workload.sequence = sequence;
    scenario.workload.globalBatch /= kTimes;
    return true;
}

/// For what does not fit: as many sequences, each of half the tokens.
bool shorterSequences(Premises& premises) {
    constexpr std::int64_t kShortest = 512;
    std::int64_t& sequence = premises.scenario.workload.sequence;
    if (sequence % 2 != 0 || sequence / 2 < kShortest) {
        return false;
    }
    sequence /= 2;
    return true;
}

bool turn(Premises& premises, std::string_view key, double factor) {
    for (const Knob& knob : knobs()) {
        if (knob.key == key) {
            knob.scale(premises, factor);
            return true;
        }
    }
    return false;
}

bool halfTheMemory(Premises& premises) {
    return turn(premises, "memory_size", 0.5);
}

bool twiceTheMemory(Premises& premises) {
    return turn(premises, "memory_size", 2.0);
}

bool slowerNetwork(Premises& premises) {
    return premises.scenario.cluster.nodes > 1 && turn(premises, "network_bandwidth", 0.25);
}

constexpr std::array kSituations = {
    OtherSituation{"twice the GPUs", &twiceTheGpus},
    OtherSituation{"half the GPUs", &halfTheGpus},
    OtherSituation{"sequences four times as long, as many tokens a step", &longerSequences},
    OtherSituation{"GPUs of half the memory", &halfTheMemory},
    OtherSituation{"a quarter of the network between nodes", &slowerNetwork},
    OtherSituation{"", &twiceTheGpus, false, 6, "the GPUs"},
    OtherSituation{"", &twiceTheMemory, false, 3, "the memory of a GPU"},
    OtherSituation{"half the sequence", &shorterSequences, false}};

}  // namespace

std::span<const OtherSituation> otherSituations() {
    return kSituations;
}

}  // namespace fabricast
