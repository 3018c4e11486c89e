#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace oom_causes_test {
namespace {

std::string logOf(const std::string& text) {
    const std::string file = tempFolder() + "causes.log";
    EXPECT_TRUE(writeTextFile(file, text));
    return file;
}

/// What oom answers to a message, with the words of a run behind it.
std::string oomOf(const std::string& text, const std::string& run = "") {
    const ProgramOutput output = ran("oom --message " + logOf(text) + run);
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    return output.out;
}

bool says(const std::string& out, const std::string& what) {
    return out.find(what) != std::string::npos;
}

const char* const kRunOf8B = " -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq ";

std::string ofH100(const std::string& tried, const std::string& unallocated) {
    return "CUDA out of memory. Tried to allocate " + tried +
           " GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.00 GiB is free. Including "
           "non-PyTorch memory, this process has 78.15 GiB memory in use. Of the allocated "
           "memory " +
           "72.00 GiB is allocated by PyTorch, and " + unallocated +
           " GiB is reserved by PyTorch but unallocated.";
}

/// One tensor of that size is no question of layouts.
TEST(OomCauses, NameTheShapeOfAnAllocationBeyondTheGpu) {
    const std::string text = ofH100("1024.00", "4.00");
    const std::string alone = oomOf(text);
    EXPECT_TRUE(says(alone, "this one allocation of 1 TiB is 13 times the GPU")) << alone;
    EXPECT_FALSE(says(alone, "NCCL")) << alone;
    const std::string run = oomOf(text, std::string(kRunOf8B) + "131072");
    EXPECT_TRUE(says(run, "scores of 1 x 32 heads x 131072 x 131072 in 16 bits have this size"))
        << run;
    EXPECT_FALSE(says(run, "ways out")) << run;
    const std::string other = oomOf(text, std::string(kRunOf8B) + "4096");
    EXPECT_TRUE(says(other, "the run had other lengths or another batch")) << other;
}

/// A limit on what is cut leaves the free blocks of segments that grow unused.
TEST(OomCauses, OfferGrowingSegmentsAloneWhereALimitStandsBesideThem) {
    const std::string out = oomOf(ofH100("2.00", "4.00"),
                                  std::string(kRunOf8B) +
                                      "8192 --set settings.allocator=expandable_segments "
                                      "--set settings.max_split_size_mb=128");
    EXPECT_TRUE(says(out, "expandable_segments:True alone: beside it max_split_size_mb:128 leaves"))
        << out;
    EXPECT_TRUE(says(out, "\n  --set settings.max_split_size_mb=0: ")) << out;
}

/// Segments that grow are the cheapest way out of pieces, with what the message counts.
TEST(OomCauses, OfferGrowingSegmentsAgainstPieces) {
    const std::string out = oomOf(ofH100("2.00", "4.00"), std::string(kRunOf8B) + "8192");
    EXPECT_TRUE(says(out, "fragmentation: PyTorch held 4 GiB")) << out;
    EXPECT_TRUE(says(out,
                     "\n  --set settings.allocator=expandable_segments: about 76.1 GiB, likely "
                     "fits (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True)"))
        << out;
}

/// What the message counts is a part of what the step takes: no way out is of both.
TEST(OomCauses, PromiseNothingOfSegmentsWhereTheStepIsBeyondTheGpu) {
    const std::string out = oomOf(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total "
        "capacity of 23.64 GiB of which 1.21 GiB is free. Including non-PyTorch memory, this "
        "process has 22.42 GiB memory in use. Of the allocated memory 20.87 GiB is allocated by "
        "PyTorch, and 1.08 GiB is reserved by PyTorch but unallocated.",
        " -m llama-3.1-8b --gpu rtx-4090 --gpus 1 --stack accelerate --seq 4096");
    EXPECT_TRUE(says(out,
                     "expandable_segments:True, for what failed here alone: by the forecast the "
                     "step goes on to 140 GiB"))
        << out;
    EXPECT_FALSE(says(out, "--set settings.allocator=expandable_segments: ")) << out;
}

TEST(OomCauses, TellAnOldPyTorchNothingOfTheScenariosSegments) {
    const std::string out = oomOf(
        "CUDA out of memory. Tried to allocate 224.00 MiB (GPU 0; 23.64 GiB total capacity; 22.57 "
        "GiB already allocated; 130.69 MiB free; 22.86 GiB reserved in total by PyTorch) If "
        "reserved memory is >> allocated memory try setting max_split_size_mb",
        " -m llama-3.2-1b --gpu rtx-4090 --gpus 1 --stack ddp --seq 4096 --set "
        "settings.allocator=expandable_segments");
    EXPECT_TRUE(says(out, "try: PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128")) << out;
    EXPECT_FALSE(says(out, "nothing of the allocator's")) << out;
}

/// Less than is forecast beside PyTorch is no cause.
TEST(OomCauses, LeaveNcclAloneWhereItTookNoMoreThanForecast) {
    const std::string text = ofH100("2.00", "4.15");
    EXPECT_TRUE(says(oomOf(text), "not PyTorch's: CUDA context")) << oomOf(text);
    const std::string out = oomOf(text, std::string(kRunOf8B) + "8192");
    EXPECT_FALSE(says(out, "communicators")) << out;
}

TEST(OomCauses, ShowWhatCudaMallocAsyncDoesNotTellApart) {
    const std::string out = oomOf(
        "torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of "
        "memory)\nCurrently allocated     : 21.35 GiB\nRequested               : 1.25 GiB\n"
        "Device limit            : 23.64 GiB\nFree (according to CUDA): 15.06 MiB\n");
    EXPECT_TRUE(says(out, "held by the allocator, or not PyTorch's      2.28")) << out;
}

TEST(OomCauses, CallTheToolsOfTheGpu) {
    const std::string hip = oomOf("RuntimeError: HIP error: out of memory");
    EXPECT_TRUE(says(hip, "rocm-smi")) << hip;
    EXPECT_FALSE(says(hip, "nvidia-smi")) << hip;
}

/// The host had room for what is forecast: what the job was given of it is another thing.
TEST(OomCauses, OfAHostAreHeldAgainstItsForecast) {
    const std::string run =
        " -m llama-3.1-8b -c dgx-h100 --stack deepspeed --seq 8192 --layout shard=zero3";
    const std::string killed = "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.";
    const std::string out = oomOf(killed, run + ",offload=optimizer_cpu");
    EXPECT_TRUE(says(out, "it should have fitted")) << out;
    EXPECT_TRUE(says(out, "\nforecast: host memory per node: ")) << out;
    EXPECT_TRUE(says(out, " --why host")) << out;
    EXPECT_TRUE(says(oomOf(killed, run), "nothing of this layout is kept on the host"));
}

TEST(OomCauses, AnswerReportsOfTotals) {
    const std::string titan = "step:  1  loss: 12.2  memory: 47.92GiB(60.51%)  tps: 1,000";
    const std::string alone = oomOf(titan);
    EXPECT_TRUE(
        alone.starts_with("MEMORY REPORT  47.9 GiB reserved by PyTorch at the peak of 79.2"))
        << alone;
    const std::string run = oomOf(titan, std::string(kRunOf8B) + "4096");
    EXPECT_TRUE(says(run, "reserved by PyTorch, at the peak     47.92     5")) << run;
}

/// The GPU that has as much memory, where there is one.
TEST(OomCauses, NameTheGpuToAskWith) {
    const std::string out = oomOf(
        "HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
        "capacity of 191.98 GiB of which 1.00 GiB is free. Of the "
        "allocated memory 180.00 GiB is allocated by PyTorch, and 8.00 "
        "GiB is reserved by PyTorch but unallocated.");
    EXPECT_TRUE(says(out, "mi300x")) << out;
    EXPECT_TRUE(says(out, "--message " + tempFolder() + "causes.log   (or the run's")) << out;
}

/// A log is no scenario: `import` answers it as `oom` does, others say who does.
TEST(OomCauses, AreWhatImportAnswersOfALog) {
    const std::string file = logOf(
        "[Rank 0] memory (MB) | allocated: 30000.5 | max allocated: "
        "61234.7 | reserved: 65000.0 | max reserved: 65000.0\n");
    EXPECT_EQ(ran("import " + file).out, ran("oom " + file).out);
    EXPECT_TRUE(ran("import " + file).out.starts_with("MEMORY REPORT  59.8 GiB"));
    const ProgramOutput explained = ran("explain " + file);
    EXPECT_EQ(explained.code, ExitCode::BadInput);
    EXPECT_TRUE(says(explained.err, "try: fabricast oom " + file)) << explained.err;
    const ProgramOutput linted = ran("lint " + file);
    EXPECT_TRUE(says(linted.err, "try: fabricast import " + file)) << linted.err;
    const ProgramOutput refused = ran("oom " + logOf("Out of memory error on GPU 0. Cannot"));
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_TRUE(says(refused.err, "is a message of Paddle")) << refused.err;
}

/// One option is one note, with its reason.
TEST(OomCauses, SayOnceWhyAThresholdChangesNothing) {
    const std::string file = tempFolder() + "threshold.sh";
    ASSERT_TRUE(writeTextFile(
        file,
        "export PYTORCH_CUDA_ALLOC_CONF=garbage_collection_threshold:0.8\n"
        "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
        "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
        "--micro-batch-size 1 --global-batch-size 8 --bf16\n"));
    const std::string out = ran("import " + file + " -c dgx-h100").out;
    EXPECT_TRUE(says(out,
                     "garbage_collection_threshold:0.8 is not looked at, as PyTorch collects "
                     "nothing unless set_per_process_memory_fraction is called"))
        << out;
}

}  // namespace
}  // namespace oom_causes_test
}  // namespace fabricast
