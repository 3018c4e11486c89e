#include "planner/measured/parse_memory_message.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace fabricast {
namespace memory_forms_test {
namespace {

using Kind = MemoryMessage::Kind;

double gibOf(const std::optional<Bytes>& size) {
    return size ? static_cast<double>(size->count()) / 1024.0 / 1024.0 / 1024.0 : -1.0;
}

MemoryMessage messageOf(const std::string& text) {
    const Result<MemoryMessage> message = parseMemoryMessage(text, "job.log");
    EXPECT_TRUE(message) << text << (message ? "" : message.error().text());
    EXPECT_TRUE(hasMemoryMessage(text)) << text;
    return message.value_or(MemoryMessage{});
}

TEST(MemoryForms, OfAFullDriverAndOfLibraries) {
    const std::pair<const char*, Kind> rows[] = {
        {"CUDA_ERROR_OUT_OF_MEMORY: out of memory", Kind::Driver},
        {"CUDA error (cudaErrorMemoryAllocation)", Kind::Driver},
        {"hipErrorOutOfMemory: hipMalloc", Kind::Driver},
        {"level_zero backend failed: UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", Kind::Driver},
        {"CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
         Kind::Cublas},
        {"RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED", Kind::Cudnn},
        {"NCCL WARN Failed to CUDA malloc 4194304 bytes", Kind::Nccl}};
    for (const auto& [text, kind] : rows) {
        EXPECT_EQ(messageOf(text).kind, kind) << text;
        EXPECT_FALSE(messageOf(text).hasSizes()) << text;
    }
    const MemoryMessage nccl = messageOf("Failed to CUDA calloc async 2147483648 bytes");
    EXPECT_EQ(nccl.kind, Kind::Nccl);
    EXPECT_NEAR(gibOf(nccl.tried), 2.0, 1e-9);
    EXPECT_EQ(messageOf("RuntimeError: HIP error: out of memory").runtime,
              MemoryMessage::Runtime::Hip);
}

TEST(MemoryForms, OfAHostThatRanOut) {
    for (const char* const text : {"slurmstepd: error: Exceeded job memory limit at some point.",
                                   "slurmstepd: error: Exceeded step memory limit at some point.",
                                   "State: OUT_OF_MEMORY (exit code 0)",
                                   "TERM_MEMLIMIT: job killed after reaching LSF memory limit",
                                   "OSError: [Errno 12] Cannot allocate memory",
                                   "terminate called after throwing an instance of "
                                   "'std::bad_alloc'"}) {
        EXPECT_EQ(messageOf(text).kind, Kind::Host) << text;
    }
    for (const char* const text :
         {"  exitcode  : -9 (pid: 4242)\n",
          "  traceback : Signal 9 (SIGKILL) received by PID 4242\n",
          "failed (exitcode: -9) local_rank: 3 (pid: 4242) of binary: /usr/bin/python",
          "subprocess.CalledProcessError: died with <Signals.SIGKILL: 9>.",
          "exits with return code = -9",
          "container exited with Exit Code: 137",
          "step 3\nKilled\n",
          "run.sh: line 3:  4242 Killed                  python train.py",
          "srun: error: node01: task 3: Killed"}) {
        const MemoryMessage message = messageOf(text);
        EXPECT_EQ(message.kind, Kind::Killed) << text;
        EXPECT_TRUE(message.isFailure() && message.isOfHost()) << text;
    }
    EXPECT_EQ(messageOf("step 3\nKilled\n").line, 2);
    EXPECT_FALSE(hasMemoryMessage("Killed two birds with one stone"));
    // What else the log says counts for more.
    EXPECT_EQ(messageOf("exitcode : -9 (pid: 1)\nDetected 1 oom_kill event").kind, Kind::Host);
}

/// As it is printed, and where the error was pasted above its calls.
TEST(MemoryForms, OfPinnedMemoryIsOfTheHost) {
    const std::string error = "RuntimeError: CUDA error: out of memory\n";
    const std::string calls =
        "  File \"stage_1_and_2.py\", line 600\n    param.cpu().pin_memory()\n";
    EXPECT_EQ(messageOf(calls + error).kind, Kind::Pinned);
    EXPECT_EQ(messageOf(error + calls).kind, Kind::Pinned);
    EXPECT_EQ(messageOf(error + "  loader = DataLoader(data, pin_memory=True)\n").kind,
              Kind::Driver);
}

TEST(MemoryForms, OfTorchtitansStep) {
    const MemoryMessage message = messageOf(
        "[titan] - INFO - step:  1  loss: 12.2  memory: 41.00GiB(51.77%)  tps: 1,000\n"
        "[titan] - INFO - step: 10  loss: 9.2  memory: 47.92GiB(60.51%)  tps: 2,000\n");
    EXPECT_EQ(message.kind, Kind::Torchtitan);
    EXPECT_FALSE(message.isFailure());
    EXPECT_EQ(message.line, 2);
    EXPECT_NEAR(gibOf(message.reserved()), 47.92, 1e-6);
    EXPECT_NEAR(gibOf(message.capacity), 47.92 / 0.6051, 1e-3);
    EXPECT_FALSE(hasMemoryMessage("memory: 47.92GiB of it"));
}

const char* const kSummary =
    "|===========================================================================|\n"
    "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
    "|---------------------------------------------------------------------------|\n"
    "|            CUDA OOMs: 1            |        cudaMalloc retries: 2         |\n"
    "|===========================================================================|\n"
    "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
    "|---------------------------------------------------------------------------|\n"
    "| Allocated memory      |  22110 MiB |  22616 MiB |  90123 MiB |  68013 MiB |\n"
    "|       from large pool |  22000 MiB |  22500 MiB |  90000 MiB |  68000 MiB |\n"
    "| GPU reserved memory   |  23010 MiB |  23020 MiB |  23010 MiB |      0 B   |\n"
    "| Non-releasable memory |    900 MiB |   1200 MiB |   9000 MiB |   8100 MiB |\n"
    "|===========================================================================|\n";

TEST(MemoryForms, OfPyTorchsSummary) {
    const MemoryMessage message = messageOf(kSummary);
    EXPECT_EQ(message.kind, Kind::Summary);
    EXPECT_FALSE(message.isFailure());
    EXPECT_NEAR(gibOf(message.maxAllocated), 22616.0 / 1024, 1e-6);
    EXPECT_NEAR(gibOf(message.reserved()), 23020.0 / 1024, 1e-6);
    ASSERT_TRUE(message.summary);
    EXPECT_EQ(message.summary->failures, 1.0);
    EXPECT_EQ(message.summary->retries, 2.0);
    EXPECT_NEAR(gibOf(message.summary->inPieces), 1200.0 / 1024, 1e-6);
}

TEST(MemoryForms, OfTheFullestGpuOfNvidiaSmi) {
    const MemoryMessage message = messageOf(
        "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     "
        "|\n"
        "|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0  On |                  Off "
        "|\n"
        "|  0%   45C    P8             20W /  450W |    1100MiB /  24564MiB |      0%      Default "
        "|\n"
        "|   1  NVIDIA GeForce RTX 4090        Off |   00000000:41:00.0 Off |                  Off "
        "|\n"
        "|  0%   45C    P8             20W /  450W |   23100MiB /  24564MiB |      0%      Default "
        "|\n"
        "| Processes:                                                                              "
        "|\n"
        "|    0   N/A  N/A      1234      G   /usr/lib/xorg/Xorg                           1000MiB "
        "|\n"
        "|    1   N/A  N/A      1234      G   /usr/lib/xorg/Xorg                            400MiB "
        "|\n"
        "|    1   N/A  N/A      5555      C   python3.10                                  22600MiB "
        "|\n");
    EXPECT_EQ(message.kind, Kind::NvidiaSmi);
    EXPECT_EQ(message.gpu, 1);
    EXPECT_EQ(message.others, 1U);
    EXPECT_NEAR(gibOf(message.capacity), 24564.0 / 1024, 1e-6);
    EXPECT_NEAR(gibOf(message.inUse), 22600.0 / 1024, 1e-6);
    EXPECT_NEAR(gibOf(message.otherProcesses()), 500.0 / 1024, 1e-6);
    EXPECT_FALSE(hasMemoryMessage("nvidia-smi shows the processes"));
}

}  // namespace
}  // namespace memory_forms_test
}  // namespace fabricast
