#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/memory_report.h"
#include "planner/result/comparison_band.h"
#include "study/option_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

namespace fabricast {
namespace {

double gib(Bytes size) {
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    return static_cast<double>(size.count()) / kGib;
}

double stepSeconds(const AdviceStep& step) {
    return step.plan->step.step.value.count();
}

/// What the recommended step may cost, and how unsurely it may fit.
struct Limits {
    const std::optional<Usd>& most;
    Verdict worst;
    bool helped = true;  ///< adapters with states on the host are among them
};

/// Adapters in place of what was asked, with states on the host.
bool isHelpedAdapter(const AdviceStep& step) {
    return !step.set.empty() && step.plan->scenario.layout.offload != Offload::None;
}

bool isCandidate(const AdviceStep& step, const Limits& limits, Verdict verdict) {
    return step.timed && (limits.helped || !isHelpedAdapter(step)) &&
           step.plan->memory.onDevice == verdict && step.plan->fitsHost() &&
           step.plan->memory.verdict <= limits.worst && isAffordable(step, limits.most);
}

/// A candidate, unless it takes host memory that nobody knows of, and another of the same training
/// does not.
bool isInQuestion(const std::vector<AdviceStep>& steps,
                  const AdviceStep& step,
                  const Limits& limits,
                  Verdict verdict) {
    const auto isSurer = [&](const AdviceStep& other) {
        return isCandidate(other, limits, verdict) && other.set == step.set &&
               !other.plan->memory.ofNode().isUnknown();
    };
    return isCandidate(step, limits, verdict) &&
           (!step.plan->memory.ofNode().isUnknown() || std::ranges::none_of(steps, isSurer));
}

std::optional<std::size_t> fastest(const std::vector<AdviceStep>& steps,
                                   const Limits& limits,
                                   Verdict verdict) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        // LoRA and the like train something else: they are compared only with each other.
        const bool other = best && steps[i].set != steps[*best].set;
        if (isInQuestion(steps, steps[i], limits, verdict) && !other &&
            (!best || stepSeconds(steps[i]) < stepSeconds(steps[*best]))) {
            best = i;
        }
    }
    return best;
}

/// Whether it cannot be told which of the two is faster.
bool isClose(const AdviceStep& a, const AdviceStep& b) {
    const Plan& one = *a.plan;
    const Plan& other = *b.plan;
    return isWithinBand(stepSeconds(a) / stepSeconds(b),
                        comparisonBand(one.step.comparison, one.scenario, other.scenario));
}

/// Whether some candidate of the same training is faster, by more than the error.
bool isBeaten(const std::vector<AdviceStep>& steps, const AdviceStep& step, const Limits& limits) {
    return std::ranges::any_of(steps, [&](const AdviceStep& other) {
        return isInQuestion(steps, other, limits, step.plan->memory.onDevice) &&
               other.set == step.set && stepSeconds(other) < stepSeconds(step) &&
               !isClose(step, other);
    });
}

/// The first of those that nothing surely beats.
std::size_t simplest(const std::vector<AdviceStep>& steps, const Limits& limits, std::size_t best) {
    for (std::size_t i = 0; i < best; ++i) {
        if (isInQuestion(steps, steps[i], limits, steps[best].plan->memory.onDevice) &&
            steps[i].set == steps[best].set && !isBeaten(steps, steps[i], limits)) {
            return i;
        }
    }
    return best;
}

std::string missText(const AdviceStep& step) {
    return fmt::format(
        "does not fit {:.1f} GiB{}", gib(step.plan->memory.capacity), step.unmodelled);
}

std::string hostText(const AdviceStep& step) {
    const HostNeed& host = step.plan->memory.ofNode();
    return fmt::format("needs {} of {} per node{}",
                       shortText(host.perNode),
                       host.what,
                       host.there ? ", of " + shortText(*host.there) : ", which is not known");
}

/// Why it is not sure that a step fits: its GPUs, or host memory that is not known.
std::string whyUnsure(const AdviceStep& step) {
    const MemoryBreakdown& memory = step.plan->memory;
    if (memory.onDevice == Verdict::Fits && memory.ofNode().isUnknown()) {
        return hostText(step);
    }
    return (memory.verdict == Verdict::Likely ? "only " : "") +
           std::string(fitText(memory.verdict));
}

/// Whether a percentage of it would be 0.
bool isAlike(double ratio) {
    return std::abs(ratio - 1.0) < 0.005;
}

/// "23 % faster", "2.4 times as fast".
std::string fasterBy(double ratio) {
    return ratio < 2.0 ? fmt::format("{:.0f} % faster", 100.0 * (ratio - 1.0))
                       : fmt::format("{:.1f} times as fast", ratio);
}

/// How a step that fits compares with the recommended one.
std::string besideText(const AdviceStep& step, const AdviceStep& taken) {
    const double ratio = stepSeconds(step) / stepSeconds(taken);
    if (step.set != taken.set) {
        return fmt::format("different training, {} than {}",
                           ratio < 1.0 ? fmt::format("{:.1f} times faster", 1.0 / ratio)
                                       : fmt::format("{:.1f} times slower", ratio),
                           taken.key);
    }
    const bool close = isClose(step, taken);
    if (!close && ratio > 1.0) {
        const Verdict verdict = step.plan->memory.verdict;
        return fmt::format("{}, {} {} is {}",
                           fitText(verdict),
                           verdict == Verdict::Unlikely ? "and" : "but",
                           taken.key,
                           fasterBy(ratio));
    }
    if (!close) {
        return fmt::format("{}, but {} {} {}",
                           whyUnsure(step),
                           fasterBy(1.0 / ratio),
                           ratio > 0.5 ? "than" : "as",
                           taken.key);
    }
    return ratio < 1.0 && !isAlike(ratio)
               ? fmt::format("{:.0f} % faster than {}, within the error of a comparison",
                             100.0 * (1.0 / ratio - 1.0),
                             taken.key)
               : fmt::format("no faster than {}, which is simpler", taken.key);
}

/// What a step is compared with: the recommended one, and the fastest, which decides.
struct Rivals {
    const AdviceStep* taken = nullptr;
    const AdviceStep* fastest = nullptr;
};

/// Steps stand simplest first: one before the recommended one that is as fast is too slow beside
/// the fastest, or does not fit as surely.
bool isSimplerAndClose(const AdviceStep& step, const AdviceStep& taken) {
    return step.set == taken.set && &step < &taken && isClose(step, taken);
}

std::string simplerText(const AdviceStep& step, const Rivals& rivals) {
    const MemoryBreakdown& memory = step.plan->memory;
    const MemoryBreakdown& taken = rivals.taken->plan->memory;
    if (memory.verdict > taken.verdict || memory.onDevice > taken.onDevice) {
        return "simpler, but " + whyUnsure(step);
    }
    if (memory.ofNode().isUnknown() && !taken.ofNode().isUnknown()) {
        return "simpler, but " + hostText(step);
    }
    const double behind = stepSeconds(step) / stepSeconds(*rivals.fastest);
    return fmt::format("simpler, but {} is {}", rivals.fastest->key, fasterBy(behind));
}

void answerStep(AdviceStep& step, const Rivals& rivals, const std::optional<Usd>& most) {
    const AdviceStep* const taken = rivals.taken;
    if (!step.plan) {
        return;
    }
    step.answer = AdviceAnswer::No;
    if (step.plan->memory.onDevice == Verdict::DoesNotFit) {
        step.why = missText(step);
    } else if (!step.plan->fitsHost()) {
        step.why = hostText(step);
    } else if (!isAffordable(step, most)) {
        step.why = fmt::format("costs {}, more than {}",
                               dollarText(step.plan->cost->run->price->value.count()),
                               dollarText(most->count()));
    } else if (taken == &step) {
        const MemoryBreakdown& memory = step.plan->memory;
        step.answer = memory.verdict == Verdict::Fits ? AdviceAnswer::Yes : AdviceAnswer::Perhaps;
        step.why = step.set.empty() ? "the simplest that fits and is not significantly slower"
                                    : "full training does not fit, or costs too much";
        step.why += memory.onDevice == Verdict::Fits ? ""
                    : memory.onDevice == Verdict::Likely
                        ? "; fits as the allocator gives back what it holds unused"
                        : "; nothing else comes nearer, and it is unlikely to fit";
        step.why += memory.ofNode().isUnknown() ? "; " + hostText(step) : "";
    } else {
        step.why = taken == nullptr                  ? "fits"
                   : isSimplerAndClose(step, *taken) ? simplerText(step, rivals)
                                                     : besideText(step, *taken);
        const bool isHelped = taken != nullptr && isHelpedAdapter(step) && !isHelpedAdapter(*taken);
        step.why += isHelped ? ", with states on the host" : "";
    }
}

}  // namespace

bool isAffordable(const AdviceStep& step, const std::optional<Usd>& most) {
    const bool known =
        step.plan && step.plan->cost && step.plan->cost->run && step.plan->cost->run->price;
    return !most || !known || step.plan->cost->run->price->value <= *most;
}

std::optional<std::size_t> chooseOption(std::vector<AdviceStep>& steps,
                                        const std::optional<Usd>& most,
                                        Verdict worst) {
    std::optional<std::size_t> chosen;
    Rivals rivals;
    const auto choose = [&](bool helped, std::span<const Verdict> verdicts) {
        const Limits limits{most, worst, helped};
        for (const Verdict verdict : verdicts) {
            if (const auto best = chosen ? std::nullopt : fastest(steps, limits, verdict)) {
                chosen = simplest(steps, limits, *best);
                rivals = {&steps[*chosen], &steps[*best]};
            }
        }
    };
    // A base of fewer bits that likely fits is simpler than states on the host that surely do.
    constexpr std::array kBySureness = {Verdict::Fits, Verdict::Likely, Verdict::Unlikely};
    choose(false, std::span(kBySureness).first(2));
    choose(true, kBySureness);
    for (AdviceStep& step : steps) {
        answerStep(step, rivals, most);
    }
    return chosen;
}

}  // namespace fabricast
