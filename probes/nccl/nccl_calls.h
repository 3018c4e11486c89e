#pragma once
#include "probes/collective/check_pattern.h"
#include "probes/collective/sweep.h"
#include "probes/launch/control_channel.h"
#include "probes/nccl/communicator.h"
#include "probes/record/answer.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>

namespace fabricast::probe {

/// Where a call takes its data from and puts it.
struct CallBuffers {
    char* send = nullptr;
    char* receive = nullptr;
};

/// The same memory for both, as far as the collective allows: a rank's part lies where it belongs.
CallBuffers inPlace(const CollectiveTask& task, int place, char* memory);

/// Sends one collective of a group to the stream.
Done enqueue(const CollectiveTask& task,
             const Communicator& group,
             int place,
             const CallBuffers& buffers,
             cudaStream_t stream);

/// Done, or which call failed and what CUDA or NCCL says of it.
Done doneBy(cudaError_t error, const std::string& what);
Done doneBy(ncclResult_t result, ncclComm_t communicator, const std::string& what);

/// "2.28.9" of 22809, "13.0" of 13000.
std::string ncclVersionText(int version);
std::string runtimeVersionText(int version);

/// What is linked: 0 where it does not say.
int ncclLibraryVersion();

/// Puts what a member sends into device memory, and waits until it is there.
Done sendPattern(const CheckPattern& pattern, const CollectiveTask& task, int place, char* device);

/// Counts what is wrong in the judged parts of what it received.
Answer<std::int64_t> wrongElements(ControlChannel& channel,
                                   const CheckPattern& pattern,
                                   const CollectiveTask& task,
                                   int place,
                                   const char* device);

}  // namespace fabricast::probe
