#pragma once
#include "planner/base/units.h"

namespace fabricast {

// How often to save: d is the time a checkpoint stops the run, M the mean time between failures.

/// Young's first order: sqrt(2 d M).
Seconds youngInterval(Seconds blocking, Seconds mtbf);

/// Daly's higher order: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + d / 18M) - d below d = 2M, else M.
Seconds dalyInterval(Seconds blocking, Seconds mtbf);

/// What one cycle is made of.
struct CycleTimes {
    Seconds interval;  ///< t, of useful work; infinite: it never saves
    Seconds blocking;  ///< d
    Seconds recovery;  ///< R, from a failure to useful work
    Seconds mtbf;      ///< M; infinite: nothing fails
};

/// The share of useful work where failures come at random: t / (M e^(R/M) (e^((t+d)/M) - 1)). One
/// checkpoint interval takes M e^(R/M) (e^((t+d)/M) - 1) on average, with all that is done again.
/// Zero where failures come faster than the run recovers.
double cycleGoodput(const CycleTimes& cycle);

}  // namespace fabricast
