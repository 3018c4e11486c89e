#pragma once
#include "probes/collective/collective_task.h"
#include "probes/nccl/communicator.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

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

}  // namespace fabricast::probe
