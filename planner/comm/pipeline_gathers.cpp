#include "planner/comm/pipeline_gathers.h"

#include "planner/schedule/framework_order.h"

#include <algorithm>

namespace fabricast {
namespace {

/// Stages whose parameters a rank with several holds at a time (torch's max_active_stages).
constexpr std::size_t kHeldStages = 3;

/// The next stages to run, each once, from an action on.
std::vector<std::int32_t> nextStages(const StageActions& actions, std::size_t begin) {
    std::vector<std::int32_t> stages;
    for (std::size_t at = begin; at < actions.size(); ++at) {
        if (std::find(stages.begin(), stages.end(), actions[at].stage) == stages.end()) {
            stages.push_back(actions[at].stage);
        }
        if (stages.size() >= kHeldStages && !actions[at].paired) {
            break;
        }
    }
    return stages;
}

class GatherCounter {
public:
    GatherCounter(const StageView& view, bool reshards) : view_(view), reshards_(reshards) {
        stages_.resize(view.chunks.size());
    }

    /// Drops stages that are not among the next to run, and fetches those that are.
    void hold(const std::vector<std::int32_t>& next) {
        for (std::size_t chunk = 0; chunk < stages_.size(); ++chunk) {
            Stage& stage = stages_[chunk];
            const auto position = static_cast<std::int32_t>(view_.chunks[chunk].position);
            const bool wanted = std::find(next.begin(), next.end(), position) != next.end();
            if (wanted && !stage.held) {
                ++stage.gathers.ahead;
            }
            stage.gathered = wanted && (stage.gathered || !stage.held);
            stage.held = wanted;
        }
    }
    void run(const StageAction& action) {
        Stage& stage = stageOf(action.stage);
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
    Stage& stageOf(std::int32_t position) {
        std::size_t chunk = 0;
        while (chunk + 1 < stages_.size() && view_.chunks[chunk].position != position) {
            ++chunk;
        }
        return stages_[chunk];
    }

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
    for (std::size_t at = 0; at < actions.size(); ++at) {
        const bool begins = at == 0 || !actions[at - 1].paired;
        if (several && begins) {
            counter.hold(nextStages(actions, at));
        }
        counter.run(actions[at]);
    }
    return counter.take();
}

}  // namespace fabricast
