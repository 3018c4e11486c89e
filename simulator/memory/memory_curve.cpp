#include "simulator/memory/memory_curve.h"

#include "planner/base/check.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/stage_walks.h"

#include <utility>

namespace fabricast {
namespace {

class CurveWriter {
public:
    CurveWriter(std::int64_t stage, const MemoryByKind& rest) {
        curve_.stage = stage;
        curve_.rest = rest.total();
        curve_.peak = curve_.rest;
        add(SimTime(0), rest);
    }

    void addAction(const MemoryMark& mark, SimTime begin, SimTime end) {
        if (mark.high.total() > curve_.peak) {
            curve_.peak = mark.high.total();
            curve_.peakFrom = begin;
            curve_.peakUntil = end;
            curve_.peakMoment = mark.moment;
        }
        if (curve_.points.back().at == begin) {  // what the last action left is gone at once
            curve_.points.pop_back();
        }
        add(begin, mark.high);
        add(end, mark.after);
    }
    [[nodiscard]] MemoryCurve finish() && { return std::move(curve_); }

private:
    void add(SimTime at, const MemoryByKind& bytes) {
        if (curve_.points.empty() || curve_.points.back().bytes.bytes != bytes.bytes) {
            curve_.points.push_back({at, bytes});
        }
    }

    MemoryCurve curve_;
};

/// The marks are of all passes but input gradients, which the walk has with their weight gradients.
MemoryCurve curveOf(std::int64_t stage, const RankPasses& rank, const MemoryMarks& marks) {
    CurveWriter curve(stage, marks.rest);
    std::size_t action = 0;
    for (const RankPass& pass : rank.passes) {
        if (pass.action.pass != Pass::InputGradient) {
            curve.addAction(marks.actions.at(action++), pass.begin, pass.end);
        }
    }
    FABRICAST_CHECK(marks.actions.size() == action + 1);
    FABRICAST_CHECK(marks.actions.back().after.total() == marks.rest.total());
    curve.addAction(marks.actions.back(), rank.optimizerBegin, rank.optimizerEnd);
    return std::move(curve).finish();
}

}  // namespace

Result<std::vector<MemoryCurve>> memoryCurves(const Scenario& scenario,
                                              const SimProgram& program,
                                              const SimRun& run,
                                              const StageRanks& ranks,
                                              const std::vector<std::size_t>& stages) {
    const std::vector<RankPasses> actors = passesOfActors(program, run);
    std::vector<PipelineOrder> orders;
    for (std::size_t stage = 0; stage < ranks.stages(); ++stage) {
        orders.push_back(walkOrder(actionsOf(actors[ranks.of(stage).front()])));
    }
    std::vector<MemoryCurve> curves;
    for (const std::size_t stage : stages) {
        const auto number = static_cast<std::int64_t>(stage);
        const ActorIndex actor = ranks.of(stage).front();
        FABRICAST_ASSIGN(const MemoryMarks marks, walkMarks(scenario, number, orders));
        curves.push_back(curveOf(number, actors[actor], marks));
        curves.back().actor = actor;
    }
    return curves;
}

}  // namespace fabricast
