#pragma once
#include "probes/record/answer.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>

namespace fabricast::probe {

/// Done, or which call failed and what CUDA or NCCL says of it.
Done doneBy(cudaError_t error, const std::string& what);
Done doneBy(ncclResult_t result, ncclComm_t communicator, const std::string& what);

/// "2.28.9" of 22809, "13.0" of 13000.
std::string ncclVersionText(int version);
std::string runtimeVersionText(int version);

/// What is linked: 0 where it does not say.
int ncclLibraryVersion();

}  // namespace fabricast::probe
