#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/record/measurement.h"

namespace fabricast::probe {

/// Why a point cannot be measured; empty where it can.
std::string gemmFault(const Point& point);
std::string memoryFault(const Point& point);
std::string adamFault(const Point& point);

/// All members compute at once, as they do in training, and a sample is of the slowest.
/// `gemm dtype=fp32 layout=tn|nn|nt m= n= k=`: one thread a rank.
Measurement measureGemm(Wire& wire, const RankGroup& group, const Point& point);

/// `memory op=copy bytes=` (read and written together), and
/// `memory op=norm|swiglu|softmax|cross_entropy|add rows= columns=`, forward; the loss with its
/// gradient, the softmax of a causal square in each of `rows` / `columns` heads.
Measurement measureMemory(Wire& wire, const RankGroup& group, const Point& point);

/// `adam parameters= form=flat`: the gradient's norm and a step of AdamW.
Measurement measureAdam(Wire& wire, const RankGroup& group, const Point& point);

}  // namespace fabricast::probe
