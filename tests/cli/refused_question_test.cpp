#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// Each of a few refusals in turn is a try of its own.
TEST(RefusedQuestion, ListsAllThatIsMissing) {
    for (const char* const command : {"explain", "plan", "advise", "simulate", "emit"}) {
        EXPECT_EQ(ran(command).err,
                  "error: model: no model and no cluster given\n"
                  "  try: -m llama-3.1-8b -c dgx-h100\n")
            << command;
    }
    EXPECT_EQ(ran("size").err,
              "error: model: no model and no global batch given\n"
              "  try: -m llama-3.1-8b --global-batch 1024\n");
    EXPECT_EQ(ran("size --target days=30").err,
              "error: model: no model, no global batch and no number of tokens given\n"
              "  try: -m llama-3.1-8b --global-batch 1024 --tokens 1T\n");
    EXPECT_EQ(ran("explain -c dgx-h100").err.find("error: model: no model given\n"), 0U);
}

TEST(RefusedQuestion, TellsASizeFromANumberOfRanks) {
    EXPECT_EQ(ran("collective all_reduce 8 -c dgx-h100").err,
              "error: size: \"8\" has no unit\n"
              "  try: all_reduce 8MB; of 8 ranks: all_reduce 1GB --ranks 8\n");
    EXPECT_EQ(ran("collective all_reduce 1GB --ranks 8 -c dgx-h100").code, ExitCode::Ok);
}

/// Whichever flags say it.
TEST(RefusedQuestion, HasOneValueForAKey) {
    const std::string question = "explain -m gpt2 -c dgx-h100 --stack ddp ";
    const ProgramOutput output = ran(question + "--layout micro_batch=1,micro_batch=2");
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("\"micro_batch\" is given twice"), std::string::npos) << output.err;
    for (const char* const replaced : {"--seq 1024 --set workload.sequence=512",
                                       "--set workload.sequence=1024 --set workload.sequence=512",
                                       "--layout micro_batch=2 --set layout.micro_batch=1"}) {
        EXPECT_EQ(ran(question + replaced).code, ExitCode::Ok) << replaced;
    }
    EXPECT_EQ(ran(question + "--seq 512 --set workload.sequence=512").code, ExitCode::Ok);
}

/// A stack's other precisions are no way out on a GPU that has none of them.
TEST(RefusedQuestion, OfAPrecisionNamesTheGpuFirst) {
    for (const char* const stack : {"ddp", "deepspeed", "megatron", "fsdp1"}) {
        const std::string question = std::string("explain -m gpt2 -c dgx-a100 --stack ") + stack;
        EXPECT_EQ(ran(question + " --precision fp8_blockwise").err,
                  "error: settings.kernels.quantization: a100-sxm4-80gb has no matrix products in "
                  "fp8_blockwise\n  try: --precision bf16, or another GPU\n")
            << stack;
        EXPECT_EQ(ran(question + " --precision bf16").code, ExitCode::Ok) << stack;
    }
}

TEST(RefusedQuestion, IsNoneOfASmallCard) {
    for (const char* const card : {"3060",
                                   "3070",
                                   "3080",
                                   "4060",
                                   "rtx-4060-ti-8gb",
                                   "rtx-4060-ti-16gb",
                                   "RTX 4070",
                                   "4080",
                                   "5060-ti-8gb",
                                   "rtx5070ti",
                                   "geforce-rtx-5080",
                                   "RTX_A4000"}) {
        const ProgramOutput output =
            ran("explain -m gpt2 --gpus 1 --stack ddp --section all", {"--gpu", card});
        EXPECT_EQ(output.code, ExitCode::Ok) << card << output.err;
    }
}

/// 8 or 16 GB decide what fits.
TEST(RefusedQuestion, OfANameThatIsSoldInTwoSizesNamesBoth) {
    for (const std::string card : {"rtx-4060-ti", "RTX 5060 Ti", "v100"}) {
        const ProgramOutput output = ran("plan -m gpt2 --gpus 1", {"--gpu", card});
        EXPECT_EQ(output.code, ExitCode::BadInput) << card;
        const bool isVolta = card == "v100";
        EXPECT_NE(output.err.find(isVolta ? "-16gb\"" : "-ti-16gb\""), std::string::npos)
            << output.err;
        EXPECT_NE(output.err.find(isVolta ? "-32gb\"" : "-ti-8gb\""), std::string::npos)
            << output.err;
    }
}

/// AMD's cards have RCCL, and no NVLink.
TEST(RefusedQuestion, ForWantOfMemoryOfAnAmdCardNamesItsLibraries) {
    const std::string message = tempFolder() + "hip.txt";
    ASSERT_TRUE(writeTextFile(
        message,
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
        "capacity of 191.98 GiB of which 1.20 GiB is free. Of the allocated memory 180.00 GiB is "
        "allocated by PyTorch, and 5.00 GiB is reserved by PyTorch but unallocated.\n"));
    const ProgramOutput output =
        ran("oom -m llama-3.1-70b -c mi300x-8 --stack fsdp2 --message " + message);
    EXPECT_NE(output.out.find("HIP context, RCCL's buffers"), std::string::npos) << output.out;
    EXPECT_EQ(output.out.find("NVL"), std::string::npos) << output.out;
}

struct Refusal {
    std::string line;
    std::string text;  ///< what standard error begins with
};

TEST(RefusedQuestion, NamesTheFlagThatItIsAboutAndAnExampleOfIt) {
    const std::string run = " -m llama-3.1-8b -c dgx-h100 -n 1 ";
    const std::string layers =
        "settings.train: 999 layers are more than the 32 of llama-3.1-8b\n"
        "  try: --train last:32\n";
    const std::string size = "size" + run + "--global-batch 64 --tokens 1B ";
    const Refusal refusals[] = {
        {"plan" + run + "--train last:999", "--train: " + layers},
        {"advise" + run + "--train last:999", "--train: " + layers},
        {"explain" + run + "--stack ddp --train last:999", "--train: " + layers},
        {"collective all_reduce 0 -c dgx-h100", "size: \"0\" has no unit\n  try: all_reduce 1GB\n"},
        {"collective all_reduce 1 -c dgx-h100", "size: \"1\" has no unit\n  try: all_reduce 1MB\n"},
        {"collective all_reduce 1e18 -c dgx-h100",
         "size: \"1e18\" has no unit\n  try: all_reduce 1GB\n"},
        {"collective all_reduce 1e18GB -c dgx-h100",
         "size: \"1e18GB\" does not fit 64 bits\n  try: all_reduce 1GB\n"},
        {"collective all_gather 1e9GB -c dgx-h100",
         "size: is more than a tensor has, at most 1000TB\n  try: all_gather 1000TB\n"},
        {"collective all_reduce 1GB -c dgx-h100 --fabric ib-nrd",
         "--fabric: no fabric is called \"ib-nrd\"\n  try: did you mean \"ib-ndr\"?\n"},
        {"plan" + run + "--fabric ib-nrd",
         "--fabric: no fabric is called \"ib-nrd\"\n  try: did you mean \"ib-ndr\"?\n"},
        {size + "--fabric ib-nrd",
         "--fabric: no fabric is called \"ib-nrd\"\n  try: did you mean \"ib-ndr\"?\n"},
        {size + "--utilisation 0",
         "--utilisation: \"0\" is not a share above 0\n  try: --utilisation 80%\n"},
        {size + "--target budget=-1",
         "--target budget: \"-1\" is negative\n  try: --target budget=2M\n"},
        {"plan" + run + "--sites 2 --wan 1bps",
         "--wan: \"wan\" must be at least 1 B/s\n  try: \"100 Gbps\"\n"},
        {"plan" + run + "--target step=-1",
         "--target step: \"-1\" is negative\n  try: --target step=2.5s\n"},
        {"plan" + run + "--layout tp=banana",
         "--layout: \"tp\" must be a whole number from 1 to 1048576, not \"banana\"\n"
         "  try: --layout tp=2\n"},
        {"plan" + run + "--set layout.tp=banana",
         "--set layout.tp: \"tp\" must be a whole number from 1 to 1048576, not \"banana\"\n"
         "  try: --set layout.tp=2\n"},
        {"plan" + run + "--layout sp=banana",
         "--layout: \"sp\" must be on or off, not \"banana\"\n  try: --layout sp=on\n"}};
    for (const Refusal& one : refusals) {
        const ProgramOutput output = ran(one.line);
        EXPECT_EQ(output.err, "error: " + one.text) << one.line;
        EXPECT_EQ(output.code, ExitCode::BadInput) << one.line;
    }
}

/// What the refusal says to type is simulated.
TEST(RefusedQuestion, OfABatchNamesOneThatIsSimulated) {
    const std::string run = "simulate -m gpt2 -c dgx-h100 --stack fsdp2 --global-batch ";
    for (const char* const batch : {"16000000", "1600000"}) {
        const std::string refused = ran(run + batch).err;
        EXPECT_EQ(refused.find("error: --global-batch: workload.global_batch: "), 0U) << refused;
        const std::string hint = "  try: --global-batch ";
        const std::size_t typed = refused.find(hint);
        ASSERT_NE(typed, std::string::npos) << refused;
        const std::size_t number = typed + hint.size();
        const std::string fewer = refused.substr(number, refused.find(',') - number);
        EXPECT_EQ(ran(run + fewer).code, ExitCode::Ok) << fewer;
    }
}

}  // namespace
}  // namespace fabricast
