#include "simulator/faults/step_clock.h"

#include <algorithm>

namespace fabricast {
namespace {

double usualLength(const SlowSpells& spells) {
    return (spells.every - spells.last).count();
}

}  // namespace

StepClock::StepClock(const RunPlan& plan,
                     const JitterDraw& draw,
                     std::uint64_t seed,
                     std::uint64_t run)
    : plan_(plan),
      draw_(draw),
      jitter_(seed, run, RandomUse::Jitter),
      spells_(seed, run, RandomUse::Spells) {
    if (plan.spells) {
        slow_ = spells_.uniform() < plan.spells->last / plan.spells->every;
        left_ = spells_.exponential(slow_ ? plan.spells->last.count() : usualLength(*plan.spells));
    }
}

Seconds StepClock::take(std::int64_t steps) {
    double work = static_cast<double>(steps) * plan_.step.count();
    for (std::int64_t step = 0; step < (draw_.none() ? 0 : steps); ++step) {
        work += std::max(-plan_.step.count(), draw_.seconds(jitter_.uniform()));
    }
    return Seconds(plan_.spells ? throughSpells(work) : work);
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
