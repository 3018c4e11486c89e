#pragma once
#include "planner/spec/cluster_spec.h"
#include "planner/spec/layout.h"
#include "planner/spec/model_spec.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <string>

namespace fabricast {

struct WorkloadSpec {
    std::int64_t sequence = 0;
    std::int64_t globalBatch = 0;  ///< samples per optimizer step
};

/// This is the one input of every question: what is trained, on what, by which software, and how
/// the ranks are divided.
struct Scenario {
    std::string stack;
    ModelSpec model;
    ClusterSpec cluster;
    WorkloadSpec workload;
    Layout layout;
    Settings settings;

    /// Microbatches per rank per step.
    [[nodiscard]] std::int64_t microBatches() const {
        const std::int64_t perRound = layout.microBatch * layout.dp;
        return perRound > 0 ? workload.globalBatch / perRound : 0;
    }
    /// Tokens that a token may attend to: its sequence's, or those of its document.
    [[nodiscard]] std::int64_t attendedTokens() const {
        const std::int64_t document = settings.kernels.documentTokens;
        return document > 0 && document < workload.sequence ? document : workload.sequence;
    }
};

}  // namespace fabricast
