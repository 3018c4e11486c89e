#include "planner/schedule/framework_calls.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// Stages whose parameters a rank holds at once, under FSDP; torch's default.
constexpr std::size_t kMostResident = 3;

/// An entry of a rank's list while torch lowers it: an action (two in a pair), or a slot that only
/// takes a turn: parameters gathered or freed, gradients reduced.
struct Entry {
    std::size_t first = 0;
    std::size_t count = 0;  ///< of the rank's actions; 0: no action
};

/// The stages of the next actions, at least `count` of them if there are.
std::vector<std::int32_t> nextStages(const StageActions& actions,
                                     std::size_t from,
                                     std::size_t count) {
    std::vector<std::int32_t> stages;
    for (std::size_t at = from; at < actions.size(); ++at) {
        if (std::ranges::find(stages, actions[at].stage) == stages.end()) {
            stages.push_back(actions[at].stage);
        }
        if (stages.size() >= count && !actions[at].paired) {
            break;
        }
    }
    return stages;
}

/// A rank's list with a slot for each gather, free, and reduction.
std::vector<Entry> withTurns(const StageActions& actions, std::int64_t microBatches) {
    std::vector<Entry> entries;
    std::vector<std::int32_t> resident;
    std::vector<std::int64_t> finished;
    const auto turns = [&entries](std::size_t count) { entries.insert(entries.end(), count, {}); };
    for (std::size_t at = 0; at < actions.size();) {
        const std::vector<std::int32_t> needed = nextStages(actions, at, kMostResident);
        const auto isNeeded = [&](std::int32_t stage) {
            return std::ranges::find(needed, stage) != needed.end();
        };
        const auto kept = static_cast<std::size_t>(std::ranges::count_if(resident, isNeeded));
        turns(resident.size() - kept + needed.size() - kept);  // freed, and gathered
        resident = needed;
        const std::size_t count = actions[at].paired ? 2 : 1;
        entries.push_back({at, count});
        for (const std::size_t end = at + count; at < end; ++at) {
            const Pass pass = actions[at].pass;
            const auto stage = static_cast<std::size_t>(actions[at].stage);
            finished.resize(std::max(finished.size(), stage + 1));
            const bool last = (pass == Pass::Backward || pass == Pass::WeightGradient) &&
                              ++finished[stage] == microBatches;
            turns(last ? 2 : 0);  // the reduction, and its wait
        }
    }
    turns(resident.size());
    return entries;
}

/// A rank's calls once its receives are in the order of its peers' sends.
struct Lowered {
    enum class Kind : std::uint8_t { Compute, Send, Receive };
    Kind kind = Kind::Compute;
    StageAction action;  ///< Send, Receive: the pass that made the tensor
};

bool isForward(Pass pass) {
    return pass == Pass::Forward;
}

/// torch's lowering: the ranks take turns, one entry each, and a send puts its receive at the end
/// of what the receiving rank has come to.
class Lowering {
public:
    explicit Lowering(const ActionOrder& order)
        : order_(order), lists_(order.ranks.size()), ready_(order.ranks.size()) {}

    std::vector<std::vector<Lowered>> run() && {
        std::vector<std::vector<Entry>> entries;
        std::size_t left = 0;
        for (const StageActions& actions : order_.ranks) {
            entries.push_back(withTurns(actions, order_.shape.microBatches));
            left += entries.back().size();
        }
        std::vector<std::size_t> next(entries.size());
        while (left > 0) {
            for (std::size_t rank = 0; rank < entries.size(); ++rank) {
                if (next[rank] < entries[rank].size() && take(rank, entries[rank][next[rank]])) {
                    ++next[rank];
                    --left;
                }
            }
        }
        return std::move(lists_);
    }

private:
    /// What a rank has: the stage, whether it is an activation for it, and the microbatch.
    using Input = std::tuple<std::int32_t, bool, std::int32_t>;

    bool take(std::size_t rank, const Entry& entry) {
        const auto actions = std::span(order_.ranks[rank]).subspan(entry.first, entry.count);
        for (const StageAction& action : actions) {
            const bool forward = isForward(action.pass);
            const std::int32_t end = forward ? 0 : static_cast<std::int32_t>(order_.stages()) - 1;
            const bool waits = action.pass != Pass::WeightGradient && action.stage != end;
            if (waits && !ready_[rank].contains({action.stage, forward, action.microBatch})) {
                return false;
            }
        }
        for (const StageAction& action : actions) {
            lists_[rank].push_back({Lowered::Kind::Compute, action});
        }
        for (const StageAction& action : actions) {
            handOn(rank, action);
        }
        return true;
    }

    void handOn(std::size_t rank, const StageAction& action) {
        const bool forward = isForward(action.pass);
        const std::int32_t to = action.stage + (forward ? 1 : -1);
        if (action.pass == Pass::WeightGradient || to < 0 || to >= order_.stages()) {
            return;
        }
        const auto peer = static_cast<std::size_t>(order_.rankOf(to, action.microBatch));
        ready_[peer].insert({to, forward, action.microBatch});
        if (peer != rank) {
            lists_[rank].push_back({Lowered::Kind::Send, action});
            lists_[peer].push_back({Lowered::Kind::Receive, action});
        }
    }

    const ActionOrder& order_;
    std::vector<std::vector<Lowered>> lists_;
    std::vector<std::set<Input>> ready_;
};

/// One rank's list, run: receives are waited for before their computation, a forward's send after
/// the same microbatch's backward, what is left at the end.
class RuntimeCalls {
public:
    explicit RuntimeCalls(const ActionOrder& order) : order_(order) {}

    std::vector<CommStep> run(const std::vector<Lowered>& list) && {
        for (std::size_t at = 0; at < list.size(); ++at) {
            switch (list[at].kind) {
                case Lowered::Kind::Send:
                    sends_.push_back({list[at].action, post(list[at].action, true)});
                    break;
                case Lowered::Kind::Receive:
                    receives_.push_back({list[at].action, post(list[at].action, false)});
                    break;
                case Lowered::Kind::Compute:
                    compute(list[at].action);
                    if (list[at].action.paired) {
                        compute(list[++at].action);
                        finishSend(list[at - 1].action);
                    }
                    finishSend(list[at].action);
                    break;
            }
        }
        for (const Posted& send : sends_) {
            program_.wait(send.handle);
        }
        return std::move(program_).finish();
    }

private:
    struct Posted {
        StageAction made;
        std::int32_t handle = 0;
    };

    std::int32_t post(const StageAction& made, bool sends) {
        const bool forward = isForward(made.pass);
        const std::int32_t other = sends ? made.stage + (forward ? 1 : -1) : made.stage;
        return program_.post({transferOf(
            sends, forward, order_.rankOf(other, made.microBatch), made.stage, made.microBatch)});
    }

    void compute(StageAction action) {
        const bool forward = isForward(action.pass);
        const std::int32_t from = action.stage + (forward ? -1 : 1);
        if (action.pass != Pass::WeightGradient) {
            waitFor(receives_, from, forward, action.microBatch);
        }
        action.paired = false;  // the halves run one after the other
        program_.compute(action);
    }
    void finishSend(const StageAction& action) {
        if (!isForward(action.pass) && action.pass != Pass::WeightGradient) {
            waitFor(sends_, action.stage, true, action.microBatch);
        }
    }
    void waitFor(std::vector<Posted>& posted,
                 std::int32_t stage,
                 bool forward,
                 std::int32_t microBatch) {
        const auto found = std::ranges::find_if(posted, [&](const Posted& one) {
            return one.made.stage == stage && isForward(one.made.pass) == forward &&
                   one.made.microBatch == microBatch;
        });
        if (found != posted.end()) {
            program_.wait(found->handle);
            posted.erase(found);
        }
    }

    const ActionOrder& order_;
    ProgramWriter program_;
    std::vector<Posted> sends_;  ///< not yet waited for, in their order
    std::vector<Posted> receives_;
};

}  // namespace

// torch.distributed.pipelining's _PipelineScheduleRuntime.
CommProgram torchRuntimeCalls(const ActionOrder& order) {
    const std::vector<std::vector<Lowered>> lists = Lowering(order).run();
    CommProgram program;
    for (const std::vector<Lowered>& list : lists) {
        program.push_back(RuntimeCalls(order).run(list));
    }
    return program;
}

}  // namespace fabricast
