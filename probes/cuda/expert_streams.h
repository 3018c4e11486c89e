#pragma once
#include "probes/cuda/planned_gemm.h"

#include <vector>

namespace fabricast::probe {

/// Products of experts dealt over four streams, as Transformer Engine deals them: the streams wait
/// for the one that calls, and it waits for them. Each has scratch memory of its own.
class ExpertStreams {
public:
    static constexpr std::size_t kStreams = 4;

    static Answer<ExpertStreams> make(const LtHome& home);

    /// One product on each expert's operands.
    Done run(cudaStream_t stream,
             const PlannedGemm& planned,
             std::size_t experts,
             std::size_t call) const;

private:
    struct Side;
    std::vector<std::shared_ptr<Side>> sides_;
    std::shared_ptr<CUevent_st> fork_;
};

}  // namespace fabricast::probe
