#include "planner/schedule/draw_timeline.h"

#include "planner/base/decimal_ticks.h"
#include "planner/schedule/order_kind.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fabricast {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

/// The part up to the next `mark`, removed from `rest`.
std::string_view cutAt(std::string_view& rest, char mark) {
    const std::size_t at = rest.find(mark);
    const std::string_view part = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    return trimmed(part);
}

std::optional<Pass> passNamed(std::string_view name) {
    for (const Pass pass :
         {Pass::Forward, Pass::Backward, Pass::InputGradient, Pass::WeightGradient}) {
        if (name.size() == 1 && name.front() == letterOf(pass)) {
            return pass;
        }
    }
    return std::nullopt;
}

/// The input by pass: one number or one for each stage; none if not given.
using Typed = std::array<std::vector<Decimal>, kPasses>;

Result<void> readPass(std::string_view part, std::size_t stages, Typed& typed) {
    const std::string where = "--durations";
    const std::string_view written = part;
    const std::string_view name = cutAt(part, '=');
    const std::optional<Pass> pass = passNamed(name);
    if (!pass) {
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + std::string(written) + "\" is not a pass and its duration",
                    "\"F=41;B=77\": F forward, B backward, I input gradient, W weight gradient");
    }
    std::vector<Decimal>& values = typed[static_cast<std::size_t>(*pass)];
    if (!values.empty()) {
        return fail(Error::Code::BadInput, where, std::string(name) + " is given twice");
    }
    while (!part.empty()) {
        const std::string_view number = cutAt(part, ' ');
        if (!number.empty()) {
            FABRICAST_ASSIGN(const Decimal value, parseDecimal(number, where));
            values.push_back(value);
        }
    }
    if (values.size() != 1 && values.size() != stages) {
        return fail(Error::Code::BadInput,
                    where,
                    std::string(name) + " has " + std::to_string(values.size()) + " numbers",
                    "one, or one for each of the " + std::to_string(stages) + " stages");
    }
    return {};
}

int mostDecimals(const Typed& typed, int decimals) {
    for (const std::vector<Decimal>& values : typed) {
        for (const Decimal& value : values) {
            decimals = std::max(decimals, value.decimals);
        }
    }
    return decimals;
}

Result<void> fillPass(const std::vector<Decimal>& values,
                      Pass pass,
                      std::size_t stages,
                      PassTimes& times) {
    for (std::size_t stage = 0; stage < stages && !values.empty(); ++stage) {
        const Decimal value = values.size() == 1 ? values.front() : values[stage];
        FABRICAST_ASSIGN(times.ticks[timeIndex(stage, pass)],
                         ticksOf(value, times.decimals, "--durations"));
    }
    return {};
}

Result<void> checkSaid(const Typed& typed, const std::vector<Pass>& needed) {
    for (const Pass pass : needed) {
        if (!typed[static_cast<std::size_t>(pass)].empty()) {
            continue;
        }
        const std::string letter(1, letterOf(pass));
        const bool half = pass == Pass::InputGradient || pass == Pass::WeightGradient;
        return fail(Error::Code::BadInput,
                    "--durations",
                    half ? "this schedule splits the backward, and " + letter + " is not given"
                         : letter + " is not given",
                    half ? "\"F=1;B=2;I=1;W=1\"" : "\"" + letter + "=77\"");
    }
    return {};
}

/// Each rank's actions with the times of the steps they are in: steps come in the rank's order.
void addTimes(const ActionOrder& order,
              const StepList& list,
              const SpanClock<std::int64_t>& clock,
              const PassTimes& times,
              PipelineTimeline& timeline) {
    const auto zero = static_cast<std::uint32_t>(times.ticks.size());
    const auto ticksOf = [&](std::uint32_t time) { return time == zero ? 0 : times.ticks[time]; };
    for (std::size_t i = 0; i < list.steps.size(); ++i) {
        const OrderStep& step = list.steps[i];
        std::vector<TimedAction>& actions = timeline.ranks[step.rank].actions;
        const std::size_t halves = step.times[1] == zero ? 1 : 2;
        const std::int64_t end = clock.ends()[i];
        const std::int64_t start = end - ticksOf(step.times[0]) - ticksOf(step.times[1]);
        for (std::size_t half = 0; half < halves; ++half) {
            actions.push_back({order.ranks[step.rank][actions.size()], start, end});
        }
    }
}

}  // namespace

Result<PassTimes> parsePassTimes(std::string_view durations,
                                 std::string_view handOver,
                                 std::size_t stages,
                                 const std::vector<Pass>& needed) {
    Typed typed;
    std::string_view rest = trimmed(durations).empty() ? "F=1;B=2;I=1;W=1" : durations;
    while (!rest.empty()) {
        const std::string_view part = cutAt(rest, ';');
        if (!part.empty()) {
            FABRICAST_TRY(readPass(part, stages, typed));
        }
    }
    FABRICAST_ASSIGN(const Decimal late, parseDecimal(trimmed(handOver), "--p2p"));
    PassTimes times{.ticks = std::vector<std::int64_t>(stages * kPasses), .handOver = 0};
    times.decimals = mostDecimals(typed, late.decimals);
    FABRICAST_ASSIGN(times.handOver, ticksOf(late, times.decimals, "--p2p"));
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
        FABRICAST_TRY(fillPass(typed[pass], static_cast<Pass>(pass), stages, times));
    }
    constexpr auto kBackward = static_cast<std::size_t>(Pass::Backward);
    constexpr auto kInput = static_cast<std::size_t>(Pass::InputGradient);
    constexpr auto kWeight = static_cast<std::size_t>(Pass::WeightGradient);
    if (typed[kBackward].empty() && !typed[kInput].empty() && !typed[kWeight].empty()) {
        typed[kBackward] = typed[kInput];
        for (std::size_t stage = 0; stage < stages; ++stage) {
            times.ticks[timeIndex(stage, Pass::Backward)] =
                times.ticks[timeIndex(stage, Pass::InputGradient)] +
                times.ticks[timeIndex(stage, Pass::WeightGradient)];
        }
    }
    FABRICAST_TRY(checkSaid(typed, needed));
    return times;
}

std::vector<Pass> passesOf(const StepList& list) {
    std::array<bool, kPasses> seen{};
    for (const std::vector<StepList::Share>& work : list.work) {
        for (const StepList::Share& share : work) {
            seen[share.time % kPasses] = true;
        }
    }
    std::vector<Pass> passes;
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
        if (seen[pass]) {
            passes.push_back(static_cast<Pass>(pass));
        }
    }
    return passes;
}

Result<PipelineTimeline> drawTimeline(const FrameworkOrder& chosen,
                                      const TimelineSettings& settings) {
    const PipelineShape& shape = chosen.shape;
    if (shape.stages() > kMostDrawn / shape.microBatches) {
        return fail(Error::Code::BadInput,
                    "microbatches",
                    "more than " + std::to_string(kMostDrawn) +
                        " stages x microbatches are too many to draw",
                    "use fewer microbatches: the pattern repeats");
    }
    const ActionOrder order = actionOrder(chosen.kind, shape);
    FABRICAST_ASSIGN(const StepList list, sortSteps(order, settings.pairs));
    FABRICAST_ASSIGN(const PassTimes times,
                     parsePassTimes(settings.durations,
                                    settings.handOver,
                                    static_cast<std::size_t>(list.stages),
                                    passesOf(list)));
    SpanClock<std::int64_t> clock;
    const PipelineSpan<std::int64_t>& span =
        clock.time(list, {times.ticks, times.handOver, settings.receive});
    PipelineTimeline timeline{.chunks = shape.chunks,
                              .microBatches = shape.microBatches,
                              .group = shape.group,
                              .decimals = times.decimals,
                              .handOver = times.handOver,
                              .receiveBlocks = settings.receive == Receive::Block,
                              .makespan = span.makespan,
                              .ranks = {},
                              .slack = span.slack};
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        timeline.ranks.push_back({.actions = {},
                                  .text = actionsText(order.ranks[rank]),
                                  .busy = span.busy[rank],
                                  .end = span.end[rank],
                                  .inFlightPeak = list.inFlight[rank].peak,
                                  .untilInput = list.inFlight[rank].untilInput,
                                  .pendingWeights = list.inFlight[rank].pendingWeights});
    }
    addTimes(order, list, clock, times, timeline);
    return timeline;
}

}  // namespace fabricast
