#include "planner/base/quantity_text.h"
#include "study/oom_causes.h"

namespace fabricast {
namespace {

/// What ran out outside PyTorch's allocator, whose messages say no size.
OomCause causeElsewhere(const MemoryMessage& message) {
    const bool isAmd = message.runtime == MemoryMessage::Runtime::Hip;
    const std::string list(processListOf(message.runtime));
    switch (message.kind) {
        case MemoryMessage::Kind::Nccl:
            return {
                std::string(isAmd ? "RCCL" : "NCCL") +
                    " found no GPU memory for its buffers: they are outside PyTorch's allocator, "
                    "which had taken the rest",
                std::string("fewer communicators, ") +
                    (isAmd ? "" : "NCCL_NVLS_ENABLE=0 within NVLink, ") +
                    "NCCL_BUFFSIZE or NCCL_MAX_NCHANNELS smaller, or less for PyTorch"};
        case MemoryMessage::Kind::Cublas:
            return {
                std::string(isAmd ? "hipBLAS" : "cuBLAS") +
                    " found no GPU memory for its handle or workspace: these are outside "
                    "PyTorch's tensors",
                std::string("less for PyTorch, or a smaller ") + (isAmd ? "HIPBLAS" : "CUBLAS") +
                    "_WORKSPACE_CONFIG; indices outside an embedding end in this message too (" +
                    (isAmd ? "AMD_SERIALIZE_KERNEL=3" : "CUDA_LAUNCH_BLOCKING=1") + " shows them)"};
        case MemoryMessage::Kind::Cudnn:
            return {
                "cuDNN found no GPU memory for its handle or a workspace: these are outside "
                "PyTorch's tensors",
                "less for PyTorch; torch.backends.cudnn.benchmark=False tries no algorithms of "
                "larger workspaces"};
        case MemoryMessage::Kind::Unsized:
            return {
                "PyTorch's allocator found no GPU memory for a tensor: messages of before 0.4.1 "
                "say no sizes, nor do those that are cut",
                list +
                    " shows the processes; smaller batches, or the whole message of a newer "
                    "PyTorch, which says what held the memory"};
        case MemoryMessage::Kind::TooLarge:
            return {
                "more than an exabyte was asked for: not for want of memory, but a size that is "
                "wrong",
                "the shapes of the call that failed: a negative or overflown size, lengths or "
                "offsets that were not set"};
        case MemoryMessage::Kind::SharedMemory:
            return {
                "the shared memory of the host or the container (/dev/shm) ran out, over which "
                "workers of the data loader hand batches on: not the GPU's",
                "more of it (docker run --shm-size=16g or --ipc=host, a memory volume at /dev/shm "
                "of the pod), or fewer workers"};
        case MemoryMessage::Kind::Host:
            return {
                "the host's memory ran out, or the job's share of it: not the GPU's",
                "more of it (sbatch --mem=0, the pod's limit), fewer workers of the data loader, "
                "no offload, ranks that load the checkpoint one by one"};
        case MemoryMessage::Kind::Pinned:
            return {
                "memory of the host could not be pinned (pin_memory): not the GPU's, though the "
                "driver says it in the same words",
                "ulimit -l unlimited, the limit of the job or the pod; or no pin_memory "
                "(DeepSpeed: offload_optimizer.pin_memory, offload_param.pin_memory)"};
        case MemoryMessage::Kind::Killed:
            return {
                "a process was killed with signal 9, of which nothing says why: mostly the host's "
                "memory ran out, or the job's share of it, and not the GPU's",
                "dmesg -T on the node, or sacct -o State,MaxRSS,ReqMem, tells; then more of it "
                "(sbatch --mem=0, the pod's limit), fewer workers of the data loader, no offload, "
                "ranks that load the checkpoint one by one"};
        default:
            return {
                "the driver found no GPU memory for a context, a module or a kernel: PyTorch's "
                "allocator or another process had taken the rest",
                list +
                    " shows the processes; less for PyTorch "
                    "(torch.cuda.set_per_process_memory_fraction)"};
    }
}

/// The node has as much as is forecast: what the job was given of it has not.
void addShareOfHost(const MemoryBreakdown& forecast, std::vector<OomCause>& causes) {
    const HostNeed& host = forecast.host;
    if (host.perNode == Bytes()) {
        causes.push_back(
            {"nothing of this layout is kept on the host: no more is forecast there "
             "than what processes take",
             "whole checkpoints that every rank loads, workers of the data loader and "
             "what they hold, a job that was given little of the node's memory"});
    } else if (host.there && host.perNode <= *host.there) {
        causes.push_back({shortText(host.perNode) + " of a node's " + shortText(*host.there) +
                              " are forecast for what is offloaded: it should have fitted, so what "
                              "the job was given of it is the suspect",
                          "sbatch --mem=0, the pod's limit, or ulimit: all of the node's memory"});
    }
}

}  // namespace

std::string_view processListOf(MemoryMessage::Runtime runtime) {
    switch (runtime) {
        case MemoryMessage::Runtime::Hip:
            return "rocm-smi --showpids";
        case MemoryMessage::Runtime::Xpu:
            return "xpu-smi ps";
        case MemoryMessage::Runtime::Mps:
            return "top";
        case MemoryMessage::Runtime::Cuda:
            break;
    }
    return "nvidia-smi";
}

std::vector<OomCause> causesElsewhere(const MemoryMessage& message,
                                      const MemoryBreakdown* forecast) {
    std::vector<OomCause> causes = {causeElsewhere(message)};
    const bool isShared = message.kind == MemoryMessage::Kind::SharedMemory;
    if (forecast != nullptr && message.isOfHost() && !isShared) {
        addShareOfHost(*forecast, causes);
    }
    return causes;
}

}  // namespace fabricast
