#include "planner/measured/parse_memory_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

double gibOf(const std::optional<Bytes>& size) {
    return size ? static_cast<double>(size->count()) / kGibibyte : -1.0;
}

MemoryMessage messageOf(const std::string& text) {
    const Result<MemoryMessage> message = parseMemoryMessage(text, "job.log");
    EXPECT_TRUE(message) << (message ? "" : message.error().text());
    return message.value_or(MemoryMessage{});
}

/// torch 2.1 and later.
const char* const kNew =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total "
    "capacity of 79.15 GiB of which 1.20 GiB is free. Process 41 has 0.10 GiB memory in use. "
    "Including non-PyTorch memory, this process has 77.80 GiB memory in use. Of the allocated "
    "memory 71.02 GiB is allocated by PyTorch, with 3.87 GiB allocated in private pools (e.g., "
    "CUDA Graphs), and 4.10 GiB is reserved by PyTorch but unallocated.";

TEST(MemoryMessage, OfTodaysPyTorch) {
    const MemoryMessage message = messageOf(kNew);
    EXPECT_TRUE(message.isFailure());
    EXPECT_NEAR(gibOf(message.tried), 2.0, 1e-6);
    EXPECT_NEAR(gibOf(message.capacity), 79.15, 1e-6);
    EXPECT_NEAR(gibOf(message.free), 1.2, 1e-6);
    EXPECT_NEAR(gibOf(message.allocated), 71.02, 1e-6);
    EXPECT_NEAR(gibOf(message.privatePools), 3.87, 1e-6);
    EXPECT_NEAR(gibOf(message.unallocated), 4.1, 1e-6);
    EXPECT_NEAR(gibOf(message.reserved()), 75.12, 1e-6);
    EXPECT_NEAR(gibOf(message.notPyTorch()), 77.8 - 75.12, 1e-6);
    EXPECT_NEAR(gibOf(message.otherProcesses()), 0.15, 1e-6);
    EXPECT_NEAR(gibOf(message.needed()), 71.02 + 2.0 + 2.68, 1e-6);
}

/// In a container each process is a number, the message's own too.
TEST(MemoryMessage, TellsItsOwnProcessFromAnother) {
    const MemoryMessage message = messageOf(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a "
        "total "
        "capacity of 79.10 GiB of which 102.40 MiB is free. Process 1 has 40.10 GiB memory in use. "
        "Process 2 has 38.90 GiB memory in use. Of the allocated memory 37.50 GiB is allocated by "
        "PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.");
    EXPECT_NEAR(gibOf(message.inUse), 38.9, 1e-6);
    EXPECT_NEAR(gibOf(message.notPyTorch()), 0.9, 1e-6);
    EXPECT_NEAR(gibOf(message.otherProcesses()), 40.1, 1e-6);
}

TEST(MemoryMessage, IsOfWhatItsTracebackNames) {
    using Phase = MemoryMessage::Phase;
    const auto phaseOf = [](const std::string& call) {
        return messageOf(
                   "Traceback (most recent call last):\n  File \"a.py\", line 3, in run\n    " +
                   call + "\n" + kNew)
            .phase;
    };
    EXPECT_EQ(messageOf(kNew).phase, Phase::Unknown);
    EXPECT_EQ(phaseOf("main()"), Phase::Unknown);
    EXPECT_EQ(phaseOf("loss = self.training_step(model, inputs)"), Phase::Training);
    EXPECT_EQ(phaseOf("self.accelerator.backward(loss)"), Phase::Training);
    EXPECT_EQ(phaseOf("self.optimizer.step()"), Phase::Training);
    EXPECT_EQ(phaseOf("output = eval_loop = self.evaluation_loop("), Phase::Evaluation);
    EXPECT_EQ(phaseOf("self.prediction_step(model, inputs)"), Phase::Evaluation);
    // An earlier traceback is another's.
    EXPECT_EQ(messageOf("Traceback (most recent call last):\n self.training_step(a)\nError: b\n"
                        "Traceback (most recent call last):\n main()\n" +
                        std::string(kNew))
                  .phase,
              Phase::Unknown);
}

TEST(MemoryMessage, OutsidePyTorchSaysNoSizes) {
    using Kind = MemoryMessage::Kind;
    const std::pair<const char*, Kind> rows[] = {
        {"RuntimeError: CUDA error: out of memory\nCUDA kernel errors might be", Kind::Driver},
        {"torch.AcceleratorError: HIP error: out of memory", Kind::Driver},
        {"CUDA driver error: out of memory", Kind::Driver},
        {"ncclUnhandledCudaError\nLast error:\nCuda failure 2 'out of memory'", Kind::Nccl},
        {"NCCL WARN Cuda failure 'out of memory'", Kind::Nccl},
        {"CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
         Kind::Cublas},
        {"slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.", Kind::Host},
        {"Memory cgroup out of memory: Killed process 41 (python)", Kind::Host},
        {"reason: OOMKilled", Kind::Host},
        {"cuda runtime error (2) : out of memory at /opt/aten/src/THC/generic/THCStorage.cu:58",
         Kind::Unsized},
        {"CUDA out of memory. Tried to allocate more than 1EB memory.", Kind::TooLarge},
        {"Bus error. It is possible that dataloader's workers are out of shared memory.",
         Kind::SharedMemory}};
    for (const auto& [text, kind] : rows) {
        const MemoryMessage message = messageOf(text);
        EXPECT_EQ(message.kind, kind) << text;
        EXPECT_TRUE(message.isFailure()) << text;
        EXPECT_FALSE(message.hasSizes()) << text;
    }
    EXPECT_EQ(messageOf("epoch 1\nCUDA error: out of memory\n" + std::string(kNew)).kind,
              Kind::OutOfMemory);
}

TEST(MemoryMessage, OfPyTorchUpTo2_0) {
    const MemoryMessage message = messageOf(
        "RuntimeError: CUDA out of memory. Tried to allocate 208.00 MiB (GPU 0; 39.41 GiB total "
        "capacity; 37.02 GiB already allocated; 12.50 MiB free; 38.05 GiB reserved in total by "
        "PyTorch)");
    EXPECT_NEAR(gibOf(message.tried), 208.0 / 1024, 1e-6);
    EXPECT_NEAR(gibOf(message.allocated), 37.02, 1e-6);
    EXPECT_NEAR(gibOf(message.free), 12.5 / 1024, 1e-6);
    EXPECT_NEAR(gibOf(message.unallocated), 1.03, 1e-6);
    EXPECT_FALSE(message.otherProcesses());
}

TEST(MemoryMessage, OfTheFirstForm) {
    const MemoryMessage message = messageOf(
        "RuntimeError: CUDA out of memory. Tried to allocate 34.00 MiB (GPU 0; 10.91 GiB total "
        "capacity; 9.52 GiB already allocated; 25.06 MiB free; 776.30 MiB cached)");
    EXPECT_NEAR(gibOf(message.unallocated), 776.3 / 1024, 1e-6);
    EXPECT_NEAR(gibOf(message.reserved()), 9.52 + 776.3 / 1024, 1e-6);
}

TEST(MemoryMessage, OfAmdGpus) {
    const MemoryMessage message = messageOf(
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 30.00 GiB. GPU 0 has a total "
        "capacty of 191.98 GiB of which 12.00 GiB is free. Of the allocated memory 170.00 GiB is "
        "allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.");
    EXPECT_NEAR(gibOf(message.capacity), 191.98, 1e-6);
    EXPECT_NEAR(gibOf(message.notPyTorch()), 191.98 - 12 - 171, 1e-6);
}

TEST(MemoryMessage, OfMegatronAndDeepSpeed) {
    const MemoryMessage megatron = messageOf(
        "[Rank 6] (after 2 iterations) memory (MB) | allocated: 53199.0 | max allocated: 84019.4 | "
        "reserved: 84732.0 | max reserved: 84732.0");
    EXPECT_FALSE(megatron.isFailure());
    EXPECT_NEAR(gibOf(megatron.maxAllocated), 84019.4 / 1024, 1e-6);
    EXPECT_NEAR(gibOf(megatron.reserved()), 84732.0 / 1024, 1e-6);
    const MemoryMessage deepspeed = messageOf(
        "[utils.py:801:see_memory_usage] MA 14.96 GB         Max_MA 18.3 GB         CA "
        "22.0 GB         Max_CA 22 GB");
    EXPECT_NEAR(gibOf(deepspeed.allocated), 14.96, 1e-6);
    EXPECT_NEAR(gibOf(deepspeed.maxAllocated), 18.3, 1e-6);
    EXPECT_NEAR(gibOf(deepspeed.reserved()), 22.0, 1e-6);
}

TEST(MemoryMessage, IsTheFullestOfALog) {
    std::string less = kNew;
    less.replace(less.find("71.02"), 5, "61.02");
    const MemoryMessage message = messageOf("step 1\n" + less + "\nstep 2\n" + kNew + "\n" + less);
    EXPECT_EQ(message.line, 4);
    EXPECT_EQ(message.others, 2U);
    EXPECT_NEAR(gibOf(message.allocated), 71.02, 1e-6);
}

/// A report is of a peak: what is held at the moment of the report says little.
TEST(MemoryMessage, IsTheReportWithTheHighestPeak) {
    const std::string less =
        "[Rank 7] memory (MB) | allocated: 27234.5 | max allocated: 51230.3 | "
        "reserved: 56000.0 | max reserved: 56400.0\n";
    const std::string most =
        "[Rank 0] memory (MB) | allocated: 25234.5 | max allocated: 61230.3 | "
        "reserved: 66000.0 | max reserved: 66400.0\n";
    EXPECT_NEAR(gibOf(messageOf(less + most).maxAllocated), 61230.3 / 1024, 1e-6);
    EXPECT_EQ(messageOf(most + less).line, 1);
    EXPECT_NEAR(gibOf(messageOf(most + less).reserved()), 66400.0 / 1024, 1e-6);
}

/// A log of retries has very many: quadratic work on this one takes hours.
TEST(MemoryMessage, IsFoundInALogOfRetries) {
    std::string log;
    for (int i = 0; i < 60000; ++i) {
        log += kNew;
        log += '\n';
    }
    EXPECT_EQ(messageOf(log).others, 59999U);
}

TEST(MemoryMessage, IsWholeWhereALauncherCutIt) {
    const MemoryMessage message = messageOf(
        "(TrainWorker pid=881) step 3\n"
        "(TrainWorker pid=881) torch.OutOfMemoryError: CUDA out of memory. Tried to\n"
        "(TrainWorker pid=881) allocate 1.96 GiB. GPU 7 has a total capacity of 79.15\r\n"
        "(TrainWorker pid=881) GiB of which 1.10 GiB is free. Including non-PyTorch\n"
        "(TrainWorker pid=881) memory, this process has 77.99\n"
        "(TrainWorker pid=881) GiB memory in use. Of the allocated memory 73.40 GiB is "
        "allocated by\n"
        "(TrainWorker pid=881) PyTorch, and 2.55 GiB is reserved by PyTorch but "
        "unallocated.\n");
    EXPECT_NEAR(gibOf(message.tried), 1.96, 1e-6);
    EXPECT_NEAR(gibOf(message.capacity), 79.15, 1e-6);
    EXPECT_NEAR(gibOf(message.inUse), 77.99, 1e-6);
    EXPECT_NEAR(gibOf(message.allocated), 73.4, 1e-6);
    EXPECT_EQ(message.line, 2);
}

/// As a terminal shows a text: every line is full.
std::string cutAt(const std::string& text, std::size_t width) {
    std::string cut;
    std::size_t column = 0;
    for (const char letter : text) {
        if (letter != '\n' && column == width) {
            cut += '\n';
            column = 0;
        }
        cut += letter;
        column = letter == '\n' ? 0 : column + 1;
    }
    return cut;
}

/// As `fold -s` cuts it: behind the last blank of a line, which stays there.
std::string cutAtBlanks(const std::string& text, std::size_t width) {
    std::string cut;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end - begin > width) {
            const std::size_t blank = text.rfind(' ', begin + width - 1);
            end = blank == std::string::npos || blank < begin ? begin + width : blank + 1;
            cut += text.substr(begin, end - begin) + "\n";
            begin = end;
        } else {
            cut += text.substr(begin, end - begin) + (end < text.size() ? "\n" : "");
            begin = end + 1;
        }
    }
    return cut;
}

/// All that is read of a message but its line.
std::string readOf(const std::string& text) {
    const MemoryMessage message = messageOf(text);
    std::string all = std::to_string(static_cast<int>(message.kind)) + " " +
                      std::to_string(static_cast<int>(message.phase)) + " " +
                      std::to_string(static_cast<int>(message.remedy)) + " " +
                      std::string(message.options) + " " + std::to_string(message.others);
    for (const std::optional<Bytes>& size : {message.tried,
                                             message.capacity,
                                             message.free,
                                             message.allowed,
                                             message.inUse,
                                             message.allocated,
                                             message.unallocated,
                                             message.privatePools,
                                             message.maxAllocated,
                                             message.maxReserved}) {
        all += " " + std::to_string(gibOf(size));
    }
    return all;
}

/// Copied from a terminal, tmux or a page of any width, a message is what it was.
TEST(MemoryMessage, IsTheSameWhereATerminalCutIt) {
    const std::string messages[] = {
        kNew,
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in run\n    "
        "self.training_step(a)\n" +
            std::string(kNew),
        "0: [rank0]: " + std::string(kNew) + "\n1: [rank1]: " + kNew + "\n",
        "0: [rank0]: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of "
        "23.64\n0: [rank0]: GiB of which 1.21 GiB is free. Including non-PyTorch memory, this "
        "process has\n0: [rank0]: 22.41 GiB memory in use. Of the allocated memory 20.97 GiB is "
        "allocated by\n0: [rank0]: PyTorch, and 961.00 MiB is reserved by PyTorch but "
        "unallocated.",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
        "of which 55.42 GiB is free. Including non-PyTorch memory, this process has 23.65 GiB "
        "memory in use. 23.75 GiB allowed; Of the allocated memory 22.78 GiB is allocated by "
        "PyTorch, and 102.40 MiB is reserved by PyTorch but unallocated. If reserved but "
        "unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 172.00 MiB (GPU 3; "
        "79.15 GiB total capacity; 76.02 GiB already allocated; 110.75 MiB free; 77.90 GiB "
        "reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
        "max_split_size_mb to avoid fragmentation.",
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.92 GiB total "
        "capacity; 10.20 GiB already allocated; 17.50 MiB free; 42.59 MiB cached)",
        "RuntimeError: MPS backend out of memory (MPS allocated: 16.01 GB, other allocations: "
        "1.20 GB, max allowed: 18.13 GB). Tried to allocate 1.50 GB on private pool.",
        "[Rank 0] (after 2 iterations) memory (MB) | allocated: 52319.85 | max allocated: "
        "71020.11 | reserved: 74200.0 | max reserved: 74200.0\n[Rank 8] (after 2 iterations) "
        "memory (MB) | allocated: 50319.85 | max allocated: 61020.11 | reserved: 64200.0 | max "
        "reserved: 64200.0\n",
        "[utils.py:801:see_memory_usage] MA 14.96 GB         Max_MA 18.3 GB         CA "
        "22.0 GB         Max_CA 22 GB",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.",
        "ncclUnhandledCudaError: Call to CUDA function failed. Last error: Cuda failure 2 'out of "
        "memory'"};
    for (const std::string& message : messages) {
        const std::string whole = readOf(message);
        for (std::size_t width = 20; width < 200; ++width) {
            EXPECT_EQ(readOf(cutAt(message, width)), whole) << cutAt(message, width);
            EXPECT_EQ(readOf(cutAtBlanks(message, width)), whole) << cutAtBlanks(message, width);
        }
    }
}

/// A date or a time on the next line is no part of a number that has ended.
TEST(MemoryMessage, EndsWhereAnotherLineBegins) {
    for (const char* const next :
         {"2024-11-28 10:00:00 step 2", "12:30:01 step 2", "3/100 steps"}) {
        const MemoryMessage message = messageOf(
            "memory (MB) | allocated: 52319 | max allocated: 71020 | reserved: 74200 | max "
            "reserved: 74200\n" +
            std::string(next));
        EXPECT_NEAR(gibOf(message.reserved()), 74200.0 / 1024, 1e-6) << next;
    }
}

/// torch.cuda.set_per_process_memory_fraction: the limit is on what PyTorch reserves.
TEST(MemoryMessage, OfALimitIsShortOfThat) {
    const MemoryMessage message = messageOf(
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
        "of which 55.42 GiB is free. 23.75 GiB allowed; Including non-PyTorch memory, this process "
        "has 23.65 GiB memory in use. Of the allocated memory 22.78 GiB is allocated by PyTorch, "
        "and 102.40 MiB is reserved by PyTorch but unallocated.");
    EXPECT_TRUE(message.isLimited());
    EXPECT_NEAR(gibOf(message.missing()), 22.78 + 0.1 + 2.0 - 23.75, 1e-6);
}

/// What others of the process hold counts against the limit of an Apple GPU.
TEST(MemoryMessage, OfAnAppleGpuIsShortWithWhatOthersHold) {
    const MemoryMessage message = messageOf(
        "RuntimeError: MPS backend out of memory (MPS allocated: 16.01 GB, other allocations: "
        "1.20 GB, max allowed: 18.13 GB). Tried to allocate 1.50 GB on private pool.");
    EXPECT_TRUE(message.isLimited());
    EXPECT_NEAR(gibOf(message.missing()), 16.01 + 1.2 + 1.5 - 18.13, 1e-6);
}

/// The drivers of Windows and WSL let PyTorch take more than the GPU has.
TEST(MemoryMessage, OfWindowsSaysWhatSpilled) {
    const MemoryMessage old = messageOf(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1024.00 MiB (GPU 0; "
        "8.00 GiB total capacity; 14.85 GiB already allocated; 0 bytes free; 15.43 GiB reserved in "
        "total by PyTorch)");
    EXPECT_NEAR(gibOf(old.spilled()), 15.43 - 8.0, 1e-6);
    EXPECT_NEAR(gibOf(old.missing()), 15.43 + 1.0 - 8.0, 1e-6);
    EXPECT_FALSE(old.notPyTorch());
    const MemoryMessage wsl = messageOf(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a "
        "total capacity of 23.99 GiB of which 0 bytes is free. Of the allocated memory 38.10 GiB "
        "is allocated by PyTorch, and 1.12 GiB is reserved by PyTorch but unallocated.");
    EXPECT_NEAR(gibOf(wsl.spilled()), 38.1 + 1.12 - 23.99, 1e-6);
    EXPECT_FALSE(messageOf(kNew).spilled());
}

TEST(MemoryMessage, SaysWhatItsPyTorchHasAgainstPieces) {
    using Remedy = MemoryMessage::Remedy;
    const std::string old =
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.92 GiB total capacity; 10.01 "
        "GiB already allocated; 13.19 MiB free; 10.20 GiB reserved in total by PyTorch)";
    EXPECT_EQ(messageOf(old).remedy, Remedy::None);
    EXPECT_EQ(messageOf(old + " try setting max_split_size_mb to avoid").remedy, Remedy::SplitSize);
    EXPECT_EQ(messageOf(kNew).remedy, Remedy::Segments);
    EXPECT_EQ(messageOf(std::string(kNew) + " try setting max_split_size_mb to").remedy,
              Remedy::Segments);
    EXPECT_EQ(messageOf(std::string(kNew) + " try PYTORCH_ALLOC_CONF=expandable").options,
              "PYTORCH_ALLOC_CONF");
}

TEST(MemoryMessage, OfOtherAllocators) {
    const MemoryMessage async = messageOf(
        "torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of "
        "memory)\nCurrently allocated     : 21.76 GiB\nRequested               : 1.25 GiB\n"
        "Device limit            : 23.99 GiB\nFree (according to CUDA): 0 bytes\n"
        "PyTorch limit (set by user-supplied memory fraction)\n"
        "                        : 17179869184.00 GiB");
    EXPECT_NEAR(gibOf(async.allocated), 21.76, 1e-6);
    EXPECT_NEAR(gibOf(async.capacity), 23.99, 1e-6);
    EXPECT_NEAR(gibOf(async.missing()), 1.25, 1e-6);
    EXPECT_FALSE(async.allowed);
    const MemoryMessage mps = messageOf(
        "RuntimeError: MPS backend out of memory (MPS allocated: 17.05 GB, other allocations: "
        "512.00 KB, max allowed: 18.13 GB). Tried to allocate 1.50 GB on private pool.");
    EXPECT_NEAR(gibOf(mps.missing()), 17.05 + 512.0 / 1024 / 1024 + 1.5 - 18.13, 1e-6);
    EXPECT_NEAR(gibOf(mps.notPyTorch()), 512.0 / 1024 / 1024, 1e-6);
    const MemoryMessage host = messageOf(
        "RuntimeError: [enforce fail at alloc_cpu.cpp:83] err == 0. DefaultCPUAllocator: can't "
        "allocate memory: you tried to allocate 68719476736 bytes. Error code 12");
    EXPECT_TRUE(host.isOfHost());
    EXPECT_NEAR(gibOf(host.tried), 64.0, 1e-6);
    const MemoryMessage before = messageOf(
        "RuntimeError: $ Torch: not enough memory: you tried to allocate 31GB. Buy new "
        "RAM! at /pytorch/aten/src/TH/THGeneral.cpp:204");
    EXPECT_TRUE(before.isOfHost());
    EXPECT_NEAR(gibOf(before.tried), 31.0, 1e-6);
    EXPECT_TRUE(messageOf("MemoryError: Unable to allocate 12.0 GiB for an array").isOfHost());
    EXPECT_FALSE(messageOf("THCudaCheck FAIL file=THCStorage.cu line=58 error=2 : out of memory")
                     .hasSizes());
}

TEST(MemoryMessage, OfOtherFormsIsRefusedByTheirName) {
    const auto refusal = [](const std::string& text) {
        const Result<MemoryMessage> message = parseMemoryMessage("step 7\n" + text, "job.log");
        return message ? "" : message.error().text();
    };
    for (const auto& [text, what] :
         {std::pair("torch.OutOfMemoryError: Allocation on device ", "Currently allocated"),
          std::pair("XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while", "XLA (JAX)"),
          std::pair("OOM when allocating tensor with shape[64,512]", "TensorFlow"),
          std::pair("Error out of memory at line 380 in file pythonInterface.c", "bitsandbytes"),
          std::pair("NPU out of memory. Tried to allocate 20.00 MiB (NPU 0; 60.97 GiB total",
                    "Ascend"),
          std::pair("Out of memory error on GPU 0. Cannot allocate 1.17GB memory on GPU 0",
                    "Paddle"),
          std::pair("allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory", "ggml"),
          std::pair("mxnet.base.MXNetError: cudaMalloc failed: out of memory", "MXNet"),
          std::pair("ValueError: No available memory for the cache blocks.", "vLLM"),
          std::pair("OutOfResources: out of resource: shared memory, Required: 147456", "Triton"),
          std::pair("OSError: [Errno 28] No space left on device", "disk")}) {
        EXPECT_TRUE(refusal(text).starts_with("job.log:2: is ")) << refusal(text);
        EXPECT_NE(refusal(text).find(what), std::string::npos) << refusal(text);
    }
}

TEST(MemoryMessage, WithoutFiguresIsRefused) {
    for (const std::string& text : {std::string(),
                                    std::string("loss 2.3"),
                                    std::string("CUDA out of memory. Tried to allocate nan GiB"),
                                    std::string("CUDA out of memory. Tried to allocate 1e300 GiB"),
                                    std::string("CUDA out of memory. Tried to allocate -2 GiB"),
                                    std::string("the schema 5 GB of gamma 6 GB")}) {
        EXPECT_FALSE(parseMemoryMessage(text, "job.log")) << text;
    }
    EXPECT_EQ(parseMemoryMessage("CUDA out of memory.", "job.log").value().kind,
              MemoryMessage::Kind::Unsized);
}

}  // namespace
}  // namespace fabricast
