#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/mpi/wire.h"
#include "probes/record/statistics.h"

namespace fabricast::probe {

/// `attention pass=forward|backward dtype=fp32 batch= heads= kv_heads= sequence= dim=64 causal=1`,
/// written out as products, as the decoder's step runs it. Every member computes at once.
std::string attentionFault(const Point& point);
Measurement measureAttention(Wire& wire, const RankGroup& group, const Point& point);

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

/// `overlap m= n= k= bytes= ranks=`: products that take half as long again as an all-reduce, with
/// the all-reduce beside them. Facts: `compute` and `transfer`, the seconds of each alone, and
/// `contention`, by how much of the transfer's length the products took longer.
std::string overlapFault(const Point& point, const RankGroup& group);
Measurement measureOverlap(Wire& wire, const RankGroup& group, const Point& point);

/// Whether `step stack=ddp|fsdp2 layers= hidden= ffn= vocab= sequence= batch= ranks= nodes=` can be
/// run: empty, or why not. `batch` is of all ranks together.
std::string stepFault(const Point& point, const RankGroup& group);

/// Runs whole training steps of a decoder (decoder_shape.h): forward, backward, AdamW, with its
/// data or also its weights spread over the ranks, and transfers beside the products. The first
/// step's gradients are compared with those that each rank computes of all the data alone, and
/// those that differ counted as `wrong`.
Measurement measureStep(Wire& wire, const RankGroup& group, const Point& point);

/// Measures one point; every rank of the job calls with the same. A point that cannot be measured
/// here is refused, by all ranks alike.
Measurement measurePoint(Wire& wire, const Point& point);

}  // namespace fabricast::probe
