#include "planner/measured/memory_forms.h"

#include "planner/measured/memory_readers.h"
#include "planner/measured/message_sizes.h"

#include <array>

namespace fabricast {
namespace {

using MessageKind = MemoryMessage::Kind;
using RunsOn = MemoryMessage::Runtime;

template <RunsOn runtime>
MemoryMessage failureOn(std::string_view text) {
    return readFailure(text, runtime);
}

template <MessageKind kind, RunsOn runtime = RunsOn::Cuda>
MemoryMessage withoutSizes(std::string_view /*text*/) {
    return {.kind = kind, .runtime = runtime};
}

constexpr MemoryForm refused(std::string_view begins,
                             std::string_view what,
                             std::string_view hint) {
    return {.begins = begins, .what = what, .hint = hint};
}

constexpr std::string_view kOfOthers =
    "messages of PyTorch, torchtitan, Megatron and DeepSpeed are read";
constexpr std::string_view kExplained = "fabricast explain, with the run's scenario or flags";
constexpr std::size_t kMostFailure = 1200;
constexpr std::size_t kMostTable = 65536;

constexpr std::array kMemoryForms = {
    refused("npu out of memory. tried to allocate",
            "a message of torch_npu (Ascend), whose GPUs are not modelled",
            "npu-smi info shows the processes; its allocator's options are in "
            "PYTORCH_NPU_ALLOC_CONF"),
    refused("mlu out of memory. tried to allocate",
            "a message of torch_mlu (Cambricon), whose GPUs are not modelled",
            "cnmon shows the processes; its allocator's options are in PYTORCH_MLU_ALLOC_CONF"),
    refused("musa out of memory. tried to allocate",
            "a message of torch_musa (Moore Threads), whose GPUs are not modelled",
            "mthreads-gmi shows the processes; its allocator's options are in "
            "PYTORCH_MUSA_ALLOC_CONF"),
    MemoryForm{"hip out of memory. tried to allocate", &failureOn<RunsOn::Hip>, kMostFailure},
    MemoryForm{"xpu out of memory. tried to allocate", &failureOn<RunsOn::Xpu>, kMostFailure},
    MemoryForm{"out of memory. tried to allocate", &failureOn<RunsOn::Cuda>, kMostFailure},
    MemoryForm{"would exceed allowed memory. (out of memory)", &readAsync, 500},
    MemoryForm{"mps backend out of memory", &readMps, 300},
    // Of other software, which prints the driver's own words too.
    refused("out of memory error on gpu", "a message of Paddle", kOfOthers),
    refused("resource_exhausted: out of memory", "a message of XLA (JAX)", kOfOthers),
    refused("oom when allocating tensor", "a message of TensorFlow", kOfOthers),
    refused("mxneterror: ", "a message of MXNet", kOfOthers),
    refused("cudamalloc failed: out of memory",
            "a message of ggml (llama.cpp), which runs models and does not train them",
            "fewer layers on the GPU (-ngl) or a shorter context (-c) of llama.cpp"),
    MemoryForm{"tried to allocate more than 1eb memory", &withoutSizes<MessageKind::TooLarge>},
    MemoryForm{"cuda runtime error (2)", &withoutSizes<MessageKind::Unsized>},
    MemoryForm{"error=2 : out of memory", &withoutSizes<MessageKind::Unsized>},
    MemoryForm{"cuda error: out of memory", &withoutSizes<MessageKind::Driver>},
    MemoryForm{"hip error: out of memory", &withoutSizes<MessageKind::Driver, RunsOn::Hip>},
    MemoryForm{"driver error: out of memory", &withoutSizes<MessageKind::Driver>},
    MemoryForm{"cuda_error_out_of_memory", &withoutSizes<MessageKind::Driver>},
    MemoryForm{"cudaerrormemoryallocation", &withoutSizes<MessageKind::Driver>},
    MemoryForm{"hiperroroutofmemory", &withoutSizes<MessageKind::Driver, RunsOn::Hip>},
    MemoryForm{"error_out_of_device_memory", &withoutSizes<MessageKind::Driver, RunsOn::Xpu>},
    MemoryForm{"cuda failure 2 'out of memory'", &withoutSizes<MessageKind::Nccl>},
    MemoryForm{"cuda failure 'out of memory'", &withoutSizes<MessageKind::Nccl>},
    MemoryForm{"hip failure 'out of memory'", &withoutSizes<MessageKind::Nccl, RunsOn::Hip>},
    MemoryForm{"failed to cuda calloc", &readNcclFailure, 80},
    MemoryForm{"failed to cuda malloc", &readNcclFailure, 80},
    MemoryForm{"cublas_status_alloc_failed", &withoutSizes<MessageKind::Cublas>},
    MemoryForm{"cublas_status_not_initialized when calling `cublascreate",
               &withoutSizes<MessageKind::Cublas>},
    MemoryForm{"hipblas_status_alloc_failed", &withoutSizes<MessageKind::Cublas, RunsOn::Hip>},
    MemoryForm{"cudnn_status_alloc_failed", &withoutSizes<MessageKind::Cudnn>},
    MemoryForm{"oom_kill", &withoutSizes<MessageKind::Host>},
    MemoryForm{"oom-kill", &withoutSizes<MessageKind::Host>},
    MemoryForm{"oomkilled", &withoutSizes<MessageKind::Host>},
    MemoryForm{"out of memory: kill", &withoutSizes<MessageKind::Host>},
    MemoryForm{"exceeded memory limit", &withoutSizes<MessageKind::Host>},
    MemoryForm{"exceeded job memory limit", &withoutSizes<MessageKind::Host>},
    MemoryForm{"exceeded step memory limit", &withoutSizes<MessageKind::Host>},
    MemoryForm{"term_memlimit", &withoutSizes<MessageKind::Host>},
    MemoryForm{"state: out_of_memory", &withoutSizes<MessageKind::Host>},
    MemoryForm{"defaultcpuallocator: ", &readHostFailure, 200},
    MemoryForm{"$ torch: not enough memory: ", &readHostFailure, 200},
    MemoryForm{"memoryerror: unable to allocate", &withoutSizes<MessageKind::Host>},
    MemoryForm{"[errno 12] cannot allocate memory", &withoutSizes<MessageKind::Host>},
    MemoryForm{"std::bad_alloc", &withoutSizes<MessageKind::Host>},
    MemoryForm{"workers are out of shared memory", &withoutSizes<MessageKind::SharedMemory>},
    MemoryForm{"signal 9 (sigkill) received", &withoutSizes<MessageKind::Killed>},
    MemoryForm{"<signals.sigkill: 9>", &withoutSizes<MessageKind::Killed>},
    MemoryForm{"exitcode: -9", &withoutSizes<MessageKind::Killed>},
    MemoryForm{"return code = -9", &withoutSizes<MessageKind::Killed>},
    MemoryForm{"exit code: 137", &withoutSizes<MessageKind::Killed>},
    MemoryForm{"exit code 137", &withoutSizes<MessageKind::Killed>},
    MemoryForm{"pytorch cuda memory summary, device id", &readSummary, 4000},
    MemoryForm{"memory (mb)", &readMegatron, 300},
    MemoryForm{"max_ma ", &readDeepSpeed, 200, kMostSize},
    MemoryForm{"memory: ", &readTorchtitan, 40},
    MemoryForm{"nvidia-smi", &readNvidiaSmi, kMostTable},
    // Nearly a message, or of something else.
    refused("error: allocation on device",
            "the first line of cudaMallocAsync's message, without its sizes",
            "paste the lines below it too: Currently allocated, Requested, Device limit"),
    refused("resource_exhausted: ", "a message of XLA (JAX)", kOfOthers),
    refused("error out of memory at line",
            "a message of bitsandbytes, which says no sizes",
            kExplained),
    refused("no available memory for the cache blocks",
            "a message of vLLM, which serves models and does not train them",
            kOfOthers),
    refused("out of resource: shared memory",
            "a message of Triton, of the shared memory of one kernel and not of the GPU's",
            "smaller blocks of that kernel, or another kernel"),
    refused("out of memory. tried to allocate",
            "a message whose size is none",
            "the message as PyTorch printed it: Tried to allocate 2.00 GiB"),
    // Without the rest of the line, or as a program prints what it caught.
    MemoryForm{"cuda out of memory", &withoutSizes<MessageKind::Unsized>},
    MemoryForm{"hip out of memory", &withoutSizes<MessageKind::Unsized, RunsOn::Hip>},
    MemoryForm{"outofmemoryerror", &withoutSizes<MessageKind::Unsized>},
    refused("no space left on device",
            "a message of a full disk, and not of memory",
            "room on the disk, or another folder for the files")};

}  // namespace

std::span<const MemoryForm> memoryForms() {
    return kMemoryForms;
}

}  // namespace fabricast
