#include "planner/report/cost_report.h"
#include "planner/report/memory_report.h"
#include "study/requirements.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

using Value = std::optional<Headline<double>>;

Headline<double> exactly(double value) {
    return {.value = value, .lo = value, .hi = value};
}

template <class Q>
Headline<double> inUnit(const Headline<Q>& headline, double unit) {
    return {.value = static_cast<double>(headline.value.count()) / unit,
            .lo = static_cast<double>(headline.lo.count()) / unit,
            .hi = static_cast<double>(headline.hi.count()) / unit,
            .evidence = headline.evidence};
}

template <class Q>
Value inUnit(const std::optional<Headline<Q>>& headline, double unit) {
    return headline ? Value(inUnit(*headline, unit)) : std::nullopt;
}

/// A rate of the step: the longer the step, the lower.
Headline<double> rateOf(const StepEstimate& step, double rate) {
    const Headline<Seconds>& time = step.step;
    return {.value = rate,
            .lo = rate * (time.value / time.hi),
            .hi = rate * (time.value / time.lo),
            .evidence = time.evidence};
}

Value stepMetric(const StepEstimate& step, Metric metric) {
    switch (metric) {
        case Metric::StepSeconds:
            return inUnit(step.step, 1.0);
        case Metric::TokensPerSecond:
            return rateOf(step, step.tokensPerSecond);
        case Metric::TokensPerGpuSecond:
            return rateOf(step, step.tokensPerGpuSecond);
        case Metric::Mfu:
            return step.utilisation.mfu ? Value(rateOf(step, *step.utilisation.mfu)) : std::nullopt;
        default:
            return std::nullopt;
    }
}

Value costMetric(const RunCost& cost, Metric metric) {
    switch (metric) {
        case Metric::Goodput:
            return cost.goodput.share;
        case Metric::UsdPerMtok:
            return inUnit(cost.perMtok, 1.0);
        case Metric::KwhPerMtok:
            return inUnit(cost.energyPerMtok, kJoulesPerKwh);
        case Metric::Days:
            return cost.run ? Value(inUnit(cost.run->wall, kSecondsPerDay)) : std::nullopt;
        case Metric::UsdPerRun:
            return cost.run ? inUnit(cost.run->price, 1.0) : std::nullopt;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<Headline<double>> metricOf(const ComparedSide& side, Metric metric) {
    const MemoryBreakdown& memory = side.memory;
    const auto room = static_cast<double>(memory.room().count());
    switch (metric) {
        case Metric::Fits:
        case Metric::MemoryPeak:
            return inUnit(memory.peak, 1.0);
        case Metric::MemoryPeakShare:
            return room > 0.0 ? Value(inUnit(memory.peak, room)) : std::nullopt;
        case Metric::HostMemory:
            return exactly(static_cast<double>(memory.host.perNode.count()));
        case Metric::Gpus:
            return exactly(static_cast<double>(side.scenario.layout.world()));
        case Metric::Nodes:
            return exactly(static_cast<double>(side.scenario.cluster.nodes));
        default:
            break;
    }
    const Value step = side.step ? stepMetric(*side.step, metric) : std::nullopt;
    return step || !side.cost ? step : costMetric(*side.cost, metric);
}

namespace {

/// Of what follows from the run's end, where it makes no progress; empty: it does.
std::string noEndText(const ComparedSide& side, Metric metric) {
    const bool isOfEnd = metric == Metric::Days || metric == Metric::UsdPerRun ||
                         metric == Metric::UsdPerMtok || metric == Metric::KwhPerMtok;
    if (!isOfEnd || !side.cost) {
        return "";
    }
    std::string text = noProgressText(side.cost->goodput);
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

std::string whyNoMetric(const ComparedSide& side, Metric metric) {
    if (!side.step) {
        return "no time forecast: " + side.whyNoStep;
    }
    if (std::string why = noEndText(side, metric); !why.empty()) {
        return why;
    }
    switch (metric) {
        case Metric::Mfu:
            return side.step->utilisation.why;
        case Metric::Days:
        case Metric::UsdPerRun:
            if (!side.cost || !side.cost->run) {
                return "the run's tokens are not given: --tokens 1T";
            }
            return "no price is known: --price '$2.10/h'";
        case Metric::UsdPerMtok:
            return "no price is known: --price '$2.10/h'";
        case Metric::KwhPerMtok:
            return "the power is not known";
        default:
            return "not known";
    }
}

bool holds(double value, Relation relation, double bound) {
    switch (relation) {
        case Relation::Less:
            return value < bound;
        case Relation::AtMost:
            return value <= bound;
        case Relation::Equal:
            return value == bound;
        case Relation::AtLeast:
            return value >= bound;
        case Relation::Greater:
            return value > bound;
    }
    return false;
}

CheckVerdict verdictOn(const Headline<double>& value, const CheckedRequirement& checked) {
    const Requirement& asked = checked.requirement;
    const auto one = [&](double at) {
        return holds(at, asked.relation, checked.bound) ? CheckVerdict::Holds : CheckVerdict::Fails;
    };
    if (asked.ofBaseline) {
        return one(value.value);
    }
    switch (asked.judged) {
        case Judged::Low:
            return one(value.lo);
        case Judged::Middle:
            return one(value.value);
        case Judged::High:
            return one(value.hi);
        case Judged::Interval:
            break;
    }
    // Within an interval no number is known to be equal, nor to be another.
    const bool isInside = value.lo < value.hi && value.lo <= checked.bound &&
                          checked.bound <= value.hi && asked.relation == Relation::Equal;
    return !isInside && one(value.lo) == one(value.hi) && one(value.lo) == one(value.value)
               ? one(value.value)
               : CheckVerdict::CannotTell;
}

/// What a node needs and nobody says whether it has, and the flag that says it: "NVMe space per
/// node: 1.16 TiB needed, not known (--nvme states it)".
std::string unknownNeeds(const MemoryBreakdown& memory) {
    std::string text;
    for (const HostNeed& need : {memory.host, memory.drives}) {
        if (need.isUnknown()) {
            text += (text.empty() ? "" : "; ") + hostNeedText(need) + " (" +
                    std::string(need.flag) + " states it)";
        }
    }
    return text;
}

/// GPUs and hosts together, by the verdict that every other answer gives. A share of the memory
/// that is left to the allocator makes nothing surer than it is without.
CheckVerdict fitVerdict(const Requirement& asked, const MemoryBreakdown& memory) {
    const Verdict verdict = memory.verdict;
    const bool isHoped = memory.reserve > 0.0 && memory.unpressed > memory.capacity;
    if (asked.surely && isHoped) {
        return CheckVerdict::Fails;
    }
    if (!isUnsure(verdict)) {
        return verdict == Verdict::Fits ? CheckVerdict::Holds : CheckVerdict::Fails;
    }
    if (asked.surely || asked.judged == Judged::High) {
        return CheckVerdict::Fails;
    }
    if (asked.judged == Judged::Interval) {
        return CheckVerdict::CannotTell;
    }
    return verdict == Verdict::Likely || asked.judged == Judged::Low ? CheckVerdict::Holds
                                                                     : CheckVerdict::Fails;
}

/// What is not known of a node has no middle and no low end: only a device that fails already is
/// judged without it.
void judgeFit(const MemoryBreakdown& memory, CheckedRequirement& checked) {
    checked.bound = static_cast<double>(memory.room().count());
    checked.verdict = fitVerdict(checked.requirement, memory);
    const HostNeed& host = memory.ofNode();
    const std::string unknown = unknownNeeds(memory);
    if (checked.verdict == CheckVerdict::Fails) {
        const bool isOfNode = host.verdict() > memory.onDevice;
        checked.why = !isOfNode ? "" : unknown.empty() ? hostNeedText(host) : unknown;
    } else if (!unknown.empty()) {
        checked.verdict = CheckVerdict::CannotTell;
        checked.why = unknown;
    }
}

/// The value that has to be better for the requirement to hold.
double decisive(const Requirement& asked, const Headline<double>& value, bool less) {
    if (asked.ofBaseline || asked.judged == Judged::Middle) {
        return value.value;
    }
    if (asked.judged == Judged::Interval) {
        return less ? value.hi : value.lo;
    }
    return asked.judged == Judged::Low ? value.lo : value.hi;
}

/// The bound as a number; nothing where it follows a baseline that is not there.
std::optional<double> boundOf(CheckedRequirement& checked, const ComparedSide* baseline) {
    const Requirement& asked = checked.requirement;
    if (!asked.ofBaseline) {
        return asked.bound;
    }
    if (baseline == nullptr) {
        checked.why = "there is no baseline: --baseline FILE, or git:REF";
        return std::nullopt;
    }
    if (!checked.baseline) {
        const std::string why = whyNoMetric(*baseline, asked.metric);
        // What is typed is not of the baseline.
        checked.why = "the baseline has none: " + why.substr(0, why.find(": --"));
        return std::nullopt;
    }
    return asked.bound * *checked.baseline;
}

}  // namespace

CheckedRequirement judged(const Requirement& requirement,
                          const ComparedSide& side,
                          const ComparedSide* baseline) {
    CheckedRequirement checked{.requirement = requirement,
                               .verdict = CheckVerdict::CannotTell,
                               .value = metricOf(side, requirement.metric)};
    if (const Value before = baseline ? metricOf(*baseline, requirement.metric) : std::nullopt) {
        checked.baseline = before->value;
    }
    if (requirement.metric == Metric::Fits) {
        judgeFit(side.memory, checked);
        return checked;
    }
    if (!checked.value) {
        checked.why = whyNoMetric(side, requirement.metric);
        // What never ends takes more than any number.
        const bool isAtMost =
            requirement.relation == Relation::AtMost || requirement.relation == Relation::Less;
        if (isAtMost && !noEndText(side, requirement.metric).empty()) {
            checked.verdict = CheckVerdict::Fails;
        }
        return checked;
    }
    if (const std::optional<double> bound = boundOf(checked, baseline)) {
        checked.bound = *bound;
        checked.verdict = verdictOn(*checked.value, checked);
    }
    return checked;
}

double shortfallOf(const CheckedRequirement& checked) {
    if (checked.verdict == CheckVerdict::Holds || !checked.value) {
        return 1.0;
    }
    constexpr double kTiny = 1e-300;
    const Requirement& asked = checked.requirement;
    const bool less = asked.metric == Metric::Fits || asked.relation == Relation::AtMost ||
                      asked.relation == Relation::Less;
    const double value = decisive(asked, *checked.value, less);
    const double ratio =
        less ? value / std::max(checked.bound, kTiny) : checked.bound / std::max(value, kTiny);
    // A host that is short, a number that was to be equal: short all the same.
    return std::max(ratio, std::nextafter(1.0, 2.0));
}

}  // namespace fabricast
