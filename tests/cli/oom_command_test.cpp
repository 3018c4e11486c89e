#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// What is typed is no file's name because nothing reads it.
TEST(OomCommand, SaysOfATypedMessageThatItIsNotRead) {
    const ProgramOutput output =
        runProgram({"oom",
                    "--message",
                    "RuntimeError: NCCL Error 2: unhandled system error, cudaMalloc failed"},
                   {});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_EQ(output.err.find("cannot be opened"), std::string::npos) << output.err;
    EXPECT_TRUE(output.err.starts_with("error: --message")) << output.err;
}

using Words = std::vector<std::string>;

ProgramOutput oomRun(Words more) {
    more.insert(more.begin(), "oom");
    return runProgram(more, {});
}

std::string messageFile() {
    return FABRICAST_SOURCE_DIR "/tests/cases/memory/real/message.txt";
}

Words runOf8B() {
    return {"-m",
            "llama-3.1-8b",
            "--gpu",
            "a100",
            "--gpus",
            "8",
            "--seq",
            "8192",
            "--layout",
            "micro_batch=1",
            "--stack",
            "fsdp2",
            "--message",
            messageFile()};
}

Words withMore(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(OomCommand, ExplainsTheMessageAlone) {
    const ProgramOutput output = oomRun({"--message", messageFile()});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(output.out.starts_with("OUT OF MEMORY  short by 881 MiB or more of 79.2 GiB"))
        << output.out;
    EXPECT_NE(output.out.find("expandable_segments:True"), std::string::npos);
    EXPECT_NE(output.out.find("not PyTorch's: CUDA context, NCCL"), std::string::npos);
    EXPECT_NE(output.out.find("next: fabricast oom -m MODEL --gpu "), std::string::npos);
}

/// What was held in no tensor would have been enough for what was missing, if not for all of it.
TEST(OomCommand, CallsPiecesThatWereEnoughFragmentation) {
    const std::string file = tempFolder() + "fragments.log";
    std::ofstream(file)
        << "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a "
           "total capacity of 79.11 GiB of which 2.64 GiB is free. Including "
           "non-PyTorch memory, this process has 76.46 GiB memory in use. Of the "
           "allocated memory 71.02 GiB is allocated by PyTorch, and 3.32 GiB is "
           "reserved by PyTorch but unallocated.\n";
    const std::string out = oomRun({"--message", file}).out;
    EXPECT_NE(out.find("fragmentation: PyTorch held 3.32 GiB in no tensor, more than the 1.27 GiB "
                       "that were missing"),
              std::string::npos)
        << out;
}

/// One GPU alone talks to nobody.
TEST(OomCommand, DoesNotBlameCommunicatorsOnOneGpu) {
    const ProgramOutput output = oomRun({"-m",
                                         "llama-3.1-8b",
                                         "--gpu",
                                         "a100",
                                         "--gpus",
                                         "1",
                                         "--stack",
                                         "fsdp2",
                                         "--message",
                                         messageFile()});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("not PyTorch's: CUDA context, libraries"), std::string::npos)
        << output.out;
    EXPECT_EQ(output.out.find("communicators"), std::string::npos) << output.out;
}

TEST(OomCommand, ComparesWithTheForecastAndFindsWaysOut) {
    const ProgramOutput output = oomRun(withMore(runOf8B(), {"-f", "json"}));
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root);
    const double over = root->find("over_forecast")->number(0.0, 1e9).value_or(0.0);
    EXPECT_GE(over, 1.0);
    const JsonValue* memory = root->find("memory");
    ASSERT_NE(memory, nullptr);
    // A run that failed is not called a fit as it is: something has to change.
    ASSERT_FALSE(memory->find("rejections")->items().empty());
    EXPECT_FALSE(memory->find("rejections")->items().front().find("fixes")->items().empty());
}

/// What comes next is a whole command: keys of the layout that were typed are in one --layout.
TEST(OomCommand, TypesTheFirstWayOutAsAWholeCommand) {
    const ProgramOutput output = oomRun(runOf8B());
    const std::size_t ways = output.out.find("ways out");
    ASSERT_NE(ways, std::string::npos) << output.out;
    const std::string text = output.out.substr(ways);
    EXPECT_NE(text.find("\n  --set layout.recompute=full: "), std::string::npos) << text;
    const std::size_t next = text.find("\nnext: fabricast explain ");
    ASSERT_NE(next, std::string::npos) << text;
    const std::string typed = text.substr(next + 17);
    EXPECT_EQ(typed.find("--layout"), typed.rfind("--layout")) << typed;
    const ProgramOutput explained = ran(typed);
    EXPECT_TRUE(explained.out.starts_with("FITS  ")) << explained.out << explained.err;
}

/// A way that surely fits is typed before those that only likely do, as `explain` calls them.
TEST(OomCommand, CallsNoWayOutSurerThanExplainDoes) {
    const std::string loss = "settings.kernels.loss=liger";
    const std::string out = oomRun(runOf8B()).out;
    const std::size_t way = out.find("\n  --set " + loss + ": ");
    ASSERT_NE(way, std::string::npos) << out;
    EXPECT_NE(out.substr(way, out.find('\n', way + 1) - way).find(", likely fits"),
              std::string::npos)
        << out;
    Words asked = runOf8B();
    asked.resize(asked.size() - 2);
    asked.insert(asked.begin(), "explain");
    const ProgramOutput explained = runProgram(withMore(asked, {"--set", loss}), {});
    EXPECT_TRUE(explained.out.starts_with("LIKELY FITS  ")) << explained.out;
}

/// Memory was missing beside all that the run held: what saves less than that is not enough.
TEST(OomCommand, CallsNoWayOutEnoughThatSavesLessThanWasMissing) {
    const std::string file = tempFolder() + "short.log";
    std::ofstream(file)
        << "CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 23.64 "
           "GiB of which 1.22 GiB is free. Including non-PyTorch memory, this process has 22.41 "
           "GiB memory in use. Of the allocated memory 20.61 GiB is allocated by PyTorch, and "
           "1.21 GiB is reserved by PyTorch but unallocated.\n";
    const std::string out = ran("oom --message " + file +
                                " -m llama-3.1-8b --gpu rtx-4090 --gpus 1 --stack axolotl --tuning "
                                "qlora --seq 2048")
                                .out;
    EXPECT_NE(out.find("\n  --layout recompute=full: about "), std::string::npos) << out;
    const std::size_t way = out.find("\n  --optimizer adamw_8bit: about ");
    const std::string line =
        way == std::string::npos ? "" : out.substr(way + 1, out.find('\n', way + 1) - way);
    EXPECT_TRUE(line.empty() || line.find("still does not fit") != std::string::npos) << line;
}

/// What the scenario never takes does not become less by its changes.
TEST(OomCommand, PromisesNothingOfARunThatIsNotTheScenario) {
    const std::string file = tempFolder() + "other.log";
    std::ofstream(file)
        << "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a "
           "total capacity of 79.19 GiB of which 0.10 GiB is free. Including non-PyTorch memory, "
           "this process has 79.09 GiB memory in use. Of the allocated memory 72.00 GiB is "
           "allocated by PyTorch, and 5.00 GiB is reserved by PyTorch but unallocated.\n";
    const std::string question =
        "oom --message " + file +
        " -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --layout recompute=full --seq 8192";
    const std::string out = ran(question).out;
    EXPECT_NE(out.find("something else ran, or is in the process too\n  near to it: "),
              std::string::npos)
        << out;
    EXPECT_NE(out.find("--layout recompute=none (76.6 GiB)"), std::string::npos) << out;
    EXPECT_EQ(out.find("ways out"), std::string::npos) << out;
    const JsonValue answer = jsonOf(ran(question + " -f json").out);
    EXPECT_TRUE(answer.find("is_other_run")->boolean().value());
    EXPECT_FALSE(answer.find("near_to_it")->items().empty());
}

/// A report of a run that went on is of no scenario that needs more, or less.
TEST(OomCommand, SaysThatARunThatWentOnIsNotTheScenario) {
    const std::string file = tempFolder() + "went_on.log";
    std::ofstream(file) << "[Rank 0] (after 2 iterations) memory (MB) | allocated: 51234.12 | max "
                           "allocated: 71002.33 | reserved: 74020.0 | max reserved: 76108.0\n";
    const std::string less = ran("oom --message " + file +
                                 " -m llama-3-70b -c dgx-h100 -n 8 --stack megatron --layout "
                                 "tp=8,pp=4,dp=2 --seq 8192 --global-batch 256")
                                 .out;
    EXPECT_NE(less.find("this run went on with 85 % of what is forecast for it: it is not this "
                        "scenario\n"),
              std::string::npos)
        << less;
    EXPECT_EQ(less.find("larger than forecast"), std::string::npos) << less;
    std::ofstream(file) << "[utils.py:781:see_memory_usage] After initializing ZeRO optimizer\n"
                           "[utils.py:782:see_memory_usage] MA 16.1 GB         Max_MA 18.9 GB      "
                           "   CA 19.05 GB         Max_CA 19 GB\n";
    const std::string early = ran("oom --message " + file +
                                  " -m llama-3.1-8b -c dgx-h100 --stack deepspeed --layout "
                                  "shard=zero3,recompute=none --seq 8192 --global-batch 8")
                                  .out;
    EXPECT_NE(early.find("it is not this scenario, unless it is from before the first step\n"),
              std::string::npos)
        << early;
    std::ofstream(file) << "[titan] step: 30  loss:  7.7158  memory: 49.58GiB(52.20%)  tps: 5,966  "
                           "tflops: 345.53  mfu: 34.94%\n";
    const std::string more =
        ran("oom --message " + file +
            " -m llama-3.1-8b --gpu h100-sxm5-96gb-500w --gpus 8 --stack "
            "torchtitan --layout recompute=selective --seq 8192 --global-batch "
            "8")
            .out;
    EXPECT_NE(more.find("--set settings.kernels.loss=fp32_upcast ("), std::string::npos) << more;
}

/// What another process holds is no part of what this run needs.
TEST(OomCommand, BlamesAnotherProcessAndScalesNothingByIt) {
    const std::string file = tempFolder() + "two.log";
    std::ofstream(file)
        << "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.10 "
           "GiB of which 7.88 MiB is free. Process 1 has 40.10 GiB memory in use. Process 2 has "
           "38.90 GiB memory in use. Of the allocated memory 37.50 GiB is allocated by PyTorch, "
           "and "
           "500.50 MiB is reserved by PyTorch but unallocated.\n";
    const ProgramOutput alone = oomRun({"--message", file});
    EXPECT_NE(alone.out.find("other processes hold 40.2 GiB of this GPU"), std::string::npos)
        << alone.out;
    EXPECT_EQ(alone.out.find("NCCL_NVLS_ENABLE"), std::string::npos) << alone.out;
    const ProgramOutput run = oomRun({"-m",
                                      "llama-3.1-8b",
                                      "--gpu",
                                      "a100",
                                      "--gpus",
                                      "8",
                                      "--seq",
                                      "4096",
                                      "--layout",
                                      "micro_batch=1,recompute=none",
                                      "--stack",
                                      "fsdp2",
                                      "--message",
                                      file});
    EXPECT_EQ(run.out.find("% more or above"), std::string::npos) << run.out;
}

/// No room for NCCL, or none on the host, is an answer too: a message without sizes.
TEST(OomCommand, AnswersForMemoryThatRanOutElsewhere) {
    const std::string file = tempFolder() + "elsewhere.log";
    std::ofstream(file) << "step 3\nCuda failure 2 'out of memory'\n";
    const ProgramOutput nccl = oomRun({"--message", file});
    EXPECT_EQ(nccl.code, ExitCode::Ok) << nccl.err;
    EXPECT_TRUE(nccl.out.starts_with("OUT OF MEMORY  in NCCL  (line 2, which says no sizes)"))
        << nccl.out;
    std::ofstream(file) << "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\n";
    const ProgramOutput killed = oomRun({"-m",
                                         "llama-3.1-8b",
                                         "-c",
                                         "dgx-h100",
                                         "--stack",
                                         "fsdp2",
                                         "--layout",
                                         "offload=parameters_cpu",
                                         "--message",
                                         file});
    EXPECT_TRUE(killed.out.starts_with("OUT OF MEMORY  on the host")) << killed.out;
    EXPECT_NE(killed.out.find("host memory of a node"), std::string::npos) << killed.out;
}

/// The parts of the forecast are those of `explain`.
TEST(OomCommand, AgreesWithExplain) {
    Words asked = runOf8B();
    asked.resize(asked.size() - 2);
    asked.insert(asked.begin(), "explain");
    const ProgramOutput explained = runProgram(withMore(asked, {"-f", "json"}), {});
    const ProgramOutput output = oomRun(withMore(runOf8B(), {"-f", "json"}));
    const auto said = parseJson(explained.out, "explain");
    const auto told = parseJson(output.out, "oom");
    ASSERT_TRUE(said && told);
    const auto peak = [](const JsonValue& root) {
        return root.find("memory")->find("peak_bytes")->find("value")->number(0.0, 1e18).value();
    };
    EXPECT_EQ(peak(*said), peak(*told));
}

/// A log in the place of the scenario is what people type first.
TEST(OomCommand, TakesTheMessageAmongItsFiles) {
    const Words run = {"-m", "llama-3.1-8b", "--gpu", "a100", "--gpus", "8", "--stack", "fsdp2"};
    const ProgramOutput named = oomRun(withMore(run, {"--message", messageFile()}));
    ASSERT_EQ(named.code, ExitCode::Ok) << named.err;
    EXPECT_EQ(oomRun(withMore(run, {messageFile()})).out, named.out);
    EXPECT_EQ(oomRun({messageFile()}).out, oomRun({"--message", messageFile()}).out);
    const std::string script = tempFolder() + "run.sh";
    std::ofstream(script) << "# CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
                             "capacity of 79.25 GiB\ntorchrun --nproc-per-node 8 train.py\n";
    const ProgramOutput ofScript = oomRun({script, "--message", messageFile()});
    EXPECT_EQ(oomRun({script, messageFile()}).err, ofScript.err);
    const std::string empty = tempFolder() + "empty.json";
    std::ofstream(empty) << R"({"segments":[[]],"device_traces":[]})";
    EXPECT_TRUE(oomRun({empty}).err.starts_with("error: " + empty)) << oomRun({empty}).err;
}

TEST(OomCommand, RefusesWhatItCannotRead) {
    const std::string file = tempFolder() + "plain.log";
    ASSERT_TRUE(writeTextFile(file, "loss 2.1\n"));
    const ProgramOutput none = oomRun({"--message", file});
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_NE(none.err.find("no out-of-memory message"), std::string::npos) << none.err;
    const ProgramOutput twice = oomRun({"-"});
    EXPECT_EQ(twice.code, ExitCode::BadInput);
    EXPECT_NE(twice.err.find("--message job.log"), std::string::npos) << twice.err;
    const ProgramOutput wrong = oomRun({"-m", "no-such-model", "--message", messageFile()});
    EXPECT_EQ(wrong.code, ExitCode::BadInput);
}

/// Messages of which one number was changed.
TEST(OomCommand, RefusesPartsThatAreMoreThanTheGpu) {
    const std::string whole = readTextFile(messageFile()).value();
    const std::vector<std::pair<std::string, std::string>> changes = {
        {"73.40 GiB is allocated", "900.00 GiB is allocated"},
        {"this process has 78.00 GiB", "this process has 900.00 GiB"},
        {"1.10 GiB is free", "900 GiB is free"},
        {"capacity of 79.15 GiB", "capacity of 0 bytes"}};
    const std::string file = tempFolder() + "changed.log";
    for (const auto& [was, is] : changes) {
        std::string odd = whole;
        const std::size_t at = odd.find(was);
        ASSERT_NE(at, std::string::npos) << was;
        ASSERT_TRUE(writeTextFile(file, odd.replace(at, was.size(), is)));
        const ProgramOutput output = oomRun({"--message", file});
        EXPECT_EQ(output.code, ExitCode::BadInput) << is;
        EXPECT_EQ(output.out, "");
        EXPECT_NE(output.err.find("changed.log:1: the message says that "), std::string::npos)
            << output.err;
    }
}

TEST(OomCommand, AnswersForAnAllocationOfAnySize) {
    std::string text = readTextFile(messageFile()).value();
    const std::string was = "allocate 1.96 GiB";
    ASSERT_TRUE(writeTextFile(tempFolder() + "huge.log",
                              text.replace(text.find(was), was.size(), "allocate 100000 GiB")));
    const ProgramOutput output = oomRun({"-m",
                                         "llama-3.1-8b",
                                         "--gpu",
                                         "a100",
                                         "--gpus",
                                         "8",
                                         "--seq",
                                         "8192",
                                         "--stack",
                                         "fsdp2",
                                         "--message",
                                         tempFolder() + "huge.log"});
    EXPECT_NE(output.code, ExitCode::BadInput) << output.err;
    EXPECT_NE(output.out, "");
}

TEST(OomCommand, RefusesTheMessageOfAnotherGpu) {
    const ProgramOutput output = oomRun({"-m",
                                         "llama-3.1-8b",
                                         "-c",
                                         "8x-rtx-4090",
                                         "--seq",
                                         "4096",
                                         "--stack",
                                         "fsdp2",
                                         "--message",
                                         messageFile()});
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
    EXPECT_NE(output.err.find("the message is of a GPU with 79."), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("rtx-4090 has 23.6 GiB"), std::string::npos) << output.err;
}

/// The flag that is wrong is named, and the GPU whose memory the message has.
TEST(OomCommand, ProposesTheGpuThatHasTheMemoryOfTheMessage) {
    const std::string file = tempFolder() + "small.log";
    ASSERT_TRUE(writeTextFile(
        file,
        "CUDA out of memory. Tried to allocate 128.00 MiB (GPU 3; 39.59 GiB total capacity; 38.02 "
        "GiB already allocated; 98.19 MiB free; 38.44 GiB reserved in total by PyTorch)"));
    const ProgramOutput output =
        ran("oom -m llama-3.1-8b --gpu a100 --gpus 8 --stack fsdp2 --seq 2048 --message " + file);
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
    EXPECT_TRUE(output.err.starts_with("error: --gpu: ")) << output.err;
    EXPECT_NE(output.err.find("a100-sxm4-40gb"), std::string::npos) << output.err;
}

/// What surely fits is before what likely does, also where that is by another verdict.
TEST(OomCommand, HasTheSurestWayOutFirst) {
    const std::string out = oomRun(runOf8B()).out;
    const std::size_t ways = out.find("ways out");
    ASSERT_NE(ways, std::string::npos) << out;
    const std::size_t firstLikely = out.find(", likely fits", ways);
    const std::size_t lastSure = out.rfind(" GiB, fits (");
    ASSERT_NE(firstLikely, std::string::npos) << out;
    EXPECT_LT(lastSure, firstLikely) << out;
}

/// What the scenario has is not proposed.
TEST(OomCommand, ProposesNoSegmentsToARunThatHasThem) {
    const std::string out =
        oomRun(withMore(runOf8B(), {"--set", "settings.allocator=expandable_segments"})).out;
    EXPECT_EQ(out.find("try: PYTORCH_CUDA_ALLOC_CONF"), std::string::npos) << out;
    EXPECT_NE(out.find("the scenario has expandable_segments:True already"), std::string::npos)
        << out;
}

/// The run needed what its message counts, not the GPU whose memory was free.
TEST(OomCommand, TakesAMessageWithFreeMemoryAtItsWord) {
    const std::string file = tempFolder() + "free.log";
    const std::string whole =
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
        "of which 55.42 GiB is free. 23.75 GiB allowed; Including non-PyTorch memory, this process "
        "has 23.65 GiB memory in use. Of the allocated memory 22.78 GiB is allocated by PyTorch, "
        "and 101.30 MiB is reserved by PyTorch but unallocated.";
    const std::string limit = "23.75 GiB allowed; ";
    const std::string run =
        "oom -m llama-3.2-1b --gpu a100 --gpus 1 --stack ddp --seq 4096 --message " + file;
    for (const bool isLimited : {true, false}) {
        std::string text = whole;
        ASSERT_TRUE(
            writeTextFile(file, isLimited ? text : text.erase(text.find(limit), limit.size())));
        const std::string out = ran(run).out;
        EXPECT_EQ(out.find("% more"), std::string::npos) << out;
        EXPECT_EQ(out.starts_with("OUT OF MEMORY  short by 1.13 GiB or more of the 23.8 GiB that "
                                  "PyTorch is allowed"),
                  isLimited)
            << out;
    }
}

ProgramOutput oomOf(const std::string& text) {
    const std::string file = tempFolder() + "of.log";
    EXPECT_TRUE(writeTextFile(file, text));
    return oomRun({"--message", file});
}

/// With more free than was asked for, pieces are no reason.
TEST(OomCommand, CallsNothingFragmentationWhereMoreWasFree) {
    const std::string out = oomOf(
                                "CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a "
                                "total capacity of 79.15 GiB of which 60.00 GiB is free. "
                                "Including non-PyTorch memory, this process has 19.00 GiB memory "
                                "in use. Of the allocated memory 18.00 GiB is allocated by "
                                "PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.")
                                .out;
    EXPECT_NE(out.find("not for want of memory"), std::string::npos) << out;
    EXPECT_EQ(out.find("fragmentation"), std::string::npos) << out;
}

TEST(OomCommand, SaysWhatSpilledIntoTheHostUnderWindows) {
    const ProgramOutput output = oomOf(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1024.00 MiB (GPU "
        "0; 8.00 GiB total capacity; 14.85 GiB already allocated; 0 bytes free; 15.43 GiB "
        "reserved in total by PyTorch)");
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("in tensors                     14.85"), std::string::npos)
        << output.out;
    EXPECT_NE(output.out.find("spilled: PyTorch held 15.4 GiB, 7.43 GiB more than the GPU has"),
              std::string::npos)
        << output.out;
}

TEST(OomCommand, CountsWhatOthersHoldOfAnAppleGpu) {
    const std::string out =
        oomOf(
            "RuntimeError: MPS backend out of memory (MPS allocated: 16.01 GB, other "
            "allocations: 1.20 GB, max allowed: 18.13 GB). Tried to allocate 1.50 GB on private "
            "pool.")
            .out;
    EXPECT_TRUE(
        out.starts_with("OUT OF MEMORY  short by 594 MiB or more of the 18.1 GiB that "
                        "PyTorch is allowed"))
        << out;
    EXPECT_NE(out.find("not PyTorch's                   1.20"), std::string::npos) << out;
    EXPECT_NE(out.find("held 16 GiB, beside 1.2 GiB of others"), std::string::npos) << out;
}

/// A snapshot is no scenario: `import` answers it as `oom` does.
TEST(OomCommand, ReadsASnapshotOfTheAllocator) {
    const std::string file = FABRICAST_SOURCE_DIR "/tests/cases/memory/snapshots/oom.pickle";
    const ProgramOutput output = oomRun({"--message", file});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(
        output.out.starts_with("OUT OF MEMORY  short by 6 MiB or more  (device 0, the "
                               "fullest of 2, 2 segments)"))
        << output.out;
    EXPECT_NE(output.out.find("its largest free block"), std::string::npos) << output.out;
    EXPECT_EQ(ran("import " + file).out, output.out);
    const std::string compared =
        ran("import -m llama-3.2-1b --gpu a100 --gpus 1 --stack ddp " +
            std::string(FABRICAST_SOURCE_DIR) + "/tests/cases/memory/snapshots/p4.pickle")
            .out;
    EXPECT_NE(compared.find("forecast: FITS"), std::string::npos) << compared;
}

TEST(OomCommand, IsNamedWhereASnapshotStandsForAScenario) {
    const std::string folder = FABRICAST_SOURCE_DIR "/tests/cases/memory/snapshots/";
    for (const std::string name : {"oom.pickle", "s.json"}) {
        for (const std::string command : {"explain ", "plan -c dgx-h100 ", "lint "}) {
            const ProgramOutput output = ran(command + folder + name);
            EXPECT_EQ(output.code, ExitCode::BadInput) << output.err;
            EXPECT_NE(output.err.find("try: fabricast import " + folder + name), std::string::npos)
                << output.err;
        }
    }
}

/// Whether a program prepares quantised weights decides whether they fit, and no flag says it.
TEST(OomCommand, NamesThePreparationOfQuantisedWeights) {
    const std::string asked =
        " -m llama-3.1-8b --tuning qlora --stack accelerate --gpus 1 --gpu rtx-3060 --seq 2048 "
        "--optimizer adamw_8bit --layout recompute=full ";
    const std::string note = "assumed: peft's prepare_model_for_kbit_training";
    const std::string setting = "--set settings.lora.prepared_for_kbit=true";
    const std::string fits = ran("explain" + asked).out;
    EXPECT_TRUE(fits.starts_with("FITS")) << fits;
    EXPECT_NE(fits.find(note), std::string::npos) << fits;
    EXPECT_NE(
        fits.find("is not counted: a program that calls it takes 13.4 GiB and does not fit (" +
                  setting + ")"),
        std::string::npos)
        << fits;
    const std::string counted = ran("explain" + asked + setting).out;
    EXPECT_TRUE(counted.starts_with("DOES NOT FIT")) << counted;
    EXPECT_EQ(counted.find(note), std::string::npos) << counted;
    const std::string file = tempFolder() + "prepared.log";
    std::ofstream(file)
        << "RuntimeError: CUDA out of memory. Tried to allocate 224.00 MiB (GPU 0; 11.76 GiB "
           "total capacity; 10.42 GiB already allocated; 97.44 MiB free; 10.61 GiB reserved in "
           "total by PyTorch)\n";
    const std::string out = ran("oom" + asked + "--message " + file).out;
    EXPECT_NE(out.find("peft's prepare_model_for_kbit_training casts"), std::string::npos) << out;
    EXPECT_NE(out.find("  try: " + setting), std::string::npos) << out;
}

/// The replay of 17 sequences reuses what that of 15 leaves in pieces.
TEST(OomCommand, SaysWhereOneReplayDecides) {
    const auto ofBatch = [](const std::string& batch) {
        return ran("explain -m llama-3.2-1b --gpu h100 --gpus 1 --stack accelerate --seq 2048 "
                   "--layout recompute=full,micro_batch=" +
                   batch)
            .out;
    };
    const std::string small = ofBatch("8");
    EXPECT_EQ(small.find("one replay"), std::string::npos) << small;
    const std::string fits = ofBatch("17");
    EXPECT_TRUE(fits.starts_with("FITS")) << fits;
    // The note speaks of the verdict above it, and says how likely another one is.
    EXPECT_NE(fits.find("assumed: fits with the "), std::string::npos) << fits;
    EXPECT_NE(fits.find("nine in ten less than 11.5 GiB, with which it may not (--why worst; "
                        "--reserve 15% asks for that room)"),
              std::string::npos)
        << fits;
    const std::string unlikely = ofBatch("15");
    EXPECT_NE(unlikely.find("assumed: unlikely to fit with the "), std::string::npos) << unlikely;
    EXPECT_NE(unlikely.find("with what half of them left it likely fits (--why pinned)"),
              std::string::npos)
        << unlikely;
}

/// 16 times the nodes leave two microbatches for four stages: that is not free.
TEST(OomCommand, SaysWhatMoreNodesDoToAPipeline) {
    const std::string out =
        ran("explain -m llama-3.1-70b -c dgx-h100 -n 4 --stack megatron --layout "
            "tp=8,pp=4,recompute=none --seq 8192 --global-batch 32")
            .out;
    const std::size_t nodes = out.find("--set cluster.nodes=64");
    ASSERT_NE(nodes, std::string::npos) << out;
    EXPECT_NE(out.substr(nodes, out.find('\n', nodes) - nodes)
                  .find("2 microbatches in place of 32 for 4 stages"),
              std::string::npos)
        << out;
}

TEST(OomCommand, HasEveryFormat) {
    for (const char* format : {"text", "md", "csv", "json"}) {
        const ProgramOutput output = oomRun(withMore(runOf8B(), {"-f", format}));
        EXPECT_EQ(output.code, ExitCode::Ok) << format;
        EXPECT_EQ(output.out.find("nan"), std::string::npos) << format;
    }
}

// A message of a few lines is typed or pasted as well as kept in a file.
TEST(OomCommand, TakesTheTextOfAMessage) {
    const ProgramOutput output =
        runProgram({"oom",
                    "--message",
                    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
                    "capacity of 79.11 GiB of which 1.20 GiB is free."},
                   {});
    EXPECT_TRUE(output.out.starts_with("OUT OF MEMORY  short by 819 MiB")) << output.err;
    EXPECT_NE(output.out.find("--message JOB.LOG"), std::string::npos) << output.out;
    EXPECT_EQ(runProgram({"oom", "--message", "no such file"}, {}).code, ExitCode::BadInput);
}

TEST(OomCommand, TakesAMessageWithoutSizes) {
    for (const char* const message : {"torch.OutOfMemoryError: CUDA out of memory.\n",
                                      "torch.cuda.OutOfMemoryError\n",
                                      "epoch 1: CUDA out of memory, skipped\n"}) {
        const std::string log = tempFolder() + "/unsized.log";
        std::ofstream(log) << "step 1 loss 2.0\n" << message;
        const ProgramOutput output = runProgram({"oom", log}, {});
        EXPECT_TRUE(output.out.starts_with("OUT OF MEMORY  in PyTorch's allocator  (line 2"))
            << output.err;
    }
}

// A log that says nothing of memory is not told to be a launch file.
TEST(OomCommand, SaysThatALogHasNoMessage) {
    for (const char* const name : {"/job.log", "/job.json"}) {
        const std::string log = tempFolder() + name;
        std::ofstream(log) << "step 1 loss 2.0\nTraceback: RuntimeError: NCCL error\n";
        const ProgramOutput output = runProgram({"oom", log}, {});
        EXPECT_EQ(output.code, ExitCode::BadInput);
        EXPECT_NE(output.err.find("try: a log in which the message of the failure stands"),
                  std::string::npos)
            << output.err;
        EXPECT_NE(output.err.find("there is no out-of-memory message"), std::string::npos)
            << output.err;
    }
    // A scenario, whatever its name, that has a fault of its own.
    const std::string scenario = tempFolder() + "/job.txt";
    std::ofstream(scenario) << "{\"model\": \"gpt2\" \"cluster\": 1}\n";
    const ProgramOutput output = runProgram({"oom", scenario}, {});
    EXPECT_EQ(output.err.find("a log in which"), std::string::npos) << output.err;
}

}  // namespace
}  // namespace fabricast
