#include "simulator/faults/step_clock.h"

#include "simulator/faults/normal_quantile.h"

#include <algorithm>

namespace fabricast {
namespace {

double usualLength(const SlowSpells& spells) {
    return (spells.every - spells.last).count();
}

}  // namespace

StepClock::StepClock(const RunPlan& plan, std::uint64_t seed, std::uint64_t run)
    : plan_(plan), jitter_(seed, run, RandomUse::Jitter), spells_(seed, run, RandomUse::Spells) {
    if (plan.spells) {
        slow_ = spells_.uniform() < plan.spells->last / plan.spells->every;
        left_ = spells_.exponential(slow_ ? plan.spells->last.count() : usualLength(*plan.spells));
    }
}

Seconds StepClock::take(std::int64_t steps) {
    double work = static_cast<double>(steps) * plan_.step.count();
    if (!plan_.jitter.empty()) {
        work = 0.0;
        for (std::int64_t step = 0; step < steps; ++step) {
            work += jittered();
        }
    }
    return Seconds(plan_.spells ? throughSpells(work) : work);
}

double StepClock::jittered() {
    double longer = plan_.jitter.front().spread.count() *
                    largestOfNormals(plan_.jitter.front().ranks, jitter_.uniform());
    for (std::size_t group = 1; group < plan_.jitter.size(); ++group) {
        const JitterGroup& other = plan_.jitter[group];
        longer = std::max(longer,
                          other.spread.count() * largestOfNormals(other.ranks, jitter_.uniform()));
    }
    return std::max(0.0, plan_.step.count() + longer);
}

double StepClock::throughSpells(double work) {
    const SlowSpells& spells = *plan_.spells;
    double time = 0.0;
    while (true) {
        const double factor = slow_ ? spells.factor : 1.0;
        if (work * factor <= left_) {
            left_ -= work * factor;
            return time + work * factor;
        }
        work -= left_ / factor;
        time += left_;
        slow_ = !slow_;
        left_ = spells_.exponential(slow_ ? spells.last.count() : usualLength(spells));
    }
}

}  // namespace fabricast
