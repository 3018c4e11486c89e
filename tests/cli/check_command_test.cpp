#include "planner/text/text_files.h"
#include "tests/support/golden.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace fabricast {
namespace check_command_test {

/// A folder with a scenario that fits, what it was before, and one that does not fit.
class CheckCommand : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::remove_all(folder());  // what another test of this program left
        write("run.json",
              R"({
  "model": "llama-3.1-8b",
  "cluster": "dgx-h100",
  "stack": "fsdp2",
  "workload": {"sequence": 8192, "global_batch": 16},
  "layout": "recompute=full",
  "require": [
    "fits surely",
    "tokens_per_s >= 1k",
    "usd_per_mtok <= 0.001 : warn"
  ]
})");
        write("small.json",
              R"({
  "model": "llama-3.1-8b",
  "cluster": "8x-rtx-4090",
  "stack": "fsdp2",
  "workload": {"sequence": 4096, "global_batch": 16},
  "require": ["fits"]
})");
    }

    static std::string folder() { return tempFolder() + "check"; }
    static void write(const std::string& name, const std::string& text) {
        const std::filesystem::path path = std::filesystem::path(folder()) / name;
        std::filesystem::create_directories(path.parent_path());
        ASSERT_TRUE(writeTextFile(path.string(), text));
    }
    static std::string read(const std::string& name) {
        return readTextFile(folder() + "/" + name).value_or("");
    }
    /// Without the folder, which has another name in each run, and what follows from that name.
    static std::string relative(std::string text) {
        static const std::regex kFingerprint("\"[0-9a-f]{16}\"");
        text = std::regex_replace(text, kFingerprint, "\"of 64 bits\"");
        const std::string prefix = folder() + "/";
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
            text.erase(at, prefix.size());
        }
        return text;
    }
    /// The command, typed in the folder.
    static ProgramOutput check(const std::string& line, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"-C", folder()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ran("check " + line, arguments);
    }
};

TEST_F(CheckCommand, SaysWhatHoldsInTheFirstLineAndInItsExitCode) {
    const ProgramOutput good = check("run.json");
    EXPECT_EQ(good.code, ExitCode::Ok) << good.out;
    EXPECT_TRUE(good.out.starts_with("pass  run.json  3 requirements: 1 warning\n")) << good.out;
    const ProgramOutput bad = check("small.json");
    EXPECT_EQ(bad.code, ExitCode::DoesNotFit);
    EXPECT_TRUE(bad.out.starts_with("FAIL  small.json")) << bad.out;
    EXPECT_NE(bad.out.find("may mend: --layout recompute=full"), std::string::npos) << bad.out;
    EXPECT_EQ(check("small.json --no-fail").code, ExitCode::Ok);
}

// With flags that the fix changes.
TEST_F(CheckCommand, AFixHoldsBehindTheCommandThatItMends) {
    const std::string line =
        "run.json -c 8x-rtx-4090 -n 1 --layout micro_batch=2 --set "
        "settings.kernels.loss=huggingface "
        "--require tokens_per_s>=2k";
    const ProgramOutput bad = check(line);
    ASSERT_EQ(bad.code, ExitCode::DoesNotFit) << bad.out << bad.err;
    const std::regex fix("\\n(?:fix|may mend): (.*?)(?:, in the file|: )");
    int fixes = 0;
    for (std::sregex_iterator one(bad.out.begin(), bad.out.end(), fix), end; one != end; ++one) {
        const ProgramOutput good = check(line + " " + (*one)[1].str());
        EXPECT_NE(good.code, ExitCode::DoesNotFit) << (*one)[1].str() << good.out;
        EXPECT_EQ(good.err, "") << (*one)[1].str();
        ++fixes;
    }
    EXPECT_GT(fixes, 0) << bad.out;
}

// A flag that --set replaced is typed all the same, and cannot be typed again.
TEST_F(CheckCommand, AFixHoldsBehindAFlagThatSetReplaced) {
    for (const char* flags : {"-c 8x-rtx-4090 -n 2 --set cluster.nodes=1",
                              "-c 8x-rtx-4090 -n 1 --set cluster.gpus=8",
                              "-c 8x-rtx-4090 --layout recompute=full --set layout.recompute=none",
                              "-c dgx-h200 -n 4 --set cluster={\"name\":\"8x-rtx-4090\"}"}) {
        const std::string line = "run.json --require tokens_per_s>=8k " + std::string(flags);
        const ProgramOutput bad = check(line);
        ASSERT_EQ(bad.code, ExitCode::DoesNotFit) << bad.out << bad.err;
        const std::regex fix("\n(?:fix|may mend|nothing mends all; nearest): (.*?): ");
        int fixes = 0;
        for (std::sregex_iterator one(bad.out.begin(), bad.out.end(), fix), end; one != end;
             ++one) {
            const std::string typed = line + " " + (*one)[1].str();
            EXPECT_EQ(check(typed).err, "") << typed;
            ++fixes;
        }
        EXPECT_GT(fixes, 0) << bad.out;
    }
}

// Of two changes in turn that name other GPUs the second is meant.
TEST_F(CheckCommand, AFixNamesNoChangeThatAnotherTakesBack) {
    const ProgramOutput answer = check(
        "-m llama-3.1-8b --stack deepspeed --layout shard=zero2,recompute=none -c "
        "8x-rtx-4090 -n 1 --seq 16384 --global-batch 32",
        {"--require", "fits surely", "--require", "tokens_per_s >= 100k"});
    EXPECT_NE(answer.out.find("other GPUs: "), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("; other GPUs: "), std::string::npos) << answer.out;
}

// What takes back every key of the file does no more than what takes back the one that changed.
TEST_F(CheckCommand, NoFixDoesWhatAnotherDoesWithFewerKeys) {
    write("before.json",
          R"({"model": "llama-3.1-8b", "cluster": {"name": "dgx-h100", "nodes": 2},
              "stack": "torchtitan", "workload": {"sequence": 8192, "global_batch": 64},
              "layout": "recompute=selective"})");
    const std::string job = folder() + "/job";
    ASSERT_EQ(ran("emit before.json", {"-C", folder(), "--out", job}).code, ExitCode::Ok);
    write("job/run.sh",
          std::regex_replace(read("job/run.sh"), std::regex("seq_len 8192"), "seq_len 32768"));
    const ProgramOutput answer =
        check("job/run.sh -c dgx-h100 -n 2 --baseline before.json --max-regression 2%");
    EXPECT_NE(answer.out.find("\nfix: --seq 8192, in the file "), std::string::npos)
        << answer.out << answer.err;
    EXPECT_EQ(answer.out.find("settings=null"), std::string::npos) << answer.out;
}

// Though what may mend takes less.
TEST_F(CheckCommand, WhatSurelyMendsIsOfferedToo) {
    const std::string line =
        "-m llama-3.1-8b -c dgx-h100 -n 2 --stack torchtitan --layout recompute=selective --seq "
        "8192 --global-batch 64 ";
    const std::vector<std::string> require = {"--require", "step_s <= 2.5 s"};
    const ProgramOutput slow = check(line, require);
    const std::regex fix("\nfix: (.*?): ");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(slow.out, found, fix)) << slow.out;
    EXPECT_EQ(check(line + found[1].str(), require).code, ExitCode::Ok) << found[1].str();
    EXPECT_LT(slow.out.find("\nfix: "), slow.out.find("\nmay mend: ")) << slow.out;
}

TEST_F(CheckCommand, AFileThatLooksLikeAFlagIsOneBehindTwoHyphens) {
    write("-n.json", read("run.json"));
    const ProgramOutput one = check("", {"--", "-n.json"});
    EXPECT_EQ(one.code, ExitCode::Ok) << one.err;
    const ProgramOutput two = check("run.json", {"--", "-n.json"});
    EXPECT_EQ(two.code, ExitCode::Ok) << two.err;
    EXPECT_NE(two.out.find("2 scenarios"), std::string::npos) << two.out;
    const ProgramOutput wrong = check("--uncertain maybe", {"--", "run.json"});
    EXPECT_TRUE(wrong.err.starts_with("error: --uncertain: cannot be \"maybe\"")) << wrong.err;
    const ProgramOutput twice = check("--seq 4k --seq 8k", {"--", "run.json"});
    EXPECT_TRUE(twice.err.starts_with("error: --seq: is given twice")) << twice.err;
    for (const char* flag : {"-o", "--baseline"}) {
        const ProgramOutput open =
            runProgram({"check", "-C", folder(), "run.json", flag, "--", "-n.json"}, {});
        EXPECT_TRUE(open.err.starts_with("error: " + std::string(flag) +
                                         ": needs a value in front of --\n"))
            << open.out << open.err;
    }
    EXPECT_EQ(check("run.json -q", {"--", "-n.json"}).code, ExitCode::Ok);
    const ProgramOutput next = ran("explain --no-fail", {"-C", folder(), "--", "-n.json"});
    EXPECT_NE(next.out.find("\nnext: fabricast explain ./-n.json "), std::string::npos)
        << next.out << next.err;
}

TEST_F(CheckCommand, TheLengthOfTheRunIsAnInputThatMayDiffer) {
    const ProgramOutput answer = check("run.json --baseline run.json --tokens 100B",
                                       {"--require", "days <= baseline * 1.1"});
    EXPECT_NE(answer.out.find("\n  workload.tokens default -> 100B"), std::string::npos)
        << answer.out;
}

// Also what held before the change, and which memory it is that lacks.
TEST_F(CheckCommand, NamesWhatWasTypedAsItWasTyped) {
    const std::string run = folder() + "/run.json";
    const ProgramOutput kept =
        runProgram({"check", run, "--baseline", run, "--max-regression", "7%", "-f", "json"}, {});
    EXPECT_NE(kept.out.find("\"tokens_per_s >= baseline * 0.93\""), std::string::npos) << kept.out;
    const ProgramOutput gpus = runProgram({"check", run, "-n", "4", "--gpus", "8"}, {});
    EXPECT_EQ(gpus.err.find("error: --gpus: 4 nodes of 8 are not 8 GPUs\n"), 0U) << gpus.err;
    const ProgramOutput share = runProgram({"check", run, "--require", "mem_peak_frac <= 1.3"}, {});
    EXPECT_NE(share.err.find("try: --require 'mem_peak_frac <= 92%'"), std::string::npos)
        << share.err;
}

TEST_F(CheckCommand, TheNearestChangeSaysAllThatFails) {
    write("train.toml",
          "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 2\n"
          "seq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = -1\n"
          "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"op\"\n"
          "[compile]\nenable = true\n");
    const std::string nearest = "nothing mends all; nearest: ";
    const ProgramOutput slow = check("train.toml -c 8x-l40s",
                                     {"--require", "fits surely", "--require", "mfu >= 30% @ p50"});
    const std::size_t line = slow.out.find(nearest);
    ASSERT_NE(line, std::string::npos) << slow.out;
    EXPECT_NE(slow.out.find("% (fails)", line), std::string::npos) << slow.out;
    const ProgramOutput host =
        check("-m llama-3.1-8b --gpu rtx-4090 --gpus 4 --stack fsdp2 --seq 4096 --global-batch 16",
              {"--require", "fits surely"});
    EXPECT_EQ(host.out.find("GiB (fails)"), std::string::npos) << host.out;
    EXPECT_NE(host.out.find(" fit: "), std::string::npos) << host.out;
    EXPECT_NE(host.out.find("host", host.out.find(" fit: ")), std::string::npos) << host.out;
}

TEST_F(CheckCommand, WhatNobodyCanTellIsAnExitCodeOfItsOwn) {
    const std::vector<std::string> straddles = {"--require", "tokens_per_s >= 45k"};
    EXPECT_EQ(check("run.json", straddles).code, ExitCode::CannotTell);
    EXPECT_EQ(check("run.json --uncertain pass", straddles).code, ExitCode::Ok);
    EXPECT_EQ(check("run.json --no-fail", straddles).code, ExitCode::Ok);
}

TEST_F(CheckCommand, TellsAChangedToolFromAChangedScenario) {
    const ProgramOutput missing = check("run.json --lock fabricast.lock");
    EXPECT_EQ(missing.code, ExitCode::BadInput);
    EXPECT_NE(missing.err.find("--lock fabricast.lock --update-lock"), std::string::npos);
    EXPECT_EQ(check("run.json --update-lock").code, ExitCode::BadInput);

    const ProgramOutput first = check("run.json --lock fabricast.lock --update-lock");
    EXPECT_EQ(first.code, ExitCode::Ok);
    EXPECT_EQ(first.err, "written: fabricast.lock: 1 scenario\n");
    EXPECT_EQ(check("run.json --lock fabricast.lock --update-lock").err,
              "written: fabricast.lock: 1 scenario, as before\n");
    const ProgramOutput same = check("run.json --lock fabricast.lock");
    EXPECT_EQ(same.out.find("since the lock"), std::string::npos) << same.out;
    const ProgramOutput changed =
        check("run.json --layout recompute=none --no-fail --lock fabricast.lock");
    EXPECT_NE(changed.out.find("since the lock: the scenario changed, the tool did not: "),
              std::string::npos)
        << changed.out;

    std::string older = read("fabricast.lock");
    const std::string step = "\"step_s\": ";
    older.insert(older.find(step) + step.size(), "1");
    const std::string version = "\"version\": \"";
    older.insert(older.find(version) + version.size(), "0.");
    write("fabricast.lock", older);
    const ProgramOutput tool = check("run.json --lock fabricast.lock");
    EXPECT_EQ(tool.code, ExitCode::Ok);
    EXPECT_NE(
        tool.out.find("since the lock: the scenario is the same, the tool changed (fabricast 0."),
        std::string::npos)
        << tool.out;
    EXPECT_NE(check("small.json --no-fail --lock fabricast.lock").out.find("not in the lock"),
              std::string::npos);
}

TEST_F(CheckCommand, ALockKnowsAScenarioByItsPlaceAndNotAsItWasTyped) {
    write("locks/.keep", "");
    const std::string lock = " --lock locks/all.lock";
    ASSERT_EQ(check("run.json --update-lock" + lock).code, ExitCode::Ok);
    EXPECT_NE(read("locks/all.lock").find("\"../run.json\""), std::string::npos);
    for (const std::string& name : {std::string("./run.json"), folder() + "/run.json"}) {
        const ProgramOutput same = check(name + lock);
        EXPECT_EQ(same.out.find("since the lock"), std::string::npos) << same.out;
    }
    const ProgramOutput twice = check("run.json ./run.json --update-lock" + lock);
    EXPECT_EQ(twice.err, "written: locks/all.lock: 1 scenario, as before\n");
}

TEST_F(CheckCommand, EveryReportSaysWhatIsWeakerThanInTheBaseline) {
    write("before.json", read("run.json"));
    std::string text = std::regex_replace(read("run.json"), std::regex("surely"), "");
    write("run.json", std::regex_replace(text, std::regex("\"tokens_per_s >= 1k\","), ""));
    const std::string line = "run.json --baseline before.json --report ";
    const std::string gone = "tokens_per_s >= 1k (before.json:9:5) is gone";
    const ProgramOutput answer = check("run.json --baseline before.json");
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.out;
    EXPECT_NE(relative(answer.out)
                  .find("\nweaker: fits surely (before.json:8:5) is now fits (run.json:8:5)\n"
                        "weaker: " +
                        gone + "\n"),
              std::string::npos)
        << answer.out;
    for (const char* form : {"md", "csv"}) {
        const ProgramOutput report = check(line + form + "=-");
        EXPECT_NE(relative(report.out).find(gone), std::string::npos) << report.out;
    }
    EXPECT_NE(check(line + "html=-").out.find("is gone"), std::string::npos);
    EXPECT_NE(check(line + "junit=-").out.find("<system-out>weaker: tokens_per_s &gt;= 1k"),
              std::string::npos);
    for (const char* form : {"github", "gitlab", "sarif"}) {
        EXPECT_NE(check(line + form + "=-").out.find("weaker: tokens_per_s"), std::string::npos);
    }
    EXPECT_NE(check(line + "json=-").out.find("\"now\": null"), std::string::npos);
    // Of several, those that hold say it too.
    EXPECT_NE(check("run.json before.json --baseline before.json").out.find("run.json: weaker: "),
              std::string::npos);
}

// What surely fits comes first, though it takes more changes than what likely does.
TEST_F(CheckCommand, WhatIsUnlikelyToFitMendsNothing) {
    const std::string line =
        "-m qwen3-30b-a3b -c dgx-h100 -n 2 --stack megatron --seq 8k --global-batch 256 ";
    const ProgramOutput answer = check(line, {"--require", "fits"});
    EXPECT_EQ(answer.out.find("unlikely to fit"), std::string::npos) << answer.out;
    std::smatch sure;
    const std::regex fix("\nfix: (--layout [^:]*): fits ");
    ASSERT_TRUE(std::regex_search(answer.out, sure, fix)) << answer.out;
    const std::size_t unsure = answer.out.find("\nmay mend: ");
    EXPECT_TRUE(unsure == std::string::npos || unsure > static_cast<std::size_t>(sure.position()))
        << answer.out;
    EXPECT_EQ(check(line + sure[1].str(), {"--require", "fits surely"}).code, ExitCode::Ok);
}

TEST_F(CheckCommand, WhereFewerGpusAreAskedForTheyAreTheFix) {
    write("two.json",
          std::regex_replace(
              read("run.json"), std::regex("\"dgx-h100\""), R"({"name": "dgx-h100", "nodes": 2})"));
    const ProgramOutput gpus = check("two.json", {"--require", "gpus <= 8"});
    EXPECT_NE(gpus.out.find("\nfix: -n 1: gpus 8 (fewer GPUs: a longer run)\n"), std::string::npos)
        << gpus.out << gpus.err;
    EXPECT_EQ(check("two.json -n 1", {"--require", "gpus <= 8"}).code, ExitCode::Ok);
    const ProgramOutput nodes = check("two.json", {"--require", "nodes <= 1"});
    EXPECT_NE(nodes.out.find("\nfix: -n 1: nodes 1 ("), std::string::npos) << nodes.out;
}

TEST_F(CheckCommand, EveryReasonToBeUnsureIsSaid) {
    const ProgramOutput both =
        check("run.json", {"--require", "days <= 3", "--require", "tokens_per_s >= 45k"});
    EXPECT_EQ(both.code, ExitCode::CannotTell);
    EXPECT_NE(both.out.find("unsure: a requirement lacks what"), std::string::npos) << both.out;
    EXPECT_NE(both.out.find("\"@ p50\" judges the middle"), std::string::npos) << both.out;
}

/// What a node is not known to have is named with the flag that states it, and no middle of the
/// forecast makes up for it.
TEST_F(CheckCommand, WhatIsNotKnownOfANodeIsNamedAndHasNoMiddle) {
    struct Unknown {
        std::string flags;
        std::string why;
        std::string stated;
    };
    for (const Unknown& one :
         {Unknown{"-m llama-3.3-70b -c 8x-rtx-4090 --stack deepspeed --seq 2048 --layout "
                  "shard=zero3,offload=parameters_nvme,recompute=full --host-memory 512GB",
                  "; NVMe space per node: 1.16 TiB needed, not known (--nvme states it)",
                  " --nvme 8TB"},
          Unknown{"-m llama-3.1-8b -c 8x-rtx-4090 --stack deepspeed --seq 2048 --layout "
                  "shard=zero3,offload=optimizer_cpu,recompute=full",
                  "; host memory per node: 135 GiB needed, not known (--host-memory states it)",
                  " --host-memory 512GB"}}) {
        for (const char* const require : {"fits", "fits @ p50", "fits @ p10"}) {
            const ProgramOutput unknown = ran("check " + one.flags, {"--require", require});
            EXPECT_EQ(unknown.code, ExitCode::CannotTell) << require;
            EXPECT_NE(unknown.out.find(one.why), std::string::npos) << unknown.out;
            EXPECT_EQ(unknown.out.find("the bound lies inside"), std::string::npos) << unknown.out;
        }
        const ProgramOutput surely = ran("check " + one.flags, {"--require", "fits surely"});
        EXPECT_EQ(surely.code, ExitCode::DoesNotFit);
        EXPECT_NE(surely.out.find(one.why), std::string::npos) << surely.out;
        const ProgramOutput stated =
            ran("check " + one.flags + one.stated, {"--require", "fits @ p50"});
        EXPECT_EQ(stated.code, ExitCode::Ok) << stated.out;
    }
}

TEST_F(CheckCommand, SaysOfEachOfSeveralWhatChangedSinceTheLock) {
    check("run.json small.json --no-fail --lock fabricast.lock --update-lock");
    write("run.json",
          std::regex_replace(
              read("run.json"), std::regex("\"sequence\": \\d+"), "\"sequence\": 2048"));
    write("more.json", read("run.json"));
    const std::string all = "run.json more.json --no-fail --lock fabricast.lock";
    const ProgramOutput changed = check(all);
    EXPECT_NE(
        changed.out.find("\nrun.json: since the lock: the scenario changed, the tool did not: "),
        std::string::npos)
        << changed.out;
    EXPECT_NE(changed.out.find("\nmore.json: since the lock: it is not in the lock"),
              std::string::npos);
    const ProgramOutput written = check(all + " --update-lock");
    EXPECT_EQ(written.out.find("not in the lock"), std::string::npos) << written.out;
    EXPECT_EQ(written.err,
              "written: fabricast.lock: 2 scenarios; new: more.json; changed: run.json; no longer "
              "in it: small.json\n");
    EXPECT_EQ(check(all + " --update-lock --quiet").err, "");
    EXPECT_EQ(check(all).out.find("since the lock"), std::string::npos);
}

TEST_F(CheckCommand, ABadRequirementIsNamedWithItsPlace) {
    write("typo.json",
          R"({"model": "llama-3.1-8b", "cluster": "dgx-h100", "stack": "fsdp2",
 "require": ["fits", "tokens_per_sec >= 1M"]})");
    const ProgramOutput output = check("typo.json");
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("typo.json:2:22"), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("did you mean \"tokens_per_s\""), std::string::npos) << output.err;
    const ProgramOutput flag = check("run.json", {"--require", "mfu"});
    EXPECT_EQ(flag.code, ExitCode::BadInput);
    EXPECT_NE(flag.err.find("--require"), std::string::npos) << flag.err;
}

TEST_F(CheckCommand, OneOfManyThatCannotBeReadDoesNotHideTheOthers) {
    write("broken.json", "{");
    const ProgramOutput output = check("run.json broken.json small.json");
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_TRUE(output.out.starts_with("ERROR  3 scenarios: 1 failed, 1 could not be checked\n"))
        << output.out;
    EXPECT_NE(output.out.find("FAIL  small.json"), std::string::npos);
    EXPECT_NE(output.out.find("broken.json:1:"), std::string::npos);
    EXPECT_EQ(output.out.find("pass  run.json"), std::string::npos);
    EXPECT_NE(check("run.json small.json --show all").out.find("pass  run.json"),
              std::string::npos);
}

TEST_F(CheckCommand, ABaselineShowsWhatChangedAndByHowMuch) {
    write("slow.json",
          R"({
  "model": "llama-3.1-8b",
  "cluster": "dgx-h100",
  "stack": "fsdp2",
  "workload": {"sequence": 8192, "global_batch": 16},
  "layout": "recompute=none"
})");
    const ProgramOutput output =
        check("run.json --baseline slow.json --max-regression 2% --require 'x'",
              {"--require", "tokens_per_s >= baseline * 0.5"});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    const ProgramOutput slower = check("run.json --baseline slow.json --max-regression 2%");
    EXPECT_EQ(slower.code, ExitCode::DoesNotFit) << slower.out;
    EXPECT_NE(slower.out.find("settings.recompute.kind none -> full ("), std::string::npos)
        << slower.out;
    EXPECT_NE(slower.out.find("run.json:6:13)"), std::string::npos) << slower.out;
    EXPECT_NE(slower.out.find("time: mostly recomputation"), std::string::npos) << slower.out;
    EXPECT_EQ(check("run.json --max-regression 2%").code, ExitCode::BadInput);
}

/// Where nothing else is required, what is no worse than what did not fit fails all the same.
TEST_F(CheckCommand, ABaselineLeavesThatTheRunFits) {
    write("large.json",
          R"({
  "model": "llama-3.1-8b",
  "cluster": "dgx-h100",
  "stack": "ddp",
  "workload": {"sequence": 8192, "global_batch": 16}
})");
    const std::string compared = "large.json --baseline large.json --max-regression 2%";
    const ProgramOutput output = check(compared + " --show all");
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.out;
    EXPECT_NE(output.out.find("FAIL  fits "), std::string::npos) << output.out;
    EXPECT_EQ(check(compared, {"--require", "gpus <= 8"}).code, ExitCode::Ok);
}

TEST_F(CheckCommand, AFixThatIsTypedIsComparedWithTheSameBaseline) {
    const std::string line = "small.json --baseline run.json";
    const std::vector<std::string> asked = {"--require", "mem_peak <= baseline"};
    const JsonValue before = jsonOf(check(line + " -f json", asked).out);
    const JsonValue typed = jsonOf(check(line + " --layout recompute=full -f json", asked).out);
    const auto baseline = [](const JsonValue& answer) {
        const JsonValue& scenario = answer.find("scenarios")->items()[0];
        return numberOf(scenario.find("requirements")->items()[1], "baseline");
    };
    EXPECT_GT(baseline(before), 0.0);
    EXPECT_EQ(baseline(before), baseline(typed));
}

// Who checks a launch file changes that file: its own keys stand beside what is typed.
TEST_F(CheckCommand, AFixIsSaidInTheKeysOfTheFile) {
    write("axolotl.yaml",
          "base_model: meta-llama/Llama-3.1-8B\ndatasets: [{path: a/b, type: alpaca}]\n"
          "sequence_len: 8192\nsample_packing: true\nmicro_batch_size: 4\n"
          "optimizer: adamw_torch_fused\nbf16: true\nfsdp_version: 2\n"
          "fsdp_config: {auto_wrap_policy: TRANSFORMER_BASED_WRAP}\n");
    const ProgramOutput checked =
        ran("check " + folder() + "/axolotl.yaml -c dgx-h100 --require fits");
    EXPECT_NE(checked.out.find(": --layout recompute=full, in the file "
                               "gradient_checkpointing: true: "),
              std::string::npos)
        << checked.out << checked.err;
}

TEST_F(CheckCommand, WhatLacksAnInputIsNeverLetPass) {
    const ProgramOutput output = check("run.json --uncertain pass", {"--require", "days <= 30"});
    EXPECT_EQ(output.code, ExitCode::CannotTell) << output.out;
    EXPECT_NE(output.out.find("--tokens 1T"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("lacks what stands beside it"), std::string::npos) << output.out;
}

TEST_F(CheckCommand, ARegressionIsAnnotatedAtTheLineThatChanged) {
    (void)check("small.json --baseline run.json --max-regression 1% --report github=g2.txt");
    EXPECT_NE(read("g2.txt").find("small.json,line=3,"), std::string::npos) << read("g2.txt");
    EXPECT_EQ(read("g2.txt").find("line=1,"), std::string::npos) << read("g2.txt");
}

TEST_F(CheckCommand, WritesEveryReportOfOneRun) {
    const ProgramOutput output = check(
        "small.json run.json --report junit=j.xml --report sarif=s.json --report github=g.txt"
        " --report gitlab=q.json --report md=m.md --report json=c.json --report csv=c.csv"
        " --report html=c.html");
    ASSERT_EQ(output.code, ExitCode::DoesNotFit) << output.err;
    expectGolden("check_junit.xml", relative(read("j.xml")));
    expectGolden("check_sarif.json", relative(read("s.json")));
    expectGolden("check_github.txt", relative(read("g.txt")));
    expectGolden("check_gitlab.json", relative(read("q.json")));
    expectGolden("check_comment.md", relative(read("m.md")));
    EXPECT_NE(read("c.html").find("</html>"), std::string::npos);
    EXPECT_NE(read("c.html").find("small.json"), std::string::npos);
    expectGolden("check_answer.json", relative(read("c.json")));
    expectGolden("check_answer.csv", relative(read("c.csv")));
    expectGolden("check_answer.txt", relative(output.out));
}

TEST_F(CheckCommand, AReportOfNoKnownFormIsRefusedBeforeAnythingIsDone) {
    for (const char* report : {"junit", "junit=", "xml=a.xml", "=a"}) {
        const ProgramOutput output = check("run.json", {"--report", report});
        EXPECT_EQ(output.code, ExitCode::BadInput) << report;
        EXPECT_TRUE(output.out.empty());
    }
    const ProgramOutput twice = check("run.json --report junit=a.xml --report sarif=a.xml");
    EXPECT_EQ(twice.code, ExitCode::BadInput) << "two reports in one file";
    EXPECT_EQ(check("run.json --report json=run.json").code, ExitCode::BadInput);
}

TEST_F(CheckCommand, WhatOneOfSeveralScenariosReadsIsNotWrittenOver) {
    const std::string model = R"({"model_type": "llama", "hidden_size": 2048})";
    write("m/config.json", model);
    write("own.json", R"({"model": "m/config.json", "cluster": "dgx-h100", "stack": "fsdp2"})");
    for (const char* line : {"run.json own.json --report json=m/config.json",
                             "own.json own.json -f json -o m/config.json",
                             "run.json run.json --baseline own.json --report md=m/config.json"}) {
        const ProgramOutput output = check(line);
        EXPECT_EQ(output.code, ExitCode::BadInput) << line;
        EXPECT_EQ(output.out, "") << line;
        EXPECT_EQ(read("m/config.json"), model) << line;
    }
}

TEST_F(CheckCommand, ARegressionOfEverythingIsRefused) {
    for (const char* share : {"1", "100%", "1.0", "200%", "-5%", "1e9"}) {
        const ProgramOutput output =
            check("run.json --baseline run.json", {"--max-regression", share});
        EXPECT_EQ(output.code, ExitCode::BadInput) << share;
        EXPECT_NE(output.err.find("try: --max-regression 1%\n"), std::string::npos) << output.err;
    }
    for (const char* share : {"0", "0%", "0.5", "99 %"}) {
        EXPECT_EQ(check("run.json --baseline run.json", {"--max-regression", share}).code,
                  ExitCode::Ok)
            << share;
    }
}

// Other GPUs have another price than the one that was given for these.
TEST_F(CheckCommand, OtherGpusMendNoDollarsAtAPriceThatIsGiven) {
    const ProgramOutput money =
        check("run.json --price $2/h", {"--require", "usd_per_mtok <= $0.02"});
    EXPECT_EQ(money.code, ExitCode::DoesNotFit) << money.out;
    EXPECT_EQ(money.out.find("dgx-b"), std::string::npos) << money.out;
    EXPECT_NE(check("run.json --price $2/h", {"--require", "tokens_per_s >= 150k @ p50"})
                  .out.find("dgx-b"),
              std::string::npos);
}

// Pairs are judged in another order than their edits are typed.
TEST_F(CheckCommand, EveryFixSaysWhatBecomesOfTheRequirement) {
    const ProgramOutput output =
        ran("check -m qwen3-30b-a3b -c dgx-h100 -n 2 --stack megatron --seq 8k --global-batch 256",
            {"--require", "fits surely"});
    EXPECT_NE(output.out.find("fix: "), std::string::npos) << output.out << output.err;
    EXPECT_EQ(output.out.find(": ("), std::string::npos) << output.out;
}

TEST_F(CheckCommand, AValueThatReadsAsItsBoundSaysByHowMuchItMisses) {
    const std::string text =
        check("run.json --site meta-rsc-1", {"--require", "goodput >= 100%"}).out;
    EXPECT_TRUE(std::regex_search(text, std::regex("100\\.0 %.*, 0\\.[0-9]+ % below the bound")))
        << text;
}

TEST_F(CheckCommand, ReportsSayWhetherAFixIsSure) {
    for (const char* form : {"github", "sarif", "junit", "gitlab"}) {
        const std::string text = check("small.json", {"--require", "step_s <= 4 s"}).out;
        const std::string report =
            check("small.json --report " + std::string(form) + "=-", {"--require", "step_s <= 4 s"})
                .out;
        const bool isSure = text.find("\nfix: ") != std::string::npos &&
                            text.find("\nfix: ") < text.find("\nmay mend: ");
        EXPECT_NE(report.find(isSure ? "; fix: " : "; may mend: "), std::string::npos)
            << text << report;
    }
}

/// What a shell says of a line.
bool typed(const std::string& line) {
    return std::system(line.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe): no threads
}

std::string config(int layers) {
    return R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632,
               "num_attention_heads": 16, "vocab_size": 32000, "num_hidden_layers": )" +
           std::to_string(layers) + "}";
}

/// A folder that is a repository: what is written is committed as the branch "trunk".
class CheckBaseline : public CheckCommand {
protected:
    void SetUp() override {
        if (!typed("git --version > /dev/null 2>&1")) {
            GTEST_SKIP() << "there is no git";
        }
        CheckCommand::SetUp();
        write("own/model/config.json", config(16));
        write(
            "own/scenarios/own.json",
            R"({"model": "../model", "cluster": "dgx-h100", "stack": "fsdp2", "price": "../price.json",
                  "workload": {"sequence": 4096, "global_batch": 16}})");
        write("own/price.json", price("1.50"));
        const std::string git = "git -C " + folder() + " -c user.name=t -c user.email=t@t ";
        ASSERT_TRUE(typed(git + "init -q -b trunk && " + git + "add run.json own && " + git +
                          "commit -q -m before > /dev/null"));
    }

    static std::string price(const std::string& usd) {
        return R"({"schema": "fabricast.price/1", "name": "ours", "title": "Ours", "date": "2026-05",
                   "gpus": {"h100-sxm5-80gb": {"on_demand": {"value": "$)" +
               usd + R"(/h", "source": "datasheet", "from": "ours"}}}})";
    }
};

TEST_F(CheckBaseline, FilesThatTheScenarioNamesAreThoseOfTheCommit) {
    const std::string line = "own/scenarios/own.json --baseline git:trunk --max-regression 5%";
    EXPECT_EQ(check(line).code, ExitCode::Ok) << check(line).out << check(line).err;
    write("own/model/config.json", config(32));
    const ProgramOutput deeper = check(line);
    EXPECT_EQ(deeper.code, ExitCode::DoesNotFit) << deeper.out;
    EXPECT_NE(deeper.out.find("changed since trunk:own/scenarios/own.json"), std::string::npos)
        << deeper.out;
    const ProgramOutput absolute = check(folder() + "/" + line);
    EXPECT_NE(absolute.out.find("changed since trunk:own/scenarios/own.json"), std::string::npos)
        << absolute.out;
    EXPECT_NE(deeper.out.find("model.layers 16 -> 32"), std::string::npos) << deeper.out;
    EXPECT_EQ(deeper.out.find("  model model"), std::string::npos) << deeper.out;
    write("own/model/config.json", config(16));
    const std::vector<std::string> noDearer = {"--require", "usd_per_mtok <= baseline"};
    EXPECT_EQ(check(line, noDearer).code, ExitCode::Ok);
    write("own/price.json", price("3.00"));
    EXPECT_EQ(check(line, noDearer).code, ExitCode::DoesNotFit) << check(line, noDearer).out;
}

/// A run that says in zero.json how it shards.
constexpr const char* kTrainer =
    "#!/bin/bash\ntorchrun --nproc_per_node 8 train.py --deepspeed zero.json --bf16 True "
    "--model_name_or_path meta-llama/Llama-3.1-8B --max_length 4096 "
    "--per_device_train_batch_size 1 --gradient_checkpointing True\n";

std::string zero(int stage) {
    return "{\"train_micro_batch_size_per_gpu\": \"auto\", \"zero_optimization\": {\"stage\": " +
           std::to_string(stage) + "}}";
}

TEST_F(CheckBaseline, FilesThatALaunchFileReadsAreThoseOfTheCommit) {
    write("jobs/train.sh", kTrainer);
    write("zero.json", zero(3));  // in the folder above, where the run starts
    const std::string git = "git -C " + folder() + " -c user.name=t -c user.email=t@t ";
    ASSERT_TRUE(typed(git + "add jobs zero.json && " + git + "commit -q -m jobs > /dev/null"));
    const std::string line = "jobs/train.sh -c dgx-h100 --baseline git:trunk --max-regression 2%";
    const ProgramOutput same = check(line);
    EXPECT_EQ(same.code, ExitCode::Ok) << same.out << same.err;
    write("zero.json", zero(1));
    const ProgramOutput changed = check(line);
    EXPECT_EQ(changed.code, ExitCode::DoesNotFit) << changed.out << changed.err;
    EXPECT_NE(changed.out.find("layout.shard zero3 -> zero1"), std::string::npos) << changed.out;
    // A file beside it wins over one above; the commit does not have it.
    write("zero.json", zero(3));
    write("jobs/zero.json", zero(1));
    EXPECT_EQ(check(line).code, ExitCode::DoesNotFit) << check(line).out;
}

TEST_F(CheckBaseline, OfAFolderTheFileThatStartsTheOthersIsCompared) {
    write("folder/train.sh", kTrainer);
    write("folder/zero.json", zero(3));
    const std::string git = "git -C " + folder() + " -c user.name=t -c user.email=t@t ";
    ASSERT_TRUE(typed(git + "add folder && " + git + "commit -q -m folder > /dev/null"));
    const std::string line =
        "folder -c dgx-h100 --baseline git:trunk --max-regression 2% --if-no-baseline pass";
    const ProgramOutput same = check(line);
    EXPECT_EQ(same.code, ExitCode::Ok) << same.out << same.err;
    EXPECT_EQ(same.out.find("new: "), std::string::npos) << same.out;
    write("folder/zero.json", zero(1));
    const ProgramOutput changed = check(line);
    EXPECT_EQ(changed.code, ExitCode::DoesNotFit) << changed.out << changed.err;
    EXPECT_NE(changed.out.find("layout.shard zero3 -> zero1"), std::string::npos) << changed.out;
    // It is still the run of the folder if it has another name.
    std::filesystem::rename(folder() + "/folder/train.sh", folder() + "/folder/go.sh");
    const ProgramOutput renamed = check(line);
    EXPECT_EQ(renamed.code, ExitCode::DoesNotFit) << renamed.out << renamed.err;
    EXPECT_NE(renamed.out.find("changed since trunk:folder/train.sh"), std::string::npos)
        << renamed.out;
    EXPECT_NE(renamed.out.find("layout.shard zero3 -> zero1"), std::string::npos) << renamed.out;
    // The file by its new name is new.
    EXPECT_NE(check("folder/go.sh" + line.substr(6)).out.find("new: "), std::string::npos);
}

TEST_F(CheckBaseline, TheConfigurationBesideAProgramIsThatOfTheCommitToo) {
    const auto configuration = [](const std::string& offloads) {
        return "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n"
               "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
               "  fsdp_reshard_after_forward: true\n  fsdp_offload_params: " +
               offloads + "\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 4\n";
    };
    write("two/sft.py",
          "from trl import SFTTrainer, SFTConfig\nconfig = SFTConfig(output_dir='out', "
          "per_device_train_batch_size=1, gradient_accumulation_steps=8, max_length=2048, "
          "bf16=True, gradient_checkpointing=True)\nSFTTrainer('Qwen/Qwen2.5-7B', args=config, "
          "train_dataset=train).train()\n");
    write("two/fsdp.yaml", configuration("false"));
    const std::string git = "git -C " + folder() + " -c user.name=t -c user.email=t@t ";
    ASSERT_TRUE(typed(git + "add two && " + git + "commit -q -m two > /dev/null"));
    const std::string end = " -c dgx-h100 --gpus 4 --baseline git:trunk --max-regression 2%";
    for (const std::string files : {"two", "two/fsdp.yaml two/sft.py"}) {
        const ProgramOutput same = check(files + end);
        EXPECT_EQ(same.code, ExitCode::Ok) << same.out << same.err;
    }
    write("two/fsdp.yaml", configuration("true"));
    for (const std::string files : {"two", "two/fsdp.yaml two/sft.py"}) {
        const ProgramOutput changed = check(files + end);
        EXPECT_EQ(changed.code, ExitCode::DoesNotFit) << changed.out << changed.err;
        EXPECT_NE(changed.out.find("layout.offload none -> parameters_cpu"), std::string::npos)
            << changed.out;
    }
}

TEST_F(CheckBaseline, AModelIsNoScenarioOfACommit) {
    for (const char* model : {"own/model", "own/model/config.json"}) {
        const ProgramOutput answer =
            check(std::string(model) + " -c dgx-h100 --baseline git:trunk --max-regression 5%");
        EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
        EXPECT_NE(answer.err.find("config.json: is a model, and no scenario"), std::string::npos)
            << answer.err;
    }
}

TEST_F(CheckBaseline, NoReportIsWrittenIntoTheRepository) {
    for (const char* output : {"-o .git/HEAD",
                               "--report json=.git/HEAD",
                               "--report md=.git/refs/heads/trunk",
                               "--report md=.git/new",
                               "--lock .git/new --update-lock",
                               "-o sub/../.git/index"}) {
        const ProgramOutput answer = check("run.json --baseline git:trunk " + std::string(output));
        EXPECT_EQ(answer.code, ExitCode::BadInput) << output << answer.out;
        EXPECT_NE(answer.err.find("is a file of git's own"), std::string::npos) << answer.err;
    }
    EXPECT_TRUE(read(".git/HEAD").starts_with("ref: "));
    EXPECT_FALSE(std::filesystem::exists(folder() + "/.git/new"));
}

TEST_F(CheckBaseline, WhatIsNewIsSaidThoughNothingCompares) {
    write("moved.json", read("run.json"));
    const std::string line = "moved.json --baseline git:trunk";
    const std::string said = "new: the baseline does not have it";
    const std::string compares = " --max-regression 2% --if-no-baseline pass";
    for (const char* form : {"text", "md", "csv", "junit", "sarif", "gitlab", "github"}) {
        for (const std::string& more : {std::string(), compares}) {
            const ProgramOutput answer = check(line + more + " --report " + form + "=-");
            EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
            EXPECT_NE(answer.out.find(said), std::string::npos) << form << more << answer.out;
        }
    }
    EXPECT_NE(check(line + " -f json").out.find("\"changes\": null"), std::string::npos);
    const ProgramOutput both = check("moved.json " + line);
    EXPECT_NE(both.out.find("moved.json: " + said), std::string::npos) << both.out;
    EXPECT_EQ(check("run.json --baseline git:trunk").out.find("new: "), std::string::npos);
}

TEST_F(CheckBaseline, AFileThatTheCommitDoesNotHaveIsNotThatOfToday) {
    write("run.json", R"({"model": "later.json", "cluster": "dgx-h100"})");
    const std::string git = "git -C " + folder() + " -c user.name=t -c user.email=t@t ";
    ASSERT_TRUE(typed(git + "commit -q -a -m later > /dev/null"));
    write("later.json", config(16));
    const ProgramOutput answer = check("run.json --baseline git:trunk");
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    const ProgramOutput other = check("run.json --baseline git:trunk:other.json");
    EXPECT_EQ(other.code, ExitCode::BadInput);
    EXPECT_NE(other.err.find("git show trunk:other.json"), std::string::npos) << other.err;
    EXPECT_NE(answer.err.find("later.json is not in the commit"), std::string::npos) << answer.err;
}

TEST_F(CheckBaseline, ALinkIsNoScenarioOfACommit) {
    const std::string git = "git -C " + folder() + " -c user.name=t -c user.email=t@t ";
    std::filesystem::create_symlink("run.json", folder() + "/link.json");
    ASSERT_TRUE(typed(git + "add link.json && " + git + "commit -q -m link > /dev/null"));
    const ProgramOutput answer = check("link.json --baseline git:trunk --max-regression 1%");
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_NE(answer.err.find("is a symbolic link in trunk, to \"run.json\""), std::string::npos)
        << answer.err;
}

TEST_F(CheckBaseline, OneScenarioWithoutARepositoryIsItsOwnError) {
    const std::string outside = tempFolder() + "outside.json";
    ASSERT_TRUE(writeTextFile(outside, read("run.json")));
    const ProgramOutput answer =
        check("run.json " + outside + " --baseline git:trunk --max-regression 1%");
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_NE(answer.out.find("2 scenarios: 1 could not be checked"), std::string::npos)
        << answer.out << answer.err;
    EXPECT_NE(answer.out.find("is in no git repository"), std::string::npos) << answer.out;
}

TEST_F(CheckBaseline, ARepositoryThatGitRefusesIsSaidInGitsOwnWords) {
    setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);  // NOLINT(concurrency-mt-unsafe)
    const ProgramOutput answer = check("run.json --baseline git:trunk --max-regression 1%");
    unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");  // NOLINT(concurrency-mt-unsafe)
    EXPECT_EQ(answer.code, ExitCode::Environment) << answer.out << answer.err;
    EXPECT_NE(answer.err.find("dubious ownership"), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("  try: git config --global --add safe.directory "),
              std::string::npos)
        << answer.err;
}

TEST_F(CheckBaseline, ANewScenarioFailsWhatComparesUnlessThatIsAllowed) {
    write("new.json", read("run.json"));
    const std::string asked = "new.json --baseline git:trunk --max-regression 5%";
    const ProgramOutput fails = check(asked);
    EXPECT_EQ(fails.code, ExitCode::DoesNotFit) << fails.out;
    EXPECT_NE(fails.out.find("--if-no-baseline pass"), std::string::npos) << fails.out;
    EXPECT_EQ(fails.out.find("mend"), std::string::npos) << "no change of it: " << fails.out;
    EXPECT_EQ(check(asked + " --if-no-baseline pass").code, ExitCode::Ok);
}

TEST_F(CheckCommand, AJunitReportFailsOnlyWhatFailsTheRun) {
    const std::vector<std::string> tight = {"--require", "tokens_per_s >= 40k"};
    ASSERT_EQ(check("run.json", tight).code, ExitCode::CannotTell) << check("run.json", tight).out;
    const ProgramOutput unsure = check("run.json --report junit=-", tight);
    EXPECT_NE(unsure.out.find("<failure type=\"unsure\""), std::string::npos) << unsure.out;
    const ProgramOutput passes = check("run.json --report junit=- --uncertain pass", tight);
    EXPECT_EQ(passes.code, ExitCode::Ok);
    EXPECT_EQ(passes.out.find("<failure"), std::string::npos) << passes.out;
    EXPECT_NE(passes.out.find("<skipped"), std::string::npos) << passes.out;
}

TEST_F(CheckCommand, TheBaselineMayBeACommit) {
    if (!typed("git --version > /dev/null 2>&1")) {
        GTEST_SKIP() << "there is no git";
    }
    const std::string git = "git -C " + folder() + " -c user.name=t -c user.email=t@t ";
    ASSERT_TRUE(typed(git + "init -q -b trunk && " + git + "add run.json && " + git +
                      "commit -q -m before > /dev/null"));
    EXPECT_EQ(check("run.json --baseline git:trunk --max-regression 1%").code, ExitCode::Ok);
    std::string text = read("run.json");
    text.replace(text.find("\"global_batch\": 16"), 18, "\"global_batch\": 8");
    write("run.json", text);
    const ProgramOutput changed = check("run.json --baseline git:trunk --max-regression 1%");
    EXPECT_EQ(changed.code, ExitCode::DoesNotFit) << changed.out;
    EXPECT_NE(changed.out.find("run.json:5:50)"), std::string::npos) << changed.out;
    EXPECT_EQ(check("run.json --baseline git:nowhere").code, ExitCode::BadInput);
    EXPECT_EQ(check("run.json --baseline git:--help").code, ExitCode::BadInput);
    // A scenario that the commit does not have is new.
    EXPECT_EQ(check("small.json --baseline git:trunk", {"--require", "gpus == baseline"}).code,
              ExitCode::DoesNotFit);
    EXPECT_EQ(check("run.json --baseline git:trunk --if-no-baseline pass").code, ExitCode::Ok);
}

// A smaller GPU opens no gate.
TEST_F(CheckCommand, ARoomThatIsAskedForMakesNothingSurer) {
    const std::string question = "-m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 8192 ";
    EXPECT_EQ(check(question, {"--require", "fits surely"}).code, ExitCode::DoesNotFit);
    EXPECT_EQ(check(question + "--reserve 3%", {"--require", "fits surely"}).code,
              ExitCode::DoesNotFit);
}

}  // namespace check_command_test
}  // namespace fabricast
