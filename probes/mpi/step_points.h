#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/record/measurement.h"

namespace fabricast::probe {

/// Whether `step stack=ddp|fsdp2 layers= hidden= ffn= vocab= sequence= batch= ranks= nodes=` can be
/// run: empty, or why not. `batch` is of all ranks together.
std::string stepFault(const Point& point, const RankGroup& group);

/// Runs whole training steps of a decoder (decoder_shape.h): forward, backward, AdamW, with its
/// data or also its weights spread over the ranks, and transfers beside the products. The first
/// step's gradients are compared with those that each rank computes of all the data alone, and
/// those that differ counted as `wrong`.
Measurement measureStep(Wire& wire, const RankGroup& group, const Point& point);

}  // namespace fabricast::probe
