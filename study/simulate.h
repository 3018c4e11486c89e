#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/base/watch.h"
#include "simulator/report/simulation.h"
#include "study/question.h"
#include "study/stragglers.h"
#include "study/workbench.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Many runs of the simulated step, in which GPUs fail or are slow.
struct RunsAsk {
    std::int64_t steps = 0;  ///< of a run; 0: as many as workload.tokens needs
    bool failures = false;
    std::optional<std::int64_t> spares;  ///< nodes that stand by; nothing: there is always one
    std::optional<Seconds> repair;       ///< of a node; nothing: the site's
    std::optional<double> jitter;        ///< of kernels from step to step, a share
    std::int64_t runs = 200;
    std::uint64_t seed = 1;
};

struct SimulateAsk {
    StepDetail detail{};                ///< without the stragglers, and nothing failed
    std::vector<Straggler> stragglers;  ///< of those without a stage it is the busiest
    std::vector<std::string> failed{};  ///< links, devices or nodes: traffic goes around them
    std::size_t stages = 0;             ///< whose memory over time is wanted; 0: the fullest alone
    bool needsMemory = false;           ///< an error where memory over time is not known
    bool traces = false;                ///< every op is written out too
    std::optional<RunsAsk> runs;
};

/// A training step, event by event, its memory over time, and runs of many steps. When it is
/// stopped during the runs, those that are over are the answer; before, it is Error::Code::Stopped.
Result<Simulation> simulate(const Question& question,
                            const SimulateAsk& ask,
                            const Workbench& bench,
                            const Watch& watch);

}  // namespace fabricast
