#pragma once
#include "planner/schedule/order_kind.h"
#include "planner/schedule/step_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace fabricast {

/// The effect of a transfer between ranks on the receiver: nothing, it arrives while the rank
/// computes; or the rank waits for it.
enum class Receive : std::uint8_t { Overlap, Block };

/// How long everything takes, in seconds (double) or in whole ticks (int64, exact).
template <class Time>
struct SpanTimes {
    std::span<const Time> passes;  ///< by timeIndex: kPasses for each stage
    Time handOver = 0;             ///< from one rank to another; none inside a rank
    Receive receive = Receive::Overlap;
    bool oneAtATime = false;     ///< a rank sends its outputs one after another, of overlapped ones
    Time far = 0;                ///< a hand-over between sites
    std::int64_t siteRanks = 0;  ///< ranks in a row at one site; 0: all of them
};

/// When the ranks of a pipeline are done.
template <class Time>
struct PipelineSpan {
    Time makespan = 0;
    std::vector<Time> busy;          ///< of each rank; its bubble is makespan - busy
    std::vector<Time> end;           ///< of each rank
    std::vector<Time> firstForward;  ///< of each stage: when it starts, so what may come before
    /// Of each stage: from its last gradient to the makespan, where their reduction may hide.
    std::vector<Time> slack;
};

/// This times orders. It keeps its memory between calls; use one per thread.
///     SpanClock<double> clock;
///     const PipelineSpan<double>& span = clock.time(steps, {.passes = seconds});
template <class Time>
class SpanClock {
public:
    /// Every step starts when its rank is free and its inputs have arrived:
    ///     overlap: start = max(rank free, output + transfer)
    ///     block:   start = max(rank free, output) + transfer
    /// Sent one at a time, an output is on its way when the one before has arrived.
    /// The answer lives until the next call.
    const PipelineSpan<Time>& time(const StepList& list, const SpanTimes<Time>& times) {
        passes_.assign(times.passes.begin(), times.passes.end());
        passes_.push_back(0);  // the missing half of a step
        ends_.resize(list.steps.size() + 1);
        ends_[0] = 0;
        span_.end.assign(static_cast<std::size_t>(list.ranks), 0);
        if (times.receive == Receive::Overlap && mayWaitForLine(list, times)) {
            walkLines(list, times);
        } else if (times.siteRanks > 0) {
            walkOverSites(list, times);
        } else if (list.pairs) {
            walk<true>(list, times);
        } else {
            walk<false>(list, times);
        }
        summarise(list);
        return span_;
    }

    /// When a step of the last call ended; steps[i] is number i + 1.
    [[nodiscard]] std::span<const Time> ends() const { return std::span(ends_).subspan(1); }

private:
    /// Whether a rank may have an output to send while it sends the one before. What a pass hands
    /// on comes a pass after that, so a transfer shorter than each of them is always done.
    static bool mayWaitForLine(const StepList& list, const SpanTimes<Time>& times) {
        if (!times.oneAtATime || list.pairs || times.siteRanks > 0) {
            return times.oneAtATime;
        }
        for (std::size_t at = 0; at < times.passes.size(); ++at) {
            const bool hands = at % kPasses != std::size_t(Pass::WeightGradient);
            if (hands && times.passes[at] < times.handOver) {
                return true;
            }
        }
        return false;
    }

    template <bool kPairs>
    void walk(const StepList& list, const SpanTimes<Time>& times) {
        const bool blocks = times.receive == Receive::Block;
        const Time late = blocks ? Time{0} : times.handOver;
        const Time blocked = blocks ? times.handOver : Time{0};
        Time* const free = span_.end.data();
        Time* end = ends_.data();
        for (const OrderStep& step : list.steps) {
            Time ready = ends_[step.after[0]] + (step.remote[0] ? late : Time{0});
            Time length = passes_[step.times[0]] + (step.remote[0] ? blocked : Time{0});
            if constexpr (kPairs) {
                ready = std::max(ready, ends_[step.after[1]] + (step.remote[1] ? late : Time{0}));
                length += passes_[step.times[1]] +
                          (step.remote[1] && !step.remote[0] ? blocked : Time{0});
            }
            *++end = free[step.rank] = std::max(free[step.rank], ready) + length;
        }
    }

    /// The same, where what a transfer takes depends on whose output it is.
    void walkOverSites(const StepList& list, const SpanTimes<Time>& times) {
        const bool blocks = times.receive == Receive::Block;
        const auto siteOf = [&](const OrderStep& step) { return step.rank / times.siteRanks; };
        const auto transfer = [&](const OrderStep& step, std::size_t half) {
            const std::uint32_t from = step.after[half];
            if (!step.remote[half] || from == 0) {
                return Time{0};
            }
            return siteOf(list.steps[from - 1]) == siteOf(step) ? times.handOver : times.far;
        };
        Time* const free = span_.end.data();
        Time* end = ends_.data();
        for (const OrderStep& step : list.steps) {
            const Time first = transfer(step, 0);
            const Time second = transfer(step, 1);
            const Time blocked = blocks ? std::max(first, second) : Time{0};
            const Time ready = std::max(ends_[step.after[0]] + (blocks ? Time{0} : first),
                                        ends_[step.after[1]] + (blocks ? Time{0} : second));
            const Time length = passes_[step.times[0]] + passes_[step.times[1]] + blocked;
            *++end = free[step.rank] = std::max(free[step.rank], ready) + length;
        }
    }

    /// The same, where a rank has one line for all that it sends. Ranks pass outputs on in the
    /// order in which they make them.
    void walkLines(const StepList& list, const SpanTimes<Time>& times) {
        const auto siteOf = [&](std::uint16_t rank) {
            return times.siteRanks > 0 ? rank / times.siteRanks : 0;
        };
        lines_.assign(static_cast<std::size_t>(list.ranks), 0);
        arrivals_.assign(list.steps.size() + 1, {});
        Time* const free = span_.end.data();
        for (std::size_t at = 0; at < list.steps.size(); ++at) {
            const OrderStep& step = list.steps[at];
            Time ready = free[step.rank];
            Time length = 0;
            for (std::size_t half = 0; half < step.after.size(); ++half) {
                const bool forward = step.times[half] % kPasses == std::size_t(Pass::Forward);
                const std::uint32_t from = step.after[half];
                ready = std::max(
                    ready, step.remote[half] ? arrivals_[from][forward ? 0 : 1] : ends_[from]);
                length += passes_[step.times[half]];
            }
            const Time end = ends_[at + 1] = free[step.rank] = ready + length;
            for (std::size_t kind = 0; kind < step.to.size(); ++kind) {
                if (step.to[kind] != step.rank) {
                    const bool isNear = siteOf(step.to[kind]) == siteOf(step.rank);
                    Time& line = lines_[step.rank];
                    line = std::max(line, end) + (isNear ? times.handOver : times.far);
                    arrivals_[at + 1][kind] = line;
                }
            }
        }
    }

    void summarise(const StepList& list) {
        span_.makespan = span_.end.empty() ? Time{0} : *std::ranges::max_element(span_.end);
        span_.busy.clear();
        for (const std::vector<StepList::Share>& work : list.work) {
            Time sum = 0;
            for (const StepList::Share& share : work) {
                sum += static_cast<Time>(share.count) * passes_[share.time];
            }
            span_.busy.push_back(sum);
        }
        span_.slack.clear();
        span_.firstForward.clear();
        for (std::size_t stage = 0; stage < static_cast<std::size_t>(list.stages); ++stage) {
            span_.slack.push_back(span_.makespan - ends_[list.lastGradientOfStage[stage]]);
            span_.firstForward.push_back(ends_[list.firstForwardOfStage[stage]] -
                                         passes_[timeIndex(stage, Pass::Forward)]);
        }
    }

    std::vector<Time> passes_;
    std::vector<Time> ends_;
    std::vector<Time> lines_;                    ///< until when each rank is sending
    std::vector<std::array<Time, 2>> arrivals_;  ///< of each step's activations and gradients
    PipelineSpan<Time> span_;
};

/// This keeps what a search needs to time pipelines again and again: the sorted steps of every
/// order met so far, and the clock's memory. One per thread. Orders are forgotten when they add up
/// to more than `mostSteps`.
class SpanWorkspace {
public:
    explicit SpanWorkspace(std::size_t mostSteps = 4'000'000) : mostSteps_(mostSteps) {}

    /// The sorted steps of an order that `frameworkOrder` accepted; they live until another order
    /// is asked for.
    const StepList& steps(OrderKind kind, const PipelineShape& shape);
    SpanClock<double>& clock() { return clock_; }

private:
    using Key = std::tuple<OrderKind, PipelineShape>;

    std::size_t mostSteps_;
    std::size_t steps_ = 0;
    std::map<Key, StepList> lists_;
    SpanClock<double> clock_;
};

}  // namespace fabricast
