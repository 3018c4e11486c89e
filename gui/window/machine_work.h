#pragma once
#include "gui/jobs/latest_job.h"
#include "machine/calibrate.h"
#include "study/workbench.h"

#include <functional>
#include <string>

namespace fabricast {

/// Where programs that measure are, and where their results go.
struct MachinePlaces {
    std::string probes{};    ///< folder of the programs; empty: the usual places
    std::string measured{};  ///< folder of records and of the profiles made from them
    double seconds = 300.0;  ///< that measuring may take
};

/// What this machine is, which hardware it looks like, and what could be measured here.
struct SeenMachine {
    std::string words;
    std::string likely{};       ///< a cluster or node profile; empty: none is like it
    bool isMeasurable = false;  ///< a program that measures is there
};

LatestJob::Work lookWork(const Workbench& bench,
                         const MachinePlaces& places,
                         std::function<void(Result<SeenMachine>)> take);

/// What was measured, and the hardware that it became.
struct MeasuredMachine {
    std::string words;
    std::string name{};  ///< of a cluster or node profile; empty: there is none
    std::string folder{};
};

/// What goes on meanwhile.
using SaidMeanwhile = std::function<void(std::string words)>;

/// Measures for some minutes, and fits a profile where there is enough for one.
LatestJob::Work measureWork(const Workbench& bench,
                            const MachinePlaces& places,
                            SaidMeanwhile said,
                            std::function<void(Result<MeasuredMachine>)> take);

}  // namespace fabricast
