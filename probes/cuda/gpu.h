#pragma once
#include "probes/record/answer.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace fabricast::probe {

/// What one GPU says of itself.
struct GpuFacts {
    int device = 0;
    std::string name;
    std::string bus;     ///< "0000:19:00.0"
    int capability = 0;  ///< 90 of sm_90
    int multiprocessors = 0;
    std::size_t memory = 0;
    std::size_t cache = 0;  ///< L2, bytes
    int driver = 0;         ///< the newest CUDA that the driver knows: 13000 of 13.0
    int runtime = 0;
};

/// Done, or which call failed and how CUDA says it.
Done cudaDone(cudaError_t error, const std::string& what);
Done cudaDone(cublasStatus_t status, const std::string& what);

/// Takes the GPU for this thread: its context is made here. Trouble is one line for whoever has no
/// GPU, too old a driver, or no device of this number.
Answer<GpuFacts> takeGpu(int device);

/// In how many sets of so many bytes work takes turns, so that none is in the L2 cache when its
/// turn comes again: together they are twice its size.
std::size_t setsBeyondCache(const GpuFacts& gpu, std::size_t setBytes);

/// "13.0" of 13000.
std::string cudaVersionText(int version);

/// The GPU did not finish in time, and frees would wait for it too: says so and ends the process.
/// The record on disk is whole.
[[noreturn]] void giveUpOnGpu(const std::string& what);

}  // namespace fabricast::probe
