#pragma once
#include "planner/base/units.h"

#include <string>

namespace fabricast {

/// Bytes that an engine moves in addition to its calls, per byte of a call: gathered parameters out
/// of their buffer, gradients into the one that is reduced.
struct ShardCopies {
    double gather = 0.0;
    double reduce = 0.0;
};

/// Host time of a module that multiplies by a weight, beside the launches of its kernels.
struct LinearHost {
    Seconds plain;
    Seconds quantised;  ///< where it multiplies in fewer than 16 bits
};

/// This is what a training stack adds to its kernels on the host: fitted to published runs, one
/// file per kind of software in hardware_profiles/software.
struct SoftwareTiming {
    std::string name;
    std::string title;
    Seconds forwardLaunch;     ///< host time of one kernel of a forward
    Seconds backwardLaunch;    ///< of a backward
    LinearHost forwardLinear;  ///< of a linear layer's forward, beside its launches
    LinearHost backwardLinear;
    Seconds collective;   ///< of starting one collective
    Seconds expert;       ///< of one expert's product in a pass, or its cast: a loop over experts
    Seconds expertLayer;  ///< of a dropless layer with experts, each way: routing, sorting, sending
    Seconds sync;         ///< of waiting for counts of tokens before a layer's experts
    Seconds slice;        ///< of one rank's part of one tensor, copied from where it was gathered
    Seconds unit;         ///< of a sharded unit's hooks, each way
    Seconds microBatch;   ///< of the training loop around a microbatch
    Seconds step;         ///< of the training loop around a step: data, logging, collection
    double tensorExposed = 1.0;    ///< of tensor parallel communication split into slices
    double gradientExposed = 1.0;  ///< of those of gradients, split in the same way
    double backwardHidden = 0.0;   ///< of those of a backward, overlapping gradients of weights
    double ringHidden = 0.0;       ///< of attention, which hides the ring's keys and values
    double ringExposed = 0.0;      ///< of their transfers, at least
    ShardCopies fsdp1, fsdp2, megatronFsdp, zero3;
    double contention = 0.0;  ///< slowdown of what overlaps with communication
};

}  // namespace fabricast
