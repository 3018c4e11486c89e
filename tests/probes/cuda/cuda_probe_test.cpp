#include "tests/probes/cuda/probe_run.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

namespace fabricast::probe {
namespace {

const std::string kSmall = "--quiet --point 'gemm dtype=bf16 m=96 n=64 k=48'";

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::size_t linesIn(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string freshFile(const std::string& name) {
    const std::string path = tempFolder() + "/" + name;
    std::filesystem::remove(path);
    return path;
}

TEST(CudaProbe, SaysItsVersionsAnywhere) {
    const ProbeRun run = runCudaProbe("--version");
    EXPECT_EQ(run.code, 0);
    EXPECT_TRUE(holds(run.out, "cuda runtime ")) << run.out;
    EXPECT_TRUE(holds(run.out, "cublaslt ")) << run.out;
}

TEST(CudaProbe, WithoutAGpuItEndsWith4AndOneLine) {
    for (const char* arguments : {"--doctor", "--suite quick"}) {
        const ProbeRun run = runOnNullDevice(arguments, "FABRICAST_NULL_GPUS=0");
        EXPECT_EQ(run.code, 4);
        EXPECT_EQ(run.out, "");
        EXPECT_EQ(linesIn(run.err), 1U) << run.err;
        EXPECT_TRUE(holds(run.err, "error: fabricast-probe-cuda: no GPU to measure: ")) << run.err;
    }
    const ProbeRun none = runOnNullDevice(kSmall + " --device 3");
    EXPECT_EQ(none.code, 4);
    EXPECT_TRUE(holds(none.err, "no GPU 3: there are 1")) << none.err;
}

TEST(CudaProbe, RefusesABusyGpuUnlessTold) {
    const ProbeRun busy = runOnNullDevice(kSmall, "FABRICAST_NULL_USER=4711");
    EXPECT_EQ(busy.code, 4);
    EXPECT_TRUE(holds(busy.err, "is busy: process 4711 computes there")) << busy.err;
    EXPECT_EQ(runOnNullDevice(kSmall + " --even-if-busy 1", "FABRICAST_NULL_USER=4711").code, 0);
}

TEST(CudaProbe, BadInputIsNamedBeforeAGpuIsTaken) {
    const std::pair<const char*, const char*> wrong[] = {
        {"gemm m=1 n=1", "dtype must be one of bf16"},
        {"gemm dtype=bf16 m=1 n=1", "k"},
        {"gemm dtype=bf16 m=0 n=1 k=1", "m"},
        {"gemm dtype=bf16 m=99999999999 n=1 k=1", "m=99999999999 is more than 16777216"},
        {"gemm dtype=bf16 m=1 n=1 k=1 lay=tn", "no setting 'lay'"},
        {"gemm dtype=bf16 m=1 n=1 k=1 layout=tt", "layout must be one of tn, nn, nt, not 'tt'"},
        {"gem dtype=bf16", "'gem' is nothing that this probe measures"},
        {"grouped_gemm dtype=bf16 experts=4 tokens=3 n=1 k=1", "fewer tokens than experts"},
        {"grouped_gemm dtype=bf16 experts=4 tokens=8 n=1 k=1 m=2", "no setting 'm'"},
        {"memory op=norm rows=4 width=12", "width must be a multiple of 8"},
        {"memory op=rope rows=4 width=16 dim=32", "width must be a multiple of dim"},
        {"memory op=copy bytes=10", "bytes must be a multiple of 16"},
        {"memory op=copy rows=10 width=8", "no setting 'rows'"},
        {"memory op=sort rows=10 width=8", "op must be one of copy, norm"},
        {"adam parameters=1000 form=list", "parameters must be a multiple of 65536"},
        {"attention pass=forward batch=1 heads=3 kv_heads=2 sequence=8 dim=8 causal=0",
         "heads must be a multiple of kv_heads"},
        {"attention pass=forward batch=1 heads=2 kv_heads=2 sequence=9 dim=8 causal=0",
         "multiples of 8"},
        {"transfer kind=up bytes=1M", "kind must be one of h2d, d2h, both, p2p, not 'up'"},
        {"launch kind=fast", "kind must be one of stream, graph, latency"},
        {"footprint of=nccl", "of must be one of context, cublaslt, cudnn"},
        {"overlap dtype=bf16 m=1 n=1 k=1", "ctas"},
        {"overlap dtype=bf16 m=1 n=1 k=1 ctas=999", "ctas=999 is more than 128"},
        {"sustained dtype=bf16 m=1 n=1 k=1 seconds=1G", "is more than 3600"},
        {"plain of=norm", "of must be one of gemm, copy"}};
    for (const auto& [point, why] : wrong) {
        const ProbeRun run = runCudaProbe("--point '" + std::string(point) + "'");
        EXPECT_EQ(run.code, 2) << point;
        EXPECT_TRUE(holds(run.err, why)) << point << ": " << run.err;
    }
    EXPECT_EQ(runCudaProbe("--suite slow").code, 2);
    EXPECT_EQ(runCudaProbe("--device minus").code, 2);
    EXPECT_EQ(runCudaProbe("--even-if-busy yes").code, 2);
}

TEST(CudaProbe, ProductsOfAllLayoutsAndTypesAreRight) {
    for (const char* type : {"bf16", "fp16", "tf32", "fp32"}) {
        for (const char* layout : {"tn", "nn", "nt"}) {
            for (const char* accumulate : {"0", "1"}) {
                const ProbeRun run =
                    runOnNullDevice(std::string("--quiet --point 'gemm m=70 n=50 k=30 dtype=") +
                                    type + " layout=" + layout + " accumulate=" + accumulate + "'");
                EXPECT_EQ(run.code, 0) << type << layout << accumulate << run.err;
                EXPECT_TRUE(holds(run.out, "\"wrong\":0")) << run.out;
                EXPECT_TRUE(holds(run.out, "\"flop\":210000,")) << run.out;
            }
        }
    }
    EXPECT_EQ(runOnNullDevice("--point 'gemm m=64 n=64 k=64 dtype=fp8'").code, 0);
}

/// Everything that computes something which can be checked.
const std::string kComputed =
    "--quiet --point 'memory op=copy bytes=64K' --point 'memory op=norm rows=24 width=256'"
    " --point 'memory op=swiglu rows=24 width=256' --point 'memory op=add rows=24 width=256'"
    " --point 'memory op=rope rows=24 width=256 dim=64' --point 'memory op=cast rows=9 width=64'"
    " --point 'memory op=permute rows=24 width=256'"
    " --point 'memory op=cross_entropy rows=24 width=1000'"
    " --point 'adam parameters=64K form=flat' --point 'adam parameters=128K form=list'"
    " --point 'grouped_gemm dtype=bf16 experts=4 tokens=90 n=40 k=24'"
    " --point 'grouped_gemm dtype=bf16 experts=4 tokens=90 n=40 k=24 layout=nn'"
    " --point 'grouped_gemm dtype=bf16 experts=4 tokens=90 n=40 k=24 layout=nt accumulate=1'"
    " --point 'grouped_gemm dtype=bf16 experts=4 tokens=90 n=40 k=24 how=loop'"
    " --point 'grouped_gemm dtype=bf16 experts=4 tokens=90 n=40 k=24 how=grouped'"
    " --point 'grouped_gemm dtype=fp16 experts=5 tokens=90 n=40 k=24 layout=nn how=grouped'"
    " --point 'grouped_gemm dtype=tf32 experts=4 tokens=90 n=40 k=24 layout=nt how=grouped'"
    " --point 'attention pass=forward batch=2 heads=4 kv_heads=2 sequence=40 dim=16 causal=1'"
    " --point 'attention pass=forward batch=2 heads=2 kv_heads=2 sequence=40 dim=16 causal=0'"
    " --point 'attention pass=backward batch=2 heads=4 kv_heads=2 sequence=40 dim=16 causal=1'"
    " --point 'attention pass=backward batch=1 heads=4 kv_heads=2 sequence=40 dim=16 causal=0'";
constexpr std::size_t kComputedPoints = 21;

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

TEST(CudaProbe, KernelsComputeWhatTheirFormulasSay) {
    const ProbeRun run = runOnNullDevice(kComputed, "FABRICAST_NULL_L2_MIB=0");
    EXPECT_EQ(run.code, 0) << run.out;
    EXPECT_EQ(countOf(run.out, "\"wrong\":0"), kComputedPoints) << run.out;
}

TEST(CudaProbe, WrongResultsAreSeenOfEveryKernel) {
    const ProbeRun run =
        runOnNullDevice(kComputed, "FABRICAST_NULL_RESULTS=wrong FABRICAST_NULL_L2_MIB=0");
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(linesIn(run.out), kComputedPoints);
    EXPECT_EQ(countOf(run.out, "\"wrong\":0"), 0U) << run.out;
}

TEST(CudaProbe, MeasuresWhatComputesNothing) {
    const ProbeRun run = runOnNullDevice(
        "--quiet --point 'launch kind=stream' --point 'launch kind=graph'"
        " --point 'launch kind=latency' --point 'transfer kind=h2d bytes=1M'"
        " --point 'transfer kind=d2h bytes=1M' --point 'transfer kind=both bytes=1M'"
        " --point 'transfer kind=p2p bytes=1M' --point 'footprint of=context'"
        " --point 'plain of=copy bytes=1M' --point 'plain of=gemm dtype=bf16 m=64 n=64 k=64'"
        " --point 'overlap dtype=bf16 m=512 n=512 k=512 ctas=8'"
        " --point 'sustained dtype=bf16 m=512 n=512 k=512 seconds=1'",
        "FABRICAST_NULL_GPUS=2");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(linesIn(run.out), 12U);
    EXPECT_EQ(countOf(run.out, "refused"), 0U) << run.out;
    // What the device pretends comes out: 2 us a kernel, 50 GB/s, 500 MiB of a context.
    EXPECT_TRUE(holds(run.out, "\"median\":2.0000000")) << run.out;
    EXPECT_TRUE(holds(run.out, "\"median\":2.2971")) << run.out;
    EXPECT_TRUE(holds(run.out, "\"median\":524288000")) << run.out;
    EXPECT_TRUE(holds(run.out, "\"alone_s\":")) << run.out;
}

TEST(CudaProbe, SuitesAreSoundAndTheQuickOneIsPartOfTheFull) {
    const ProbeRun quick = runCudaProbe("--suite quick --dry-run");
    const ProbeRun full = runCudaProbe("--suite full --dry-run");
    EXPECT_EQ(quick.code, 0) << quick.err;
    EXPECT_EQ(full.code, 0) << full.err;
    EXPECT_GT(linesIn(quick.out), 60U);
    EXPECT_LT(linesIn(quick.out), 150U);
    EXPECT_GT(linesIn(full.out), 600U);
    std::istringstream points(quick.out);
    for (std::string point; std::getline(points, point);) {
        EXPECT_EQ(countOf(full.out, point + "\n"), 1U) << point;
    }
}

TEST(CudaProbe, WrongProductsAreSeen) {
    const ProbeRun run = runOnNullDevice(kSmall, "FABRICAST_NULL_RESULTS=wrong");
    EXPECT_EQ(run.code, 1);
    EXPECT_TRUE(holds(run.out, "\"wrong\":16")) << run.out;
}

/// B200 has 126 MiB of L2: small work takes turns among as many sets as are not kept there.
TEST(CudaProbe, SmallWorkTakesTurnsBeyondALargeCache) {
    const ProbeRun run = runOnNullDevice(
        "--quiet --point 'gemm dtype=bf16 m=256 n=256 k=256' --point 'memory op=copy bytes=64K'"
        " --point 'adam parameters=1M form=flat'",
        "FABRICAST_NULL_L2_MIB=126");
    EXPECT_EQ(run.code, 0) << run.err;
    std::istringstream lines(run.out);
    const auto setsIn = [](const std::string& line) {
        return std::stod(line.substr(line.find("\"sets\":") + 7));
    };
    for (const double setBytes : {3.0 * 256 * 256 * 2, 3.0 * (1 << 16), 16.0 * (1 << 20)}) {
        std::string line;
        std::getline(lines, line);
        EXPECT_GT(setsIn(line) * setBytes, 2.0 * 126 * (1 << 20)) << line;
    }
    const ProbeRun attention = runOnNullDevice(
        "--quiet --point 'attention pass=forward batch=1 heads=8 kv_heads=8 sequence=64 dim=32 "
        "causal=1'");
    EXPECT_EQ(attention.code, 0) << attention.err;
    if (holds(attention.out, "\"algorithm\":\"cudnn\"")) {
        EXPECT_EQ(setsIn(attention.out), 8.0) << attention.out;
    }
}

TEST(CudaProbe, ACopyBothWaysIsCheckedBothWays) {
    const ProbeRun run = runOnNullDevice("--quiet --point 'transfer kind=both bytes=1M'",
                                         "FABRICAST_NULL_UPLOADS=0");
    EXPECT_EQ(run.code, 1) << run.out;
    EXPECT_TRUE(holds(run.out, "\"wrong\":2")) << run.out;
}

/// Forward products of training add up fp8 in fewer bits, and faster.
TEST(CudaProbe, Fp8IsMeasuredWithBothWaysToAddUp) {
    const ProbeRun run = runOnNullDevice(
        "--quiet --point 'gemm dtype=fp8 m=2048 n=2048 k=2048'"
        " --point 'gemm dtype=fp8 m=2048 n=2048 k=2048 fast_accum=1'");
    EXPECT_EQ(run.code, 0) << run.err;
    const auto rateless = [&](std::size_t from) {
        const std::string name = "\"median\":";
        return std::stod(run.out.substr(run.out.find(name, from) + name.size())) - 3e-6;
    };
    EXPECT_NEAR(rateless(0), 2.0 * rateless(run.out.find('\n')), 1e-8) << run.out;
    EXPECT_EQ(runCudaProbe("--point 'gemm dtype=bf16 m=8 n=8 k=8 fast_accum=1'").code, 2);
}

/// The null device copies as fast alone as beside a product, from the first time on.
TEST(CudaProbe, WhatACopyDoesAloneIsWarmAndSampled) {
    const ProbeRun run =
        runOnNullDevice("--quiet --point 'overlap dtype=bf16 m=512 n=512 k=512 ctas=8'",
                        "FABRICAST_NULL_COLD=1000");
    EXPECT_EQ(run.code, 0) << run.err;
    const auto fact = [&](const std::string& name) {
        return std::stod(run.out.substr(run.out.find("\"" + name + "\":") + name.size() + 3));
    };
    EXPECT_NEAR(fact("copy_alone_bytes_per_s") / fact("copy_bytes_per_s"), 1.0, 0.05) << run.out;
}

/// A GPU that adds up rounded parts is as right as one that does not.
TEST(CudaProbe, ProductsAddedUpFromRoundedPartsAreRight) {
    const ProbeRun run = runOnNullDevice("--quiet --point 'gemm dtype=bf16 m=64 n=64 k=8192'",
                                         "FABRICAST_NULL_LT_SPLIT=32");
    EXPECT_EQ(run.code, 0) << run.out;
    EXPECT_TRUE(holds(run.out, " split 32 scheme 0 cluster 0 inner 0\"")) << run.out;
}

/// cuBLASLt, cuDNN and memory may fail at one shape. The rest of the suite is measured all the
/// same.
TEST(CudaProbe, APointThatFailsEndsNoSuiteAndIsTriedAgain) {
    const std::string file = freshFile("probe_cuda_some.jsonl");
    const std::string points =
        "--quiet --point 'gemm dtype=bf16 m=32 n=32 k=32' --point 'gemm dtype=bf16 m=48 n=32 k=32'"
        " --point 'gemm dtype=bf16 m=64 n=32 k=32' --out " +
        file;
    const ProbeRun run = runOnNullDevice(points, "FABRICAST_NULL_LT_FAILS=48");
    EXPECT_EQ(run.code, 4);
    EXPECT_TRUE(holds(run.err, "2 measured, 1 failed")) << run.err;
    EXPECT_TRUE(holds(run.out, "m=48 n=32\",\"refused\":\"failed: the matrix multiply: "))
        << run.out;
    EXPECT_EQ(countOf(textOfFile(file), "\"wrong\":0"), 2U);
    const ProbeRun again = runOnNullDevice(points);
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(linesIn(again.out), 1U) << again.out;
    EXPECT_EQ(countOf(textOfFile(file), "\"wrong\":0"), 3U);
    EXPECT_FALSE(holds(textOfFile(file), "failed"));
    // A GPU that is gone measures nothing more.
    (void)freshFile("probe_cuda_some.jsonl.broken");
    const ProbeRun broken = runOnNullDevice(
        points + ".broken", "FABRICAST_NULL_LT_FAILS=48 FABRICAST_NULL_LT_BREAKS=1");
    EXPECT_EQ(broken.code, 4);
    EXPECT_EQ(linesIn(broken.out), 1U) << broken.out;
    EXPECT_TRUE(holds(broken.err, "m=48 n=32: the matrix multiply: ")) << broken.err;
}

TEST(CudaProbe, ANeighbourInExclusiveModeIsLeftAlone) {
    const ProbeRun run = runOnNullDevice(
        "--quiet --point 'transfer kind=p2p bytes=1M' --point 'memory op=copy bytes=64K'",
        "FABRICAST_NULL_GPUS=2 FABRICAST_NULL_TAKEN=1");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(linesIn(run.out), 2U);
    EXPECT_TRUE(holds(run.out, "\"refused\":\"GPU 1: it cannot be taken: ")) << run.out;
    EXPECT_EQ(countOf(run.out, "\"wrong\":0"), 1U) << run.out;
}

TEST(CudaProbe, WhatAChipCannotIsRefusedByName) {
    const ProbeRun layout = runOnNullDevice("--point 'gemm m=64 n=64 k=64 dtype=fp8 layout=nt'");
    EXPECT_EQ(layout.code, 0);
    EXPECT_TRUE(holds(layout.out, "\"refused\":\"fp8 only as layout=tn on sm_90\"")) << layout.out;
    const ProbeRun old =
        runOnNullDevice("--point 'gemm m=64 n=64 k=64 dtype=fp8'", "FABRICAST_NULL_SM=80");
    EXPECT_TRUE(holds(old.out, "\"refused\":\"no fp8 on sm_80\"")) << old.out;
    const ProbeRun mixed = runOnNullDevice(
        "--point 'grouped_gemm dtype=bf16 experts=4 tokens=90 n=40 k=24 how=grouped accumulate=1'");
    EXPECT_EQ(mixed.code, 0);
    EXPECT_TRUE(holds(mixed.out, "\"refused\":\"how=grouped: cuBLAS")) << mixed.out;
    const ProbeRun large = runOnNullDevice("--point 'gemm m=64K n=64K k=64K dtype=fp32'");
    EXPECT_TRUE(holds(large.out, "\"refused\":\"needs 48.0 GiB of GPU memory")) << large.out;
}

TEST(CudaProbe, StreamsRunExpertsSideBySide) {
    const std::string experts = "grouped_gemm dtype=bf16 experts=8 tokens=4096 n=1024 k=1024";
    const ProbeRun run =
        runOnNullDevice("--quiet --point '" + experts + "' --point '" + experts + " how=loop'");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(holds(run.out, "\"algorithm\":\"4 streams of cublaslt")) << run.out;
    EXPECT_TRUE(holds(run.out, "\"algorithm\":\"loop of cublaslt")) << run.out;
    const auto median = [&](std::size_t from) {
        const std::string name = "\"median\":";
        return std::stod(run.out.substr(run.out.find(name, from) + name.size()));
    };
    // The streams of the null device never wait for each other.
    EXPECT_NEAR(4.0 * median(0), median(run.out.find('\n')), 1e-7) << run.out;
}

TEST(CudaProbe, KeepsClocksPowerAndThrottling) {
    const ProbeRun run = runOnNullDevice(kSmall, "FABRICAST_NULL_THROTTLED=36");
    EXPECT_TRUE(holds(run.out, "\"clock_mhz\":1980")) << run.out;
    EXPECT_TRUE(holds(run.out, "\"power_w\":500")) << run.out;
    EXPECT_TRUE(holds(run.out, "\"throttled\":\"power_cap,thermal\"")) << run.out;
}

TEST(CudaProbe, GoesOnWithItsRecord) {
    const std::string file = freshFile("probe_cuda_resume.jsonl");
    EXPECT_EQ(runOnNullDevice(kSmall + " --out " + file).code, 0);
    EXPECT_EQ(linesIn(textOfFile(file)), 2U);
    const ProbeRun more =
        runOnNullDevice(kSmall + " --point 'gemm dtype=fp16 m=8 n=8 k=8' --out " + file);
    EXPECT_EQ(more.code, 0);
    EXPECT_EQ(linesIn(more.out), 1U);
    EXPECT_EQ(linesIn(textOfFile(file)), 3U);
    // Another GPU is another machine.
    const ProbeRun other = runOnNullDevice(kSmall + " --out " + file, "FABRICAST_NULL_SM=80");
    EXPECT_EQ(other.code, 2);
    EXPECT_TRUE(holds(other.err, "is no record of this machine")) << other.err;
}

TEST(CudaProbe, AfterCtrlCTheRecordIsWholeAndGoesOn) {
    const std::string file = freshFile("probe_cuda_interrupted.jsonl");
    // Each wait takes a while, so that the whole suite would take minutes.
    const ProbeRun run =
        interruptOnNullDevice("--suite quick --out " + file, file, "FABRICAST_NULL_SLOW=20");
    EXPECT_EQ(run.code, 130);
    const std::string record = textOfFile(file);
    EXPECT_GT(linesIn(record), 1U);
    EXPECT_EQ(record.back(), '\n');
    EXPECT_TRUE(holds(run.err, " left; the same command goes on")) << run.err;
    EXPECT_EQ(runOnNullDevice("--suite quick --time-budget 1s --out " + file).code, 0);
}

TEST(CudaProbe, AFullDiskEndsItWith4) {
    const ProbeRun run = runOnNullDevice(kSmall + " --out /dev/full");
    EXPECT_EQ(run.code, 4);
    EXPECT_TRUE(holds(run.err, "/dev/full: cannot be written: No space left")) << run.err;
}

TEST(CudaProbe, ADiskThatFillsUpKeepsTheLastWholeRecord) {
    if (std::system("unshare -m true 2>/dev/null") != 0) {
        GTEST_SKIP() << "no right to mount a small disk";
    }
    const std::string disk = tempFolder() + "/probe_cuda_small_disk";
    std::filesystem::create_directories(disk);
    std::string points;
    for (int kib = 1; kib <= 60; ++kib) {
        points += " --point \"memory op=copy bytes=" + std::to_string(kib) + "K\"";
    }
    // The disk is gone with the shell, so its file is printed there.
    const ProbeRun run =
        runCudaProbe("--quiet --out " + disk + "/record.jsonl" + points + " >" + disk +
                         ".log; code=$?; cat " + disk + "/record.jsonl; exit $code'",
                     "unshare -m sh -c 'mount -t tmpfs -o size=16k none " + disk +
                         " && LD_PRELOAD=" FABRICAST_NULL_DEVICE);
    EXPECT_EQ(run.code, 4) << run.err;
    EXPECT_TRUE(holds(run.err, "cannot be written: No space left on device")) << run.err;
    EXPECT_TRUE(run.out.starts_with("{\"schema\":\"fabricast.measurements/1\"")) << run.out;
    EXPECT_TRUE(run.out.ends_with("]}\n")) << run.out;
    EXPECT_GT(linesIn(run.out), 5U);
    EXPECT_LT(linesIn(run.out), 61U);
}

}  // namespace
}  // namespace fabricast::probe
