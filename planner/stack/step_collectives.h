#pragma once
#include "planner/spec/layout.h"
#include "planner/spec/settings.h"
#include "planner/stack/rank_groups.h"

#include <cstdint>
#include <vector>

namespace fabricast {

enum class Collective { AllReduce, ReduceScatter, AllGather };
enum class Carried { Gradients, Parameters };
enum class Frequency { EachMicroBatch, EachStep };
/// Parameters that a gather leaves out because they are still there: [norm, head], or the root unit
/// of FSDP1 (embedding, norm, head).
enum class Without { Nothing, Head, Ends };

/// One way in which a stack moves states between data parallel ranks in a step.
struct StepCollective {
    Collective op = Collective::AllReduce;
    Carried carried = Carried::Gradients;
    GroupKind group = GroupKind::DataContext;
    Dtype dtype = Dtype::Fp32;
    Frequency frequency = Frequency::EachStep;
    double share = 1.0;  ///< of the parameters each time, whole tensors as the group sees them
    Without without = Without::Nothing;
};

/// What a rank holds, in parameters: of its pipeline stage and tensor parallel slice.
struct RankParameters {
    std::int64_t all = 0;
    std::int64_t head = 0;  ///< final norm and head
    std::int64_t ends = 0;  ///< embedding, final norm and head
};

/// This is what is reduced and gathered over data parallel ranks, and when, in a steady step. The
/// group is the set of ranks; experts have groups of their own when ep > 1, with the same list.
std::vector<StepCollective> stepCollectives(const Settings& settings,
                                            const Layout& layout,
                                            const RankParameters& parameters);

/// Elements of that collective in one step, as the framework passes them: whole tensors, which for
/// an all-gather is the output and for a reduce-scatter the input.
double elementsPerStep(const StepCollective& collective,
                       const RankParameters& parameters,
                       std::int64_t microBatches);

}  // namespace fabricast
