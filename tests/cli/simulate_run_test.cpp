#include "tests/support/golden.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

namespace fabricast {
namespace simulate_run_test {

const std::string kAsked =
    "simulate -m llama-3.1-8b -c dgx-h100 -n 8 --stack megatron "
    "--layout tp=2,pp=2,shard=zero1 --seq 8192 --global-batch 64";
const std::string kRun = kAsked + " --steps 20000 --failures --mtbf 2000h --runs 40";

JsonValue answerOf(const std::string& line) {
    const ProgramOutput output = ran(line + " --format json");
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    return jsonOf(output.out);
}

// Two nodes whose data ranks reduce over every NIC: all wait for the slow one. Over another one
// that comes and goes, runs take longer in some of their time.
TEST(SimulateRun, WaitsForASlowLink) {
    const std::string asked =
        "simulate -m llama-3.1-8b -c dgx-h100 -n 2 --stack megatron --layout tp=2,shard=zero1 "
        "--seq 8192 --global-batch 16";
    const double usual = numberOf(answerOf(asked), "step_s");
    const JsonValue slow = answerOf(asked + " --stragglers 8@node0/nic2-leaf2");
    EXPECT_EQ(textOf(slow.find("stragglers")->items()[0], "link"), "node0/nic2-leaf2");
    EXPECT_EQ(numberOf(slow, "undisturbed_step_s"), usual);
    EXPECT_GT(numberOf(slow, "step_s"), 1.01 * usual);
    EXPECT_GT(numberOf(slow, "shared_links_s"), 0.0);
    // A link that nothing of the step uses.
    EXPECT_EQ(numberOf(answerOf(asked + " --stragglers 8@leaf2-spine0"), "step_s"), usual);
    const JsonValue runs =
        answerOf(asked + " --steps 20000 --runs 10 --stragglers 8@node0/nic2-leaf2/1h/6min");
    EXPECT_EQ(numberOf(runs, "step_s"), usual);
    EXPECT_GT(numberOf(*runs.find("run")->find("time_s"), "slower"), 0.0);
}

// In the words of `plan` and `explain`; `size` picks no such run.
TEST(SimulateRun, SaysThatARunMakesHardlyAnyProgress) {
    const std::string about =
        " -m llama-3.1-8b -c dgx-h100 -n 256 --seq 8192 --global-batch 2048 --stack fsdp2 --mtbf ";
    const std::string words = "the run makes hardly any progress: failures occur faster than it";
    for (const char* const command : {"simulate --failures --runs 1 --tokens 1B", "plan --top 1"}) {
        EXPECT_NE(ran(command + about + "100h").out.find(words), std::string::npos) << command;
        EXPECT_EQ(ran(command + about + "50000h").out.find("progress"), std::string::npos);
    }
    const std::string sized = "size --tokens 1T --target tokens-per-s=1k" + about;
    EXPECT_NE(ran(sized + "100h").out.find("256 x dgx-h100: goodput is "), std::string::npos);
    EXPECT_EQ(ran(sized + "50000h").out.find("goodput is "), std::string::npos);
}

TEST(SimulateRun, SlowGpusMakeTheStepLonger) {
    const JsonValue usual = answerOf(kAsked);
    const JsonValue slow = answerOf(kAsked + " --stragglers 1.3");
    EXPECT_EQ(usual.find("stragglers"), nullptr);
    EXPECT_EQ(numberOf(slow, "undisturbed_step_s"), numberOf(usual, "step_s"));
    EXPECT_GT(numberOf(slow, "step_s"), 1.15 * numberOf(usual, "step_s"));
    EXPECT_LT(numberOf(slow, "step_s"), 1.3 * numberOf(usual, "step_s"));
    const JsonValue& straggler = slow.find("stragglers")->items()[0];
    EXPECT_EQ(numberOf(straggler, "stage"), numberOf(*usual.find("critical_path"), "busiest"));
    // The slow replica and the others, stage by stage.
    ASSERT_EQ(slow.find("stages")->items().size(), 4U);
    const JsonValue& slowed = slow.find("stages")->items()[3];
    EXPECT_EQ(numberOf(slowed, "stage"), 1.0);
    EXPECT_EQ(slowed.find("slow_replica")->boolean().value(), true);
    const JsonValue all = answerOf(kAsked + " --stragglers 1.3 --expand");
    EXPECT_EQ(numberOf(all, "step_s"), numberOf(slow, "step_s"));
    const JsonValue both = answerOf(kAsked + " --stragglers 1.3@stage0,1.3@stage1");
    EXPECT_GT(numberOf(both, "step_s"), numberOf(slow, "step_s"));
}

TEST(SimulateRun, SumsUpWhereTheTimeGoes) {
    const JsonValue root = answerOf(kRun + " --spares 1 --jitter 1% --seed 7");
    const JsonValue* run = root.find("run");
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(numberOf(*run, "steps"), 20000.0);
    EXPECT_EQ(numberOf(*run, "step_s"), numberOf(root, "step_s"));
    EXPECT_EQ(textOf(*run, "seed"), "7");
    EXPECT_EQ(numberOf(*run, "runs"), 40.0);
    double sum = 0.0;
    for (const char* part : {"useful", "slower", "checkpoint", "lost", "recovery", "waiting"}) {
        const double time = numberOf(*run->find("time_s"), part);
        EXPECT_GT(time, 0.0) << part;
        sum += time;
    }
    const JsonValue* wall = run->find("wall_s");
    EXPECT_NEAR(sum, numberOf(*wall, "mean"), 1e-6 * sum);
    EXPECT_LT(numberOf(*wall, "p5"), numberOf(*wall, "p50"));
    EXPECT_LT(numberOf(*wall, "p50"), numberOf(*wall, "p95"));
    EXPECT_GT(numberOf(*run->find("goodput"), "standard_error"), 0.0);
    EXPECT_NEAR(numberOf(*run->find("failing"), "mtbf_s"), 2000.0 * 3600.0 / 64.0, 1e-6);
    EXPECT_EQ(run->find("jitter_groups")->items().empty(), false);
}

// The forecast of goodput and the runs are of the same times.
TEST(SimulateRun, AgreesWithTheClosedForm) {
    for (const char* mode : {"sync", "async", "two_level"}) {
        const JsonValue root = answerOf(kRun + " --checkpoint " + mode);
        const JsonValue* closed = root.find("run")->find("closed_form");
        EXPECT_LT(std::abs(numberOf(*closed, "standard_errors_off") + 0.0), 4.0) << mode;
        EXPECT_GT(numberOf(*closed, "goodput"), 0.3) << mode;
        const std::string explained = "explain" + kAsked.substr(8) +
                                      " --mtbf 2000h --section cost --format json --checkpoint " +
                                      mode;
        const JsonValue cost = jsonOf(ran(explained).out);
        EXPECT_NEAR(numberOf(*cost.find("cost")->find("goodput"), "value"),
                    numberOf(*closed, "goodput"),
                    0.01)
            << mode;
    }
}

TEST(SimulateRun, GivesTheSameBytesWhateverTheThreads) {
    const auto bytes = [](const std::string& more) {
        return ran(kRun + " --jitter 1%" + more).out;
    };
    const std::string one = bytes(" --threads 1");
    EXPECT_EQ(bytes(" --threads 4"), one);
    EXPECT_NE(bytes(" --seed 2"), one);
    EXPECT_TRUE(one.starts_with("FITS  RUN  20,000 steps in ")) << one;
    EXPECT_LT(std::ranges::count(one, '\n'), 40) << one;
}

TEST(SimulateRun, ListsItsFlags) {
    expectGolden("help_simulate.txt", ran("simulate --help").out);
}

TEST(SimulateRun, TakesItsLengthFromTheTokens) {
    const JsonValue root = answerOf(kAsked + " --tokens 1B --failures --runs 3");
    EXPECT_EQ(numberOf(*root.find("run"), "steps"), std::ceil(1e9 / (64.0 * 8192.0)));
}

TEST(SimulateRun, AGpuThatComesAndGoes) {
    const JsonValue root =
        answerOf(kAsked + " --steps 200000 --runs 20 --stragglers 1.5@stage0/1h/6min");
    const JsonValue* run = root.find("run");
    const double factor = numberOf(*run->find("slow_spells"), "factor");
    EXPECT_GT(factor, 1.15);
    EXPECT_LT(factor, 1.5);
    const double slower = numberOf(*run->find("time_s"), "slower");
    const double useful = numberOf(*run->find("time_s"), "useful");
    // A tenth of the time is slow, in which less is done.
    const double expected = 1.0 / (0.9 + 0.1 / factor) - 1.0;
    EXPECT_NEAR(slower / useful, expected, 0.15 * expected);
}

TEST(SimulateRun, AnInterruptedOnePrintsWhatIsOver) {
    std::stop_source source;
    const Surroundings surroundings{.progress =
                                        [&](std::size_t done, std::size_t) {
                                            if (done == 3) {
                                                source.request_stop();
                                            }
                                        },
                                    .stop = [&] { return source.get_token(); }};
    std::vector<std::string> arguments;
    std::istringstream words(kRun + " --threads 1");
    for (std::string word; words >> word;) {
        arguments.push_back(word);
    }
    const ProgramOutput output = runProgram(arguments, surroundings);
    EXPECT_EQ(output.code, ExitCode::Interrupted);
    EXPECT_NE(output.out.find("  interrupted after 3 of "), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("closed form: "), std::string::npos);
    const ProgramOutput none = runProgram(arguments, {.stop = [&] { return source.get_token(); }});
    EXPECT_EQ(none.code, ExitCode::Interrupted);
    EXPECT_NE(none.err.find("stopped before it was done\n  try: more time"), std::string::npos)
        << none.err;
}

TEST(SimulateRun, RefusesWhatMakesNoSense) {
    for (const auto& [typed, where] : std::vector<std::pair<std::string, std::string>>{
             {"--steps 0", "--steps"},
             {"--steps -5", "--steps"},
             {"--steps many", "--steps"},
             {"--failures", "--steps"},
             {"--steps 10 --spares 2", "--spares"},
             {"--steps 10 --mtbf 5y", "--mtbf"},
             {"--steps 10 --repair 1d", "--repair"},
             {"--steps 10 --failures --mtbf 0s", "--mtbf"},
             {"--steps 10 --failures --mtbf nan", "--mtbf"},
             {"--steps 10 --failures --mtbf -5h", "--mtbf"},
             {"--steps 10 --failures --mtbf 1s", "--failures"},
             {"--steps 10 --failures --spares -1", "--spares"},
             {"--steps 10 --failures --repair soon", "--repair"},
             {"--steps 10 --failures --repair 1e300d", "--repair"},
             {"--steps 10 --failures --repair 3651d", "--repair"},
             {"--steps 10 --runs 0", "--runs"},
             {"--steps 10 --seed -3", "--seed"},
             {"--steps 10 --jitter nan", "--jitter"},
             {"--steps 10 --jitter -1%", "--jitter"},
             {"--steps 10 --jitter 0", "--jitter"},
             {"--steps 10 --jitter 90%", "--jitter"},
             {"--steps 10 --tokens 1B", "--tokens"},
             {"--runs 10", "--runs"},
             {"--seed 10", "--seed"},
             {"--site typical", "--site"},
             {"--checkpoint sync", "--checkpoint"},
             {"--stragglers 1.3@stage9", "--stragglers"},
             {"--stragglers 1.3@node1", "--stragglers"},
             {"--stragglers nan", "--stragglers"},
             {"--stragglers 0.5", "--stragglers"},
             {"--stragglers 1e9", "--stragglers"},
             {"--stragglers 1.3,", "--stragglers"},
             {"--stragglers 1.3@stage0/1h", "--stragglers"},
             {"--steps 9 --stragglers 1.3@stage0/1h/2h", "--stragglers"},
             {"--steps 9 --stragglers 1.3/1h/1min,1.2/1h/1min", "--stragglers"},
             {"--stragglers 2@node0/nic99-leaf4", "--stragglers"},
             {"--stragglers 1e9@node0/nic0-leaf0", "--stragglers"}}) {
        const ProgramOutput output = ran(kAsked + " " + typed);
        EXPECT_EQ(output.code, ExitCode::BadInput) << typed << "\n" << output.out;
        EXPECT_TRUE(output.err.starts_with("error: " + where + ": "))
            << typed << ": " << output.err;
    }
}

}  // namespace simulate_run_test
}  // namespace fabricast
