#include "tests/support/profile_folder.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace own_measurement_test {

/// All-reduces of eight H100 that take this long, whatever their size.
std::string ownCollectives(const std::string& name,
                           const std::string& date,
                           const std::string& milliseconds) {
    const std::string us = milliseconds + "000";
    return R"({"schema": "fabricast.collective/1", "name": "measured-)" + name +
           R"(", "title": "ours", "machine": "dgx-h100",)" +
           (date.empty() ? "" : R"("date": ")" + date + R"(",)") +
           R"("curves": [{"collective": "all_reduce", "ranks": 8, "nodes": 1, "points": [[1024, )" +
           us + "], [1073741824, " + us + R"(]]}],
           "sources": [{"keys": "curves", "source": "measured", "from": "nccl-tests"}]})";
}

ProgramOutput stepWith(const std::string& folder, std::vector<std::string> question) {
    question.insert(question.end(),
                    {"-m",
                     "gpt2-xl",
                     "-c",
                     "dgx-h100",
                     "--stack",
                     "ddp",
                     "--seq",
                     "1024",
                     "--global-batch",
                     "64"});
    if (!folder.empty()) {
        question.insert(question.end(), {"--profile-dir", folder});
    }
    return runProgram(question, {});
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

const std::vector<std::string> kExplainTime = {"explain", "--section", "time"};

TEST(OwnMeasurement, WinsWhateverItsName) {
    const std::string builtIn = firstLine(stepWith("", kExplainTime).out);
    for (const std::string name : {"a-h100", "our-h100", "zzz"}) {
        const TemporaryProfiles folder("own_" + name);
        folder.write("collectives/measured-" + name + ".json",
                     ownCollectives(name, "2026-11-20", "5000"));
        const ProgramOutput answer = stepWith(folder.path(), kExplainTime);
        ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
        EXPECT_NE(firstLine(answer.out), builtIn) << name;
        EXPECT_NE(answer.out.find("measured: " + name + ", 2026-11-20\n"), std::string::npos)
            << answer.out;
    }
}

TEST(OwnMeasurement, TheNewestOfSeveralWinsAndTheOthersAreNamed) {
    const TemporaryProfiles fast("own_fast");
    fast.write("collectives/measured-b.json", ownCollectives("b", "2026-11-20", "1"));
    const TemporaryProfiles both("own_both");
    both.write("collectives/measured-b.json", ownCollectives("b", "2026-11-20", "1"));
    both.write("collectives/measured-a.json", ownCollectives("a", "2026-10-01", "5000"));
    both.write("collectives/measured-c.json", ownCollectives("c", "", "5000"));
    const ProgramOutput answer = stepWith(both.path(), kExplainTime);
    EXPECT_EQ(firstLine(answer.out), firstLine(stepWith(fast.path(), kExplainTime).out));
    for (const char* const note : {"measured: b, 2026-11-20\n",
                                   "measured: a, 2026-10-01 is not used, b, 2026-11-20 is\n",
                                   "measured: c is not used, b, 2026-11-20 is\n"}) {
        EXPECT_NE(answer.out.find(note), std::string::npos) << note << answer.out;
    }
}

TEST(OwnMeasurement, OfTwoThatAreAlikeTheOneInUseIsNamed) {
    const TemporaryProfiles both("own_twins");
    both.write("collectives/measured-a.json", ownCollectives("a", "2026-11-12", "5000"));
    both.write("collectives/measured-b.json", ownCollectives("b", "2026-11-12", "5000"));
    const std::string out = stepWith(both.path(), kExplainTime).out;
    for (const char* const note :
         {"measured: b, 2026-11-12\n", "measured: a, 2026-11-12 is not used, b, 2026-11-12 is\n"}) {
        EXPECT_NE(out.find(note), std::string::npos) << note << out;
    }
}

TEST(OwnMeasurement, IsNamedByEveryAnswerThatLeansOnIt) {
    const TemporaryProfiles folder("own_named");
    folder.write("collectives/measured-ours.json", ownCollectives("ours", "2026-11-20", "5"));
    for (const char* const command : {"plan", "explain", "simulate"}) {
        std::vector<std::string> question = {command};
        if (question.front() == "explain") {
            question = {"explain", "--section", "all"};
        }
        const ProgramOutput answer = stepWith(folder.path(), question);
        EXPECT_NE(answer.out.find("measured: ours, 2026-11-20"), std::string::npos)
            << command << answer.out << answer.err;
    }
    const ProgramOutput timed = runProgram(
        {"collective", "all_reduce", "1GiB", "-c", "dgx-h100", "--profile-dir", folder.path()}, {});
    EXPECT_NE(timed.out.find(" (ours)\n"), std::string::npos) << timed.out << timed.err;
    EXPECT_NE(timed.out.find("measured: ours, 2026-11-20"), std::string::npos) << timed.out;
    const ProgramOutput elsewhere = runProgram({"explain",
                                                "-m",
                                                "gpt2",
                                                "-c",
                                                "dgx-a100",
                                                "--stack",
                                                "ddp",
                                                "--section",
                                                "time",
                                                "--profile-dir",
                                                folder.path()},
                                               {});
    EXPECT_EQ(elsewhere.out.find("measured: ours"), std::string::npos);
}

TEST(OwnMeasurement, IsNamedBesideNumbersForPrograms) {
    const TemporaryProfiles folder("own_numbers");
    folder.write("collectives/measured-ours.json", ownCollectives("ours", "2026-11-20", "5"));
    const std::vector<std::string> size = {"size", "-n", "1", "--tokens", "1B"};
    const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    for (const std::vector<std::string>& question :
         {std::vector<std::string>{"plan", "-f", "csv"},
          {"explain", "--section", "time", "-f", "csv"},
          {"explain", "--section", "comm"},
          {"explain", "--section", "cost"},
          {"plan", "-f", "md"},
          {"check", "-f", "md"},
          {"check", "-f", "csv"},
          {"check", "--report", "junit=-"},
          {"check", "--report", "sarif=-"},
          {"compare", "-f", "csv", "--with", "cluster.nodes=2"},
          with(size, {"-f", "csv"})}) {
        const ProgramOutput answer = stepWith(folder.path(), question);
        EXPECT_NE(answer.err.find("measured: ours, 2026-11-20\n"), std::string::npos)
            << question.front() << answer.err;
        EXPECT_EQ(stepWith("", question).err.find("measured: "), std::string::npos);
    }
    const ProgramOutput timed = runProgram({"collective",
                                            "all_reduce",
                                            "1GiB",
                                            "-c",
                                            "dgx-h100",
                                            "--profile-dir",
                                            folder.path(),
                                            "-f",
                                            "csv"},
                                           {});
    EXPECT_NE(timed.err.find("measured: ours, 2026-11-20\n"), std::string::npos) << timed.err;
    const std::vector<std::string> nodes = {"--sweep", "cluster.nodes=1,2"};
    for (const std::vector<std::string>& question :
         {with({"plan"}, nodes), with(size, {"--sweep", "target.days=100,200"})}) {
        const ProgramOutput csv = stepWith(folder.path(), with(question, {"-f", "csv"}));
        EXPECT_NE(firstLine(csv.out).find(",measured"), std::string::npos) << csv.out << csv.err;
        EXPECT_NE(csv.out.find("\"ours, 2026-11-20\""), std::string::npos) << csv.out;
        EXPECT_EQ(firstLine(stepWith("", with(question, {"-f", "csv"})).out).find(",measured"),
                  std::string::npos);
        const ProgramOutput json = stepWith(folder.path(), with(question, {"-f", "json"}));
        EXPECT_NE(json.out.find("\"measured\": \"ours, 2026-11-20\""), std::string::npos)
            << json.out;
        const ProgramOutput text = stepWith(folder.path(), question);
        EXPECT_NE(text.out.find("ours, 2026-11-20"), std::string::npos) << text.out;
    }
    const ProgramOutput files = stepWith(folder.path(), {"emit"});
    EXPECT_NE(files.out.find("tokens/s; measured: ours, 2026-11-20"), std::string::npos)
        << files.out;
}

TEST(OwnMeasurement, IsDatedByADay) {
    const TemporaryProfiles folder("own_dated");
    folder.write("collectives/measured-ours.json", ownCollectives("ours", "last week", "5"));
    const ProgramOutput answer = stepWith(folder.path(), kExplainTime);
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_NE(answer.err.find("must be a day"), std::string::npos) << answer.err;
}

// The newest counts: one of a day to come would count for ever. Without a clock any day may be.
TEST(OwnMeasurement, IsOfADayThatHasCome) {
    const TemporaryProfiles folder("own_future");
    folder.write("collectives/measured-ours.json", ownCollectives("ours", "2031-01-01", "5"));
    const std::vector<std::string> question = {
        "plan", "-m", "gpt2", "-c", "dgx-a100", "--seq", "1024", "--profile-dir", folder.path()};
    const ProgramOutput refused = runProgram(question, {.today = "2030-12-31"});
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_TRUE(refused.out.empty()) << refused.out;
    EXPECT_NE(refused.err.find("collectives/measured-ours.json: is of 2031-01-01, which is in the "
                               "future\n  try: mend \"date\""),
              std::string::npos)
        << refused.err;
    const ProgramOutput answer = runProgram(question, {.today = "2031-01-01"});
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_EQ(answer.out, runProgram(question, {}).out);
}

/// What the user measured: a file of a profile folder, and how answers name it.
struct Measured {
    std::string name;
    std::string file;
    std::string text;
};

TEST(OwnMeasurement, HoldsForItsSizesAndFourTimesBeyond) {
    const TemporaryProfiles folder("own_sizes");
    folder.write("collectives/measured-ours.json", ownCollectives("ours", "2026-11-20", "5"));
    const auto timeOf = [](const std::string& size, const std::vector<std::string>& more) {
        std::vector<std::string> words = {"collective", "all_reduce", size, "-c", "dgx-h100"};
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words, {}).out;
    };
    const std::vector<std::string> own = {"--profile-dir", folder.path()};
    const std::string sizes =
        "measured: ours has sizes of 1.02 kB to 1.07 GB, and holds to 4 times beyond them\n";
    EXPECT_NE(timeOf("4GiB", own).find("number of ranks (ours)"), std::string::npos);
    EXPECT_EQ(timeOf("4GiB", own).find(sizes), std::string::npos);
    const std::string beyond = timeOf("8GiB", own);
    EXPECT_NE(beyond.find(sizes), std::string::npos) << beyond;
    EXPECT_EQ(firstLine(beyond), firstLine(timeOf("8GiB", {})));
    EXPECT_EQ(beyond.find("2026-11-20"), std::string::npos) << beyond;
}

std::string collectives(const std::string& name, const std::string& kind, int ranks, int nodes) {
    return R"({"schema": "fabricast.collective/1", "name": "measured-)" + name +
           R"(", "title": "ours", "machine": "dgx-h100", "date": "2026-11-20",
           "curves": [{"collective": ")" +
           kind + R"(", "ranks": )" + std::to_string(ranks) + R"(, "nodes": )" +
           std::to_string(nodes) + R"(, "points": [[1024, 90], [1073741824, 9000]]}],
           "sources": [{"keys": "curves", "source": "measured", "from": "nccl-tests"}]})";
}

/// Each alone in its folder.
std::vector<Measured> allMeasured() {
    const std::string from = R"("source": "measured", "from": "our-probe, 2026-11-20, driver 13")";
    return {
        {"kernels, our-probe, 2026-11-20",
         "kernels/h100-sxm5-80gb.json",
         shippedProfile("kernels/h100-sxm5-80gb.json",
                        R"("input_gradient": 1.0, "weight_gradient": 1.05, "source": "measured", )"
                        R"("from": "simumax")",
                        R"("input_gradient": 1.4, "weight_gradient": 1.05, )" + from)},
        {"memory beside tensors, our-probe, 2026-11-20",
         "runtimes/h100-sxm5-80gb.json",
         shippedProfile("runtimes/h100-sxm5-80gb.json",
                        R"("value": "536 MiB", "lo": "380 MiB", "hi": "640 MiB", )"
                        R"("source": "measured",
    "from": "fabricast-probe-cuda, 2026-11-26: measured/h100-sxm5-80gb/cuda.jsonl")",
                        R"("value": "900 MiB", )" + from)},
        {"host memory, our-probe, 2026-11-20",
         "nodes/dgx-h100.json",
         shippedProfile("nodes/dgx-h100.json",
                        R"("value": "614.4 GB/s", "source": "datasheet", )"
                        R"("from": "Intel, Xeon Platinum 8480+ specifications")",
                        R"("value": "30 GB/s", )" + from)},
        {"copies to the host, our-probe, 2026-11-20",
         "nodes/dgx-h100.json",
         shippedProfile("nodes/dgx-h100.json",
                        R"("root_complexes": { "value": null, "source": null })",
                        R"("root_complexes": { "value": null, "source": null },
                            "host_bandwidth": {"value": "9 GB/s", )" +
                            from + "}")},
        {"reduce, 2026-11-20",
         "collectives/measured-reduce.json",
         collectives("reduce", "all_reduce", 8, 1)},
        {"gather, 2026-11-20",
         "collectives/measured-gather.json",
         collectives("gather", "all_gather", 8, 1)},
        {"apart, 2026-11-20",
         "collectives/measured-apart.json",
         collectives("apart", "all_gather", 16, 2)}};
}

const std::string kWork = " -m llama-3.2-1b -c dgx-h100 --seq 2048 ";

// Without the folder the numbers are others exactly where an answer names the measurement.
TEST(OwnMeasurement, IsNamedWhereANumberIsAnotherAndNowhereElse) {
    std::vector<std::string> lines;
    for (const std::string& command : {std::string("explain --section memory"),
                                       std::string("explain --section time"),
                                       std::string("compare --with seq=4096")}) {
        for (const std::string& layout : {std::string("--stack ddp"),
                                          std::string("--stack fsdp2"),
                                          std::string("--stack fsdp2 -n 2"),
                                          std::string("--stack fsdp2 --gpus 1"),
                                          std::string("--stack fsdp2 --layout "
                                                      "offload=parameters_cpu")}) {
            lines.push_back(command + kWork + layout);
        }
    }
    lines.push_back("explain --section cost --stack fsdp2" + kWork);
    lines.push_back("plan --stack ddp --global-batch 64" + kWork);
    // What is picked, and what is not, may be so by a measurement that no printed number has.
    lines.push_back("plan --stack fsdp2,ddp --top 1 --global-batch 64" + kWork);
    lines.push_back("plan --top 2 --global-batch 32" + kWork);
    lines.push_back(
        "plan --stack fsdp2 --fix shard=fsdp --global-batch 64 --sweep cluster.nodes=1,2" + kWork);
    lines.push_back("collective all_gather 1GiB -c dgx-h100");
    std::vector<ProgramOutput> builtIn;
    for (const std::string& line : lines) {
        builtIn.push_back(ran(line, {"-f", "csv"}));
        EXPECT_EQ(builtIn.back().err.find("measured: "), std::string::npos) << line;
    }
    std::size_t said = 0;
    for (const Measured& one : allMeasured()) {
        const TemporaryProfiles folder;
        folder.write(one.file, one.text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const ProgramOutput answer =
                ran(lines[i], {"-f", "csv", "--profile-dir", folder.path()});
            ASSERT_EQ(answer.code, builtIn[i].code) << lines[i] << answer.err;
            const bool isNamed = (answer.out + answer.err).find(one.name) != std::string::npos;
            EXPECT_EQ(isNamed, answer.out != builtIn[i].out) << one.name << ": " << lines[i] << '\n'
                                                             << answer.out << answer.err;
            said += isNamed ? 1U : 0U;
        }
    }
    EXPECT_GT(said, lines.size());
    EXPECT_LT(said, lines.size() * 4);
}

// It decides a plan without being in its numbers, and its twin would decide it alike.
TEST(OwnMeasurement, OfTwinsThatDecideAPlanTheOneInUseIsNamed) {
    const std::string line = "plan --stack fsdp2,ddp --top 1 --global-batch 64" + kWork;
    const auto slowGathers = [](const std::string& name) {
        std::string text = ownCollectives(name, "2026-11-12", "5000");
        return text.replace(text.find("all_reduce"), 10, "all_gather");
    };
    const TemporaryProfiles one("own_decides");
    one.write("collectives/measured-b.json", slowGathers("b"));
    const TemporaryProfiles both("own_decide");
    both.write("collectives/measured-a.json", slowGathers("a"));
    both.write("collectives/measured-b.json", slowGathers("b"));
    const std::string note = "measured: b, 2026-11-12\n";
    const std::string alone = ran(line, {"--profile-dir", one.path()}).out;
    ASSERT_NE(alone.find(note), std::string::npos) << alone;
    const std::string out = ran(line, {"--profile-dir", both.path()}).out;
    EXPECT_NE(out.find(note), std::string::npos) << out;
}

TEST(OwnMeasurement, OfOneDayTheLaterSittingIsUsed) {
    const auto begun = [](const std::string& name, const std::string& time, const char* ms) {
        std::string text = ownCollectives(name, "2026-11-12", ms);
        return text.insert(text.find(R"("curves")"), R"("begun": "2026-11-12T)" + time + "Z\",");
    };
    const TemporaryProfiles both("own_sittings");
    both.write("collectives/measured-monday.json", begun("monday", "08:00:00", "5000"));
    both.write("collectives/measured-after-fix.json", begun("after-fix", "17:30:00", "1"));
    both.write("collectives/measured-zzz.json", ownCollectives("zzz", "2026-11-12", "5000"));
    const std::string out = stepWith(both.path(), kExplainTime).out;
    for (const char* const note :
         {"measured: after-fix, 2026-11-12\n",
          "measured: monday, 2026-11-12 is not used, after-fix, 2026-11-12 is\n",
          "measured: zzz, 2026-11-12 is not used, after-fix, 2026-11-12 is\n"}) {
        EXPECT_NE(out.find(note), std::string::npos) << note << out;
    }
    const TemporaryProfiles noTime("own_no_time");
    noTime.write("collectives/measured-ours.json", begun("ours", "8 o'clock", "5"));
    const ProgramOutput refused = stepWith(noTime.path(), kExplainTime);
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_NE(refused.err.find("must be a time of UTC"), std::string::npos) << refused.err;
}

// Of a log of 8 GPUs nothing is in a forecast of what it did not measure.
TEST(OwnMeasurement, IsNamedAmongOthersThatAreNotUsed) {
    const TemporaryProfiles folder;
    for (const Measured& one : allMeasured()) {
        folder.write(one.file, one.text);
    }
    const std::string out =
        ran("explain --section time --stack ddp" + kWork, {"--profile-dir", folder.path()}).out;
    EXPECT_NE(out.find("\nmeasured: kernels, our-probe, 2026-11-20\n"), std::string::npos) << out;
    EXPECT_NE(out.find("\nmeasured: reduce, 2026-11-20\n"), std::string::npos) << out;
    for (const char* const other : {"host memory", "copies", "gather", "apart", "beside tensors"}) {
        EXPECT_EQ(out.find(std::string("measured: ") + other), std::string::npos) << out;
    }
}

}  // namespace own_measurement_test
}  // namespace fabricast
