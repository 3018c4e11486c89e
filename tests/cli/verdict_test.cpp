#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/typed_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

Words about(const std::string& cluster, const Words& more, const std::string& command) {
    Words words = {command,
                   "-m",
                   "llama-3.1-8b",
                   "-c",
                   cluster,
                   "--stack",
                   "fsdp2",
                   "--seq",
                   "4096",
                   "--global-batch",
                   "8"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

ProgramOutput ranOn(const std::string& cluster,
                    const Words& more,
                    const std::string& command = "explain") {
    return runProgram(about(cluster, more, command), {});
}

/// Whatever is asked about a layout, its first line begins with whether it fits, and a script
/// reads the same from the status.
TEST(Verdict, BeginsEveryAnswer) {
    const std::vector<std::pair<std::string, Words>> questions = {
        {"explain", {}},
        {"explain", {"--section", "time"}},
        {"explain", {"--section", "comm"}},
        {"explain", {"--section", "cost"}},
        {"explain", {"--sensitivity"}},
        {"simulate", {}}};
    for (const auto& [command, more] : questions) {
        const ProgramOutput fits = ranOn("dgx-h100", more, command);
        EXPECT_TRUE(fits.out.starts_with("FITS  ")) << command << fits.out.substr(0, 200);
        EXPECT_EQ(fits.code, ExitCode::Ok);
        const ProgramOutput not_ = ranOn("8x-rtx-4090", more, command);
        EXPECT_TRUE(not_.out.starts_with("DOES NOT FIT  ")) << command << not_.out.substr(0, 200);
        EXPECT_EQ(not_.code, ExitCode::DoesNotFit);
    }
}

TEST(Verdict, IsInJsonWithoutASectionAboutMemory) {
    const ProgramOutput output = ranOn("8x-rtx-4090", {"--section", "time", "-f", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    EXPECT_EQ(root->find("verdict")->text(), "does_not_fit");
    EXPECT_EQ(root->find("memory"), nullptr);
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
}

/// Where something fits and is not what was asked for there is a reason instead.
TEST(Verdict, OfAdviceAndSizesIsOfWhatIsRecommended) {
    const auto verdictOf = [](const std::string& line) {
        const ProgramOutput output = runProgram(typedWords(line), {});
        const JsonValue root = parseJson(output.out, "out").value();
        const JsonValue& verdict = *root.find("verdict");
        return verdict.is(JsonValue::Kind::Null) ? root.find("verdict_why")->text().value()
                                                 : verdict.text().value();
    };
    const std::string run = " --seq 4096 --global-batch 64 --stack fsdp2 -f json ";
    const std::string large = "-m llama-3.1-405b -c 8x-rtx-4090" + run + "--forbid offload";
    EXPECT_EQ(verdictOf("advise -m llama-3.2-1b -c dgx-h100 -f json --seq 4096 --global-batch 64"),
              "fits");
    EXPECT_EQ(verdictOf("advise -m llama-3.1-405b -c 4x-rtx-4090 -f json --seq 4096 --global-batch "
                        "64 --host-memory 64GB --nvme 1GB"),
              "does_not_fit");
    EXPECT_EQ(verdictOf("size -m llama-3.2-1b -c dgx-h100 -n 1,2" + run), "fits");
    EXPECT_EQ(verdictOf("size -n 1 " + large), "does_not_fit");
    EXPECT_EQ(
        verdictOf("size -m llama-3.2-1b -c dgx-h100 -n 1 --tokens 1T --target days=0.1" + run),
        "no cluster of the catalogue reaches 0.1 days");
}

TEST(Verdict, OfAPlanIsItsFirstWord) {
    EXPECT_TRUE(ranOn("dgx-h100", {}, "plan").out.starts_with("FITS  llama-3.1-8b on"));
    const ProgramOutput missed = ranOn("dgx-h100", {"--target", "tokens-per-s=1T"}, "plan");
    EXPECT_TRUE(missed.out.starts_with("MISSED  "));
    EXPECT_EQ(missed.code, ExitCode::DoesNotFit);
}

TEST(Verdict, LikelyIsExplainedAndCanBeAskedAway) {
    const auto with = [](Words more) {
        Words words = {
            "explain", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--stack", "fsdp2", "--seq", "6656"};
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words, {});
    };
    const ProgramOutput unsure = with({});
    EXPECT_TRUE(unsure.out.starts_with("LIKELY FITS  ")) << unsure.out;
    EXPECT_EQ(unsure.code, ExitCode::Ok);
    const std::size_t words =
        unsure.out.find("likely fits: with more memory the caching allocator would hold ");
    ASSERT_NE(words, std::string::npos) << unsure.out;
    // Fewer gaps come first.
    const std::size_t fix =
        unsure.out.find("\n  --set settings.allocator=expandable_segments: ", words);
    EXPECT_NE(fix, std::string::npos) << unsure.out;
    EXPECT_LT(fix, unsure.out.find("recompute=full: ", words));
    EXPECT_TRUE(with({"--reserve", "10%"}).out.starts_with("FITS  "));
    const ProgramOutput much = with({"--reserve", "0.2"});
    EXPECT_TRUE(much.out.starts_with("DOES NOT FIT  ")) << much.out << much.err;
    EXPECT_NE(much.out.find("of 79.19 GiB less 20 %"), std::string::npos) << much.out;
    EXPECT_EQ(with({"--reserve", "10"}).code, ExitCode::BadInput);
    EXPECT_EQ(with({"--reserve", "95%"}).code, ExitCode::BadInput);
}

/// Fewer gaps that leave the verdict and its worst where they were are no way out.
TEST(Verdict, OffersNoSegmentsThatChangeNothing) {
    const std::string asked =
        "explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 7168 --set "
        "settings.allocator=";
    const std::string out = ran(asked + "default").out;
    EXPECT_TRUE(out.starts_with("LIKELY FITS  ")) << out;
    EXPECT_EQ(out.find("expandable_segments: "), std::string::npos) << out;
    EXPECT_TRUE(ran(asked + "expandable_segments").out.starts_with("LIKELY FITS  "));
}

/// A way out that takes a key along does not end the answer where the key cannot stay.
TEST(Verdict, OffersExpandableSegmentsInPlaceOfALimitOnSplitting) {
    const ProgramOutput limited =
        runProgram(typedWords("explain -m llama-3.1-8b -c dgx-h100 --stack megatron --seq 8192 "
                              "--layout recompute=full --set settings.max_split_size_mb=256"),
                   {});
    EXPECT_TRUE(limited.err.empty()) << limited.err;
    EXPECT_NE(limited.out.find("LIKELY FITS  "), std::string::npos) << limited.out;
}

/// Smaller batches of an evaluation are more of them, all of which are kept.
TEST(Verdict, KeepsAsManyLogitsInSmallerBatches) {
    const ProgramOutput output = runProgram(
        typedWords("explain -m llama-3.2-1b --gpu rtx-4090 --gpus 1 --stack accelerate --seq 2048 "
                   "--layout recompute=full --set settings.phases.evaluation_batch=8 --set "
                   "settings.phases.kept_logits=2"),
        {});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.out << output.err;
    EXPECT_NE(output.out.find("settings.phases.kept_logits=0: "), std::string::npos) << output.out;
    EXPECT_EQ(output.out.find("\n  --set settings.phases.evaluation_batch="), std::string::npos)
        << output.out;
}

/// What is free in the allocator's hands goes back to a GPU that is short of memory: no worst case.
/// What lies in segments with a tensor in them stays: it decides what is likely.
TEST(Verdict, IsOfWhatTheAllocatorCannotGiveBack) {
    const auto answer = [](const std::string& model, const Words& more) {
        Words words = {"explain",
                       "-m",
                       model,
                       "--stack",
                       "fsdp2",
                       "--optimizer",
                       "adamw_8bit",
                       "--layout",
                       "recompute=full",
                       "--seq",
                       "8192",
                       "-f",
                       "json"};
        words.insert(words.end(), more.begin(), more.end());
        return parseJson(runProgram(words, {}).out, "out").value();
    };
    const JsonValue large = answer("llama-3.1-70b", {"-c", "dgx-h100", "-n", "2"});
    EXPECT_EQ(large.find("verdict")->text(), "likely");
    const auto bytes = [](const JsonValue& root, const std::string& key) {
        const JsonValue& memory = *root.find("memory");
        const JsonValue* peak = memory.find("peak_bytes")->find(key);
        return (peak != nullptr ? peak : memory.find(key))->number(0, 1e15).value();
    };
    EXPECT_EQ(bytes(large, "hi"), bytes(large, "capacity_bytes"));
    const JsonValue tight = answer("llama-3.1-8b", {"-c", "8x-rtx-4090"});
    EXPECT_EQ(tight.find("verdict")->text(), "unlikely");
    EXPECT_LT(bytes(tight, "value"), bytes(tight, "capacity_bytes"));
}

/// A type that the GPU does not multiply in is no fit, whatever is asked. Where none is typed, it
/// is one that it does.
TEST(Verdict, DoesNotFitWhatTheGpuCannotRun) {
    for (const std::string command : {"explain", "plan", "advise"}) {
        const Words words = {command, "-m", "gpt2", "-c", "aws-p3", "--seq", "1024"};
        Words brain = words;
        brain.insert(brain.end(), {"--precision", "bf16"});
        const ProgramOutput output = runProgram(brain, {});
        EXPECT_EQ(output.code, ExitCode::BadInput) << command << output.out;
        EXPECT_NE(output.err.find("v100-sxm2-16gb has no matrix products in bf16\n  try: "
                                  "--precision fp16"),
                  std::string::npos)
            << output.err;
        const ProgramOutput usual = runProgram(words, {});
        EXPECT_EQ(usual.code, ExitCode::Ok) << command;
        EXPECT_NE(usual.out.find("assumed: precision fp16 (v100-sxm2-16gb does not multiply in "
                                 "bf16)"),
                  std::string::npos)
            << usual.out;
    }
}

/// What one layout does not fit by does not become unknown because others are not modelled.
TEST(Verdict, IsTheSameOfASearchOfWhichAPartIsNotModelled) {
    const auto evaluated = [](const std::string& command) {
        return ran(command +
                   " -m llama-3.1-8b -c dgx-h100 --gpus 8 --seq 131072 --global-batch 64 --set "
                   "settings.phases.evaluation_batch=8 --set layout.offload=none");
    };
    const ProgramOutput one = evaluated("explain --stack accelerate");
    EXPECT_TRUE(one.out.starts_with("DOES NOT FIT  ")) << one.out << one.err;
    EXPECT_EQ(one.code, ExitCode::DoesNotFit);
    const ProgramOutput all = evaluated("plan --stack accelerate");
    EXPECT_TRUE(all.out.starts_with("DOES NOT FIT  ")) << all.out << all.err;
    EXPECT_NE(all.out.find(" layouts that may fit are not modelled: an evaluation is not "),
              std::string::npos)
        << all.out;
    EXPECT_EQ(all.code, ExitCode::DoesNotFit);
    const ProgramOutput advised = evaluated("advise");
    EXPECT_NE(advised.out.find("does not fit 79.2 GiB; "), std::string::npos) << advised.out;
    EXPECT_EQ(advised.code, ExitCode::DoesNotFit);
    // Half the stacks are not modelled at all: what is modelled is too large.
    const ProgramOutput sized = evaluated("size");
    EXPECT_NE(sized.out.find("does not fit: "), std::string::npos) << sized.out << sized.err;
    EXPECT_EQ(sized.code, ExitCode::DoesNotFit);
}

/// "Not modelled" is an answer of its own, and fits nothing.
TEST(Verdict, WhatIsNotModelledIsNotSaidNotToFit) {
    const auto qlora = [](Words more) {
        Words words = {"plan", "--seq", "2048", "--global-batch", "16", "--tuning", "qlora"};
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words, {});
    };
    const ProgramOutput one = qlora({"-m", "llama-3.1-8b", "--gpu", "rtx-4090", "--gpus", "1"});
    EXPECT_TRUE(one.out.starts_with("FITS  ")) << one.out << one.err;
    const ProgramOutput axolotl =
        qlora({"-m", "llama-3.1-8b", "--gpu", "rtx-4090", "--gpus", "1", "--stack", "axolotl"});
    EXPECT_TRUE(axolotl.out.starts_with("FITS  ")) << axolotl.out << axolotl.err;
    const ProgramOutput small = qlora(
        {"-m", "llama-3.1-405b", "-c", "4x-rtx-4090", "--stack", "fsdp2", "--forbid", "offload"});
    EXPECT_TRUE(small.out.starts_with("DOES NOT FIT  ")) << small.out;
    const ProgramOutput sharded =
        qlora({"-m", "llama-4-scout", "-c", "4x-rtx-4090", "--stack", "axolotl", "--fix", "ep=2"});
    EXPECT_TRUE(sharded.out.starts_with("NOT MODELLED  ")) << sharded.out;
    EXPECT_NE(sharded.out.find("not modelled: axolotl"), std::string::npos) << sharded.out;
    EXPECT_EQ(sharded.code, ExitCode::BadInput);
    // An answer all the same, in every form.
    const ProgramOutput json = qlora({"-m",
                                      "llama-4-scout",
                                      "-c",
                                      "4x-rtx-4090",
                                      "--stack",
                                      "axolotl",
                                      "--fix",
                                      "ep=2",
                                      "-f",
                                      "json"});
    EXPECT_EQ(json.code, ExitCode::BadInput);
    EXPECT_EQ(json.err, "");
    EXPECT_NE(json.out.find("\"verdict_why\": \"not modelled: "), std::string::npos) << json.out;
    const ProgramOutput advice = runProgram({"advise",
                                             "-m",
                                             "llama-4-scout",
                                             "-c",
                                             "dgx-h100",
                                             "--seq",
                                             "16384",
                                             "--global-batch",
                                             "64"},
                                            {});
    EXPECT_NE(advice.out.substr(0, advice.out.find('\n')).find(" not modelled: "),
              std::string::npos)
        << advice.out;
}

TEST(Verdict, OfABudgetSaysHowFarItGoes) {
    const ProgramOutput output = runProgram({"advise",
                                             "-m",
                                             "gpt2",
                                             "-c",
                                             "dgx-h100",
                                             "--seq",
                                             "1024",
                                             "--global-batch",
                                             "64",
                                             "--tokens",
                                             "1T",
                                             "--max-usd",
                                             "100"},
                                            {});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.err;
    EXPECT_TRUE(output.out.starts_with("ADVICE  nothing costs at most $100: the cheapest is "))
        << output.out;
    EXPECT_NE(output.out.find("$100 trains "), std::string::npos) << output.out;
    EXPECT_EQ(output.out.find("e+0"), std::string::npos) << output.out;
}

/// What is asked for and would do nothing is refused, with what was meant.
TEST(Verdict, IsNotGivenPastWhatWasAskedFor) {
    const std::pair<Words, const char*> asks[] = {
        {{"plan", "-m", "gpt2", "-c", "dgx-h100", "--lora-rank", "16"}, "--tuning lora"},
        {{"explain", "-m", "gpt2", "-c", "dgx-h100", "--lora-rank", "4", "--tuning", "full"},
         "--tuning lora"},
        {{"topology", "-c", "dgx-h100", "-n", "2", "--wan", "100Gb/s"}, "--sites 2"}};
    for (const auto& [words, hint] : asks) {
        const ProgramOutput output = runProgram(words, {});
        EXPECT_EQ(output.code, ExitCode::BadInput) << words.front();
        EXPECT_NE(output.err.find(hint), std::string::npos) << output.err;
    }
    for (const Words& words : {Words{"explain",
                                     "-m",
                                     "gpt2",
                                     "-c",
                                     "dgx-h100",
                                     "--stack",
                                     "ddp",
                                     "--tuning",
                                     "lora",
                                     "--lora-rank",
                                     "4"},
                               Words{"schedule", "interleaved", "--stack", "megatron"}}) {
        const ProgramOutput output = runProgram(words, {});
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    }
}

/// A plan whose expected memory is more than there is, is not what a safer one is compared with.
TEST(Verdict, UnlikelyPlansComeLast) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "llama-3.1-8b",
                                             "-c",
                                             "dgx-h100",
                                             "--seq",
                                             "8160",
                                             "--global-batch",
                                             "16",
                                             "--stack",
                                             "fsdp2"},
                                            {});
    EXPECT_NE(output.out.find("80.3??"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("?? unlikely to fit"), std::string::npos);
    EXPECT_EQ(output.out.find("the price of safety"), std::string::npos) << output.out;
}

/// Both may need all that the device has; what they would take beyond it is the price.
TEST(Verdict, SafetysPriceIsInWhatLayoutsWouldTakeOfAnyDevice) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "llama-3.2-1b",
                                             "--gpu",
                                             "rtx-3060",
                                             "--gpus",
                                             "1",
                                             "--seq",
                                             "2048",
                                             "--global-batch",
                                             "16"},
                                            {});
    EXPECT_NE(output.out.find("the price of safety: 1 is "), std::string::npos) << output.out;
    EXPECT_EQ(output.out.find(" 0.0 GiB more"), std::string::npos) << output.out;
}

TEST(Verdict, WhatIsNoFasterIsNoPriceOfSafety) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "llama-3.1-8b",
                                             "--gpu",
                                             "rtx-4090",
                                             "--gpus",
                                             "1",
                                             "--tuning",
                                             "qlora",
                                             "--stack",
                                             "axolotl",
                                             "--seq",
                                             "2048",
                                             "--global-batch",
                                             "16"},
                                            {});
    EXPECT_TRUE(output.out.starts_with("FITS")) << output.out;
    EXPECT_EQ(output.out.find("the price of safety"), std::string::npos) << output.out;
}

TEST(Verdict, CountsNoLayoutsOfStacksThatAreExcluded) {
    const auto plan = [](const std::vector<std::string>& stacks) {
        Words words = {"plan",
                       "-m",
                       "llama-3.2-1b",
                       "-c",
                       "8x-rtx-4090",
                       "--seq",
                       "1024",
                       "--global-batch",
                       "8",
                       "--set",
                       "settings.reference=whole"};
        for (const std::string& stack : stacks) {
            words.insert(words.end(), {"--stack", stack});
        }
        return runProgram(words, {}).out;
    };
    const auto countLine = [](const std::string& text) {
        const std::size_t begin = text.find('\n') + 1;
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    const std::string both = plan({"fsdp2", "torchtitan"});
    EXPECT_NE(both.find("not modelled: torchtitan "), std::string::npos) << both;
    EXPECT_NE(both.find("ddp and fsdp2, not under torchtitan"), std::string::npos) << both;
    EXPECT_EQ(countLine(both), countLine(plan({"fsdp2"})));
}

/// What a framework does not take was never too large.
TEST(Verdict, OfSettingsThatNoStackTakes) {
    const std::vector<std::string> asked = {"plan",
                                            "-m",
                                            "llama-3.1-8b",
                                            "--gpu",
                                            "rtx-4090",
                                            "--gpus",
                                            "1",
                                            "--tuning",
                                            "qlora",
                                            "--stack",
                                            "torchtitan"};
    const ProgramOutput text = runProgram(asked, {});
    EXPECT_EQ(text.code, ExitCode::BadInput);
    EXPECT_TRUE(text.out.starts_with("REFUSED  llama-3.1-8b ")) << text.out;
    EXPECT_NE(text.out.find("excluded: torchtitan: torchtitan has no nf4 base"), std::string::npos);
    std::vector<std::string> inJson = asked;
    inJson.insert(inJson.end(), {"-f", "json"});
    const auto root = parseJson(runProgram(inJson, {}).out, "out");
    ASSERT_TRUE(root);
    EXPECT_TRUE(root->find("verdict")->is(JsonValue::Kind::Null));
}

/// What does not fit the host's memory was taken by a framework, whatever others take.
TEST(Verdict, OfTooLittleHostMemoryIsNoRefusal) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "llama-3.1-70b",
                                             "--gpu",
                                             "rtx-4090",
                                             "--gpus",
                                             "8",
                                             "--host-memory",
                                             "64GiB",
                                             "--fix",
                                             "shard=zero3,offload=optimizer_cpu"},
                                            {});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.out;
    EXPECT_TRUE(output.out.starts_with("DOES NOT FIT  ")) << output.out;
}

/// No stack has to be named for adapters.
TEST(Verdict, OfAdaptersUnderTheStackThatTrainsThem) {
    const auto out = [](const char* command, const char* gpus) {
        return runProgram({command,
                           "-m",
                           "llama-3.2-1b",
                           "--gpu",
                           "l4",
                           "--gpus",
                           gpus,
                           "--tuning",
                           "qlora"},
                          {})
            .out;
    };
    for (const char* command : {"explain", "simulate"}) {
        EXPECT_NE(out(command, "4").find("assumed: stack fsdp2 (default)"), std::string::npos)
            << out(command, "4");
        EXPECT_NE(out(command, "1").find("assumed: stack ddp (default)"), std::string::npos)
            << out(command, "1");
    }
}

/// A stack that would quantise a 4-bit base twice adapts one of 16 bits too, and its answer can be
/// asked again.
TEST(Verdict, OfAdaptersOverBf16UnderEveryStackThatHasThem) {
    for (const char* stack : {"ddp", "fsdp2", "accelerate", "axolotl"}) {
        const auto explained = [&](std::vector<std::string> more) {
            std::vector<std::string> all = {"explain", "-m", "llama-3.2-1b"};
            all.insert(all.end(), {"--gpu", "rtx-4090", "--gpus", "1", "--tuning", "lora"});
            all.insert(all.end(), {"--stack", stack});
            all.insert(all.end(), more.begin(), more.end());
            return runProgram(all, {});
        };
        const ProgramOutput text = explained({});
        EXPECT_EQ(text.code, ExitCode::Ok) << stack << text.err;
        EXPECT_NE(text.out.find("LoRA rank 16 over bf16,"), std::string::npos) << text.out;
        const std::string answer = tempFolder() + stack + ".json";
        EXPECT_EQ(explained({"-f", "json", "-o", answer}).code, ExitCode::Ok);
        const ProgramOutput again = runProgram({"explain", answer}, {});
        EXPECT_EQ(again.code, ExitCode::Ok) << stack << again.err;
        const ProgramOutput typed = explained({"--set", "settings.lora.double_quantization=true"});
        EXPECT_EQ(typed.code, ExitCode::BadInput) << stack << typed.out;
    }
}

/// What a stack would do with adapters does not stand in the way of full training.
TEST(Verdict, OfFullTrainingUnderEveryStack) {
    for (const char* stack : {"ddp",
                              "fsdp1",
                              "fsdp2",
                              "deepspeed",
                              "megatron",
                              "megatron-fsdp",
                              "nemo",
                              "torchtitan",
                              "accelerate",
                              "axolotl"}) {
        for (const char* command : {"plan", "explain"}) {
            const ProgramOutput output = runProgram({command,
                                                     "-m",
                                                     "llama-3.2-1b",
                                                     "-c",
                                                     "dgx-h100",
                                                     "--seq",
                                                     "2048",
                                                     "--stack",
                                                     stack},
                                                    {});
            EXPECT_EQ(output.code, ExitCode::Ok) << command << " " << stack << output.err;
            EXPECT_TRUE(output.out.starts_with("FITS  ")) << output.out;
        }
    }
}

}  // namespace
}  // namespace fabricast
