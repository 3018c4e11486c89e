#include "planner/comm/pipeline_gathers.h"

#include "planner/schedule/framework_order.h"

#include <array>
#include <utility>

namespace fabricast {
namespace {

/// Stages whose parameters a rank with several holds at a time (torch's max_active_stages).
constexpr std::size_t kHeldStages = 3;

/// Where the actions of each chunk of a rank lie, and which comes next as the rank goes on.
class NextRuns {
public:
    NextRuns(const StageActions& actions, const StageView& view) : actions_(actions) {
        places_.resize(view.chunks.size());
        next_.resize(view.chunks.size());
        runs_.resize(view.chunks.size());
        held_.resize(view.chunks.size());
        for (std::size_t at = 0; at < actions.size(); ++at) {
            places_[chunkOf(view, actions[at].stage)].push_back(at);
        }
    }

    static std::size_t chunkOf(const StageView& view, std::int32_t stage) {
        std::size_t chunk = 0;
        while (chunk + 1 < view.chunks.size() && view.chunks[chunk].position != stage) {
            ++chunk;
        }
        return chunk;
    }

    /// The chunks that are held from an action on: those that run next, as many as are held, and
    /// the one that an action of the last of them is paired with. `at` never falls.
    const std::vector<bool>& heldFrom(std::size_t at) {
        const std::size_t never = actions_.size();
        std::array<std::size_t, kHeldStages> first;  // the least of the places, in their order
        first.fill(never);
        for (std::size_t chunk = 0; chunk < places_.size(); ++chunk) {
            std::size_t& next = next_[chunk];
            while (next < places_[chunk].size() && places_[chunk][next] < at) {
                ++next;
            }
            std::size_t place = next < places_[chunk].size() ? places_[chunk][next] : never;
            runs_[chunk] = place;
            for (std::size_t& earlier : first) {
                if (place < earlier) {
                    std::swap(place, earlier);
                }
            }
        }
        std::size_t last = first.back();
        while (last < never && actions_[last].paired) {
            ++last;
        }
        for (std::size_t chunk = 0; chunk < runs_.size(); ++chunk) {
            held_[chunk] = runs_[chunk] < never && runs_[chunk] <= last;
        }
        return held_;
    }

private:
    const StageActions& actions_;
    std::vector<std::vector<std::size_t>> places_;
    std::vector<std::size_t> next_;
    std::vector<std::size_t> runs_;
    std::vector<bool> held_;
};

class GatherCounter {
public:
    GatherCounter(const StageView& view, bool reshards) : view_(view), reshards_(reshards) {
        stages_.resize(view.chunks.size());
    }

    /// Drops stages that are not among the next to run, and fetches those that are.
    void hold(const std::vector<bool>& next) {
        for (std::size_t chunk = 0; chunk < stages_.size(); ++chunk) {
            Stage& stage = stages_[chunk];
            const bool wanted = next[chunk];
            if (wanted && !stage.held) {
                ++stage.gathers.ahead;
            }
            stage.gathered = wanted && (stage.gathered || !stage.held);
            stage.held = wanted;
        }
    }
    void run(const StageAction& action) {
        Stage& stage = stages_[NextRuns::chunkOf(view_, action.stage)];
        if (action.pass == Pass::WeightGradient) {
            return;
        }
        const bool forward = action.pass == Pass::Forward;
        if (!stage.gathered) {
            ++(forward ? stage.gathers.forward : stage.gathers.backward);
        }
        stage.gathered = !(forward && reshards_);
    }
    [[nodiscard]] std::vector<ChunkGathers> take() const {
        std::vector<ChunkGathers> gathers;
        for (const Stage& stage : stages_) {
            gathers.push_back(stage.gathers);
        }
        return gathers;
    }

private:
    struct Stage {
        bool held = false;
        bool gathered = false;
        ChunkGathers gathers;
    };
    const StageView& view_;
    bool reshards_;
    std::vector<Stage> stages_;
};

StageActions actionsOf(const FrameworkOrder& order, std::int64_t rank) {
    const OrderRecipe& recipe = recipeOf(order.kind);
    return recipe.ofRank != nullptr ? recipe.ofRank(order.shape, rank)
                                    : recipe.ofAll(order.shape)[static_cast<std::size_t>(rank)];
}

std::vector<ChunkGathers> onceEach(const StageView& view) {
    const bool several = view.chunks.size() > 1;
    const ChunkGathers once{.ahead = several ? 1 : 0, .forward = several ? 0 : 1};
    return std::vector<ChunkGathers>(view.chunks.size(), once);
}

}  // namespace

Result<std::vector<ChunkGathers>> pipelineGathers(const StageView& view) {
    const bool reshards = view.settings().torch.reshard == Reshard::Always;
    const bool several = view.chunks.size() > 1;
    if (!reshards && view.chunks.size() <= kHeldStages) {
        return onceEach(view);
    }
    const ScheduleRequest request{.framework = Framework::Torch,
                                  .schedule = view.layout().schedule,
                                  .shape = {.ranks = view.layout().pp,
                                            .chunks = static_cast<std::int64_t>(view.chunks.size()),
                                            .microBatches = view.microBatches / view.passes}};
    FABRICAST_ASSIGN(const FrameworkOrder order, frameworkOrder(request));
    const StageActions actions = actionsOf(order, view.stage);
    GatherCounter counter(view, reshards);
    NextRuns runs(actions, view);
    for (std::size_t at = 0; at < actions.size(); ++at) {
        const bool begins = at == 0 || !actions[at - 1].paired;
        if (several && begins) {
            counter.hold(runs.heldFrom(at));
        }
        counter.run(actions[at]);
    }
    return counter.take();
}

}  // namespace fabricast
