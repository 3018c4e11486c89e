#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/hardware_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// What becomes of a box of which the question cannot be asked, such as one that nobody knows.
enum class BadBox {
    EndsAll,    ///< the whole question is refused
    HasReason,  ///< it has one, beside the answers of the others; where there are any
};

/// The question on each of these clusters or nodes: its best plan there, what its GPUs rent and
/// sell for, and when buying is cheaper. One that is not modelled has a reason instead of a plan.
/// `own` is that of the question itself, which keeps all that its file says of it.
Result<HardwareAnswer> whichHardware(const Question& question,
                                     std::span<const std::string> clusters,
                                     const Workbench& bench,
                                     const Watch& watch,
                                     BadBox bad = BadBox::EndsAll,
                                     std::string_view own = {});

/// What to type where several clusters are compared by a target: that is `size`, which has none of
/// one step.
std::string oneOrSize(std::span<const std::string> clusters, std::span<const std::string> targets);

/// Months of use by day and night until a GPU is paid off: its price with its share of the server,
/// over what a month of renting costs more than its electricity. Nothing where it never is.
std::optional<double> monthsToPayOff(Usd whole, UsdPerHour rent, UsdPerHour electricity);

}  // namespace fabricast
