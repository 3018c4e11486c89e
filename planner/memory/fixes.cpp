#include "planner/memory/fixes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kMostFixes = 5;
constexpr int kMostCombined = 4;
constexpr double kWorthSaying = 0.99;  ///< a change that saves less than 1 % is not a fix

/// A change as it is typed, what it costs, and the scenario it makes (nothing: it does not apply).
struct Change {
    int cost = 0;  ///< 0 free, 1 time, 2 another layout, 3 more hardware
    std::string text;
    std::string sideEffect;
    Scenario scenario;
};

using Changes = std::vector<Change>;

void addRecompute(const Scenario& now, Changes& changes) {
    const Checkpointing kind = now.settings.recompute.kind;
    const ModelCode code = now.settings.kernels.code;
    if (kind == Checkpointing::None && code == ModelCode::TorchTitan) {
        Change change{1, "recompute=selective", "a few percent more compute", now};
        change.scenario.settings.recompute.kind = Checkpointing::Selective;
        changes.push_back(std::move(change));
    }
    if (kind != Checkpointing::Full) {
        Change change{1, "recompute=full", "about a third more compute", now};
        change.scenario.settings.recompute = {.kind = Checkpointing::Full};
        changes.push_back(std::move(change));
    }
}

void addKernels(const Scenario& now, Changes& changes) {
    const KernelSettings& kernels = now.settings.kernels;
    const std::int64_t tokens = now.layout.microBatch * now.workload.sequence / now.layout.cp;
    if (kernels.code == ModelCode::TorchTitan && kernels.loss != LossKernel::Chunked &&
        tokens % kernels.lossChunks == 0) {
        Change change{0, "settings.kernels.loss=chunked", "none that is measured", now};
        change.scenario.settings.kernels.loss = LossKernel::Chunked;
        changes.push_back(std::move(change));
    }
    if (now.settings.engine == Engine::Ddp && !now.settings.torch.bucketView) {
        Change change{0, "settings.torch.bucket_view=true", "gradients are views of buckets", now};
        change.scenario.settings.torch.bucketView = true;
        changes.push_back(std::move(change));
    }
    if (now.settings.torch.sync == GradientSync::LastMicroBatch && now.microBatches() > 1) {
        Change change{1,
                      "settings.torch.sync=each_micro_batch",
                      "gradients are reduced in every micro-step",
                      now};
        change.scenario.settings.torch.sync = GradientSync::EachMicroBatch;
        changes.push_back(std::move(change));
    }
}

void addMicroBatch(const Scenario& now, Changes& changes) {
    for (std::int64_t smaller = now.layout.microBatch / 2; smaller >= 1; smaller /= 2) {
        if (now.layout.microBatch % smaller != 0) {
            continue;
        }
        Change change{1,
                      "micro_batch=" + std::to_string(smaller),
                      "more and smaller microbatches: less efficient kernels",
                      now};
        change.scenario.layout.microBatch = smaller;
        changes.push_back(std::move(change));
    }
}

void addBase(const Scenario& now, Changes& changes) {
    if (now.settings.tuning == Tuning::Lora && now.settings.lora.base != Dtype::Nf4) {
        Change change{
            1, "settings.lora.base=nf4", "every pass dequantises: check convergence", now};
        change.scenario.settings.lora.base = Dtype::Nf4;
        changes.push_back(std::move(change));
    }
}

void addOptimizer(const Scenario& now, Changes& changes) {
    if (now.settings.optimizer.kind == OptimizerKind::AdamW) {
        Change change{1, "optimizer=adamw_8bit", "moments in 8 bits: check convergence", now};
        change.scenario.settings.optimizer.kind = OptimizerKind::AdamW8bit;
        changes.push_back(std::move(change));
    }
    if (now.layout.offload == Offload::None && now.settings.engine == Engine::DeepSpeed) {
        Change change{1, "offload=optimizer_cpu", "the optimizer runs on the CPUs", now};
        change.scenario.layout.offload = Offload::OptimizerCpu;
        changes.push_back(std::move(change));
    }
}

void addSharding(const Scenario& now, Changes& changes) {
    const auto shard = [&](Shard kind, const char* text, const char* effect) {
        Change change{2, text, effect, now};
        change.scenario.layout.shard = kind;
        change.scenario.layout.shardSize = 0;
        changes.push_back(std::move(change));
    };
    if (now.settings.engine == Engine::DeepSpeed) {
        if (now.layout.shard < Shard::Zero2) {
            shard(Shard::Zero2, "shard=zero2", "gradients are reduced in every micro-step");
        }
        if (now.layout.shard < Shard::Zero3) {
            shard(Shard::Zero3, "shard=zero3", "parameters are gathered for every layer");
        }
    }
    if (now.layout.shard == Shard::Hsdp) {
        shard(Shard::Fsdp, "shard=fsdp", "parameters are gathered across nodes");
    }
}

/// Moves a factor of two from data parallelism to another axis; the ranks stay the same.
void addAxes(const Scenario& now, Changes& changes) {
    if (now.layout.dp % 2 != 0) {
        return;
    }
    const auto move = [&](std::int64_t Layout::*axis, const char* name, const char* effect) {
        Change change{2, "", effect, now};
        Layout& layout = change.scenario.layout;
        layout.*axis *= 2;
        layout.dp /= 2;
        layout.shardSize = 0;
        if (axis == &Layout::tp) {
            layout.sp = layout.sp || now.layout.tp == 1;
        }
        if (axis == &Layout::pp && layout.schedule == ScheduleKind::None) {
            layout.schedule = ScheduleKind::OneFOneB;
        }
        change.text = name + std::string("=") + std::to_string(layout.*axis) +
                      ",dp=" + std::to_string(layout.dp);
        changes.push_back(std::move(change));
    };
    move(&Layout::tp, "tp", "collectives inside every layer");
    move(&Layout::pp, "pp", "a pipeline bubble, unless microbatches are many");
    move(&Layout::cp, "cp", "keys and values travel between ranks");
}

/// More nodes spread the states over more ranks; where the batch does not divide over them,
/// microbatches shrink.
void addNodes(const Scenario& now, Changes& changes) {
    if (now.layout.shard == Shard::None) {
        return;
    }
    for (const std::int64_t factor : {2, 4, 8, 16}) {
        Scenario larger = now;
        larger.cluster.nodes *= factor;
        larger.layout.dp *= factor;
        larger.layout.shardSize = 0;
        std::string text = "-n " + std::to_string(larger.cluster.nodes);
        const std::int64_t perRank = now.workload.globalBatch / larger.layout.dp;
        if (perRank < 1 || now.workload.globalBatch % larger.layout.dp != 0) {
            continue;
        }
        if (perRank % larger.layout.microBatch != 0) {
            larger.layout.microBatch = perRank;
            text += " with micro_batch=" + std::to_string(perRank);
        }
        changes.push_back({3,
                           text,
                           std::to_string(factor) + " times the hardware, states over more ranks",
                           std::move(larger)});
    }
}

Changes changesOf(const Scenario& scenario) {
    Changes changes;
    addKernels(scenario, changes);
    addRecompute(scenario, changes);
    addMicroBatch(scenario, changes);
    addBase(scenario, changes);
    addOptimizer(scenario, changes);
    addSharding(scenario, changes);
    addAxes(scenario, changes);
    addNodes(scenario, changes);
    return changes;
}

/// A change that the stack allows and that helps, with what it leads to.
struct Tried {
    Change change;
    Bytes peak{};
    bool fits = false;

    /// Among those that fit the cheapest comes first (of equals, the smallest change), among the
    /// others the one that helps most.
    [[nodiscard]] auto rank() const {
        return std::tuple(!fits, fits ? change.cost : 0, fits ? Bytes{} : peak);
    }
};

std::vector<Tried> tryAll(const Scenario& scenario, Bytes peakNow, FixSearch& search) {
    std::vector<Tried> helpful;
    for (Change& change : changesOf(scenario)) {
        if (search.tries <= 0) {
            break;
        }
        if (search.allowed && !search.allowed(change.scenario)) {
            continue;
        }
        --search.tries;
        const auto peak = search.peakOf(change.scenario, peakNow);
        if (peak && *peak / peakNow < kWorthSaying) {
            helpful.push_back({std::move(change), *peak, *peak <= search.capacity});
        }
    }
    std::stable_sort(helpful.begin(), helpful.end(), [](const Tried& a, const Tried& b) {
        return a.rank() < b.rank();
    });
    return helpful;
}

Fix fixOf(const Tried& tried) {
    return {.change = tried.change.text,
            .peakAfter = tried.peak,
            .fits = tried.fits,
            .sideEffect = tried.change.sideEffect};
}

/// Where no single change is enough: the best one, then the best one after it, until it fits.
std::optional<Fix> combine(const std::vector<Tried>& first, FixSearch& search) {
    if (first.empty()) {
        return std::nullopt;
    }
    Tried now = first.front();
    for (int step = 1; step < kMostCombined && !now.fits; ++step) {
        std::vector<Tried> next = tryAll(now.change.scenario, now.peak, search);
        if (next.empty()) {
            return std::nullopt;
        }
        next.front().change.text = now.change.text + " and " + next.front().change.text;
        next.front().change.sideEffect =
            now.change.sideEffect + "; " + next.front().change.sideEffect;
        now = std::move(next.front());
    }
    return now.fits ? std::optional(fixOf(now)) : std::nullopt;
}

}  // namespace

std::vector<Fix> findFixes(const Scenario& scenario, FixSearch search) {
    const std::vector<Tried> found = tryAll(scenario, search.peakNow, search);
    std::vector<Fix> fixes;
    if (found.empty() || !found.front().fits) {
        if (const auto combined = combine(found, search)) {
            fixes.push_back(*combined);
        }
    }
    for (const Tried& tried : found) {
        if (fixes.size() < kMostFixes) {
            fixes.push_back(fixOf(tried));
        }
    }
    return fixes;
}

}  // namespace fabricast
