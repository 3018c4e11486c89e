#include "cli/run_program.h"
#include "tests/support/fake_probes.h"
#include "tests/support/golden.h"
#include "tests/support/program_answer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stop_token>
#include <thread>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

ProgramOutput run(const FakeProbes& probes,
                  const std::string& mode,
                  std::vector<std::string> more,
                  const Surroundings& surroundings = {}) {
    probes.play(mode);
    std::vector<std::string> arguments = {
        "calibrate", "--probes", probes.folder(), "--out", probes.at("run.jsonl")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runProgram(arguments, surroundings);
}

/// Folders differ from run to run. `folder` ends in a slash.
std::string without(std::string text, const std::string& folder) {
    for (const std::string& name : {folder, folder.substr(0, folder.size() - 1)}) {
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
            text.erase(at, name.size());
        }
    }
    return text;
}

std::size_t linesOf(const std::string& file) {
    const std::string text = contents(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(CalibrateCommand, MeasuresFitsAndSaysHowToUseIt) {
    const FakeProbes probes("ok");
    const std::string profile = probes.at("measured");
    const ProgramOutput output =
        run(probes, "ok", {"--engine", "host", "--profile", profile, "--name", "ours"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    expectGolden("calibrate_fake.txt", without(output.out, probes.at("")));
    // The machine was recognised, and said.
    EXPECT_NE(output.err.find("assuming azure-nd-h100-v5"), std::string::npos) << output.err;
    EXPECT_TRUE(fs::exists(profile + "/collectives/measured-ours.json"));
    EXPECT_EQ(runProgram({"profiles", "verify", "--profile-dir", profile}, {}).code, ExitCode::Ok);
    expectGolden("help_calibrate.txt", runProgram({"calibrate", "--help"}, {}).out);
}

TEST(CalibrateCommand, AnswersInJson) {
    const FakeProbes probes("json");
    const ProgramOutput dry =
        run(probes, "ok", {"--engine", "host", "--dry-run", "--format", "json"});
    EXPECT_EQ(dry.code, ExitCode::Ok) << dry.err;
    expectGolden("calibrate_dry.json", without(dry.out, probes.at("")));
    const std::vector<std::string> fit = {
        "--format", "json", "--profile", probes.at("measured"), "--name", "ours"};
    std::vector<std::string> both = fit;
    both.insert(both.end(), {"--engine", "auto"});
    const ProgramOutput done = run(probes, "ok", both);
    EXPECT_EQ(done.code, ExitCode::Ok) << done.err;
    expectGolden("calibrate_fake.json", without(done.out, probes.at("")));
    // What was measured is told where a probe died and where nothing could be fitted.
    std::vector<std::string> one = fit;
    one.insert(one.end(), {"--engine", "host"});
    one.insert(one.end(), {"--machine", "4x-rtx-4090"});  // the probe plays eight ranks
    const ProgramOutput dead = run(probes, "die", one);
    EXPECT_EQ(dead.code, ExitCode::Environment);
    EXPECT_NE(dead.out.find("\"status\": \"failed\""), std::string::npos) << dead.out;
    EXPECT_NE(dead.out.find("\"fitted\": null"), std::string::npos) << dead.out;
    EXPECT_NE(dead.out.find("\"fitted_why\": \"" + probes.at("run.jsonl")), std::string::npos)
        << dead.out;
    EXPECT_NE(dead.out.find("\"written\": []"), std::string::npos) << dead.out;
}

TEST(CalibrateCommand, SeveralEnginesWriteARecordEach) {
    const FakeProbes probes("auto");
    const ProgramOutput output = run(probes, "ok", {});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_EQ(linesOf(probes.at("run.host.jsonl")), 4U);
    EXPECT_EQ(linesOf(probes.at("run.cuda.jsonl")), 4U);
    EXPECT_NE(output.err.find("not measured: fabricast-probe-nccl: is not in"), std::string::npos)
        << output.err;
    EXPECT_NE(output.out.find("--from-record"), std::string::npos);
}

TEST(CalibrateCommand, SaysWhatItWouldMeasure) {
    const FakeProbes probes("dry");
    const ProgramOutput output = run(probes, "ok", {"--engine", "host", "--dry-run"});
    EXPECT_EQ(output.out,
              probes.at("fabricast-probe-host") + " --suite quick --dry-run: 3 points into " +
                  probes.at("run.jsonl") + "\n");
    EXPECT_FALSE(fs::exists(probes.at("run.jsonl")));
}

TEST(CalibrateCommand, ADeadProbeIsReportedAndResumed) {
    const FakeProbes probes("die");
    const ProgramOutput dead = run(probes, "die", {"--engine", "host"});
    EXPECT_EQ(dead.code, ExitCode::Environment);
    EXPECT_NE(dead.err.find("ended with exit code 9"), std::string::npos) << dead.err;
    EXPECT_NE(dead.err.find("rank 3 is gone"), std::string::npos) << dead.err;
    EXPECT_NE(dead.out.find("all_reduce ranks=8 nodes=1"), std::string::npos) << dead.out;
    EXPECT_EQ(linesOf(probes.at("run.jsonl")), 2U);
    const ProgramOutput killed = run(probes, "kill", {"--engine", "host"});
    EXPECT_EQ(killed.code, ExitCode::Environment);
    EXPECT_NE(killed.err.find("was killed by a signal: Killed"), std::string::npos) << killed.err;
    const ProgramOutput again = run(probes, "ok", {"--engine", "host"});
    EXPECT_EQ(again.code, ExitCode::Ok) << again.err;
    EXPECT_EQ(linesOf(probes.at("run.jsonl")), 4U);
}

TEST(CalibrateCommand, AStalledProbeIsKilledWithItsChildren) {
    const FakeProbes probes("stall");
    const auto begin = std::chrono::steady_clock::now();
    const ProgramOutput output = run(probes, "stall", {"--engine", "host", "--stall", "1s"});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 20.0);
    EXPECT_EQ(output.code, ExitCode::Environment);
    EXPECT_NE(output.err.find("stopped printing and was killed"), std::string::npos) << output.err;
    EXPECT_EQ(linesOf(probes.at("run.jsonl")), 2U);
    const std::string pid = contents(probes.at("pid"));
    ASSERT_FALSE(pid.empty());
    const auto state = [&] {
        std::string number;
        std::string name;
        std::string word;
        std::ifstream("/proc/" + pid.substr(0, pid.find('\n')) + "/stat") >> number >> name >> word;
        return word;
    };
    for (int look = 0; look < 40 && !state().empty() && state() != "Z"; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(state().empty() || state() == "Z") << state();
}

TEST(CalibrateCommand, CtrlCKeepsWhatWasMeasured) {
    const FakeProbes probes("interrupt");
    std::stop_source pressed;
    Surroundings surroundings;
    surroundings.stop = [&] { return pressed.get_token(); };
    surroundings.status = [&](const std::string& line) {
        if (line.find("[x/3]") != std::string::npos) {
            pressed.request_stop();
        }
    };
    const ProgramOutput output =
        run(probes, "slow", {"--engine", "host", "--profile", probes.at("measured")}, surroundings);
    EXPECT_EQ(output.code, ExitCode::Interrupted);
    EXPECT_NE(output.err.find("interrupted; the measurements so far are kept"), std::string::npos)
        << output.err;
    EXPECT_EQ(linesOf(probes.at("run.jsonl")), 2U);
    // Half a measurement makes no profile, and what comes next measures the other half.
    EXPECT_FALSE(fs::exists(probes.at("measured")));
    EXPECT_NE(output.out.find("\nNEXT\n  fabricast calibrate --engine host "), std::string::npos)
        << output.out;
    EXPECT_NE(output.out.find(" --profile " + probes.at("measured")), std::string::npos);
    EXPECT_EQ(output.out.find("--from-record"), std::string::npos);
}

TEST(CalibrateCommand, AFullDiskAndWrongResultsAreSaid) {
    const FakeProbes probes("full");
    const ProgramOutput full = run(probes, "full", {"--engine", "host"});
    EXPECT_EQ(full.code, ExitCode::Environment);
    EXPECT_NE(full.err.find("No space left on device\n  try: --out and a file in a folder that "
                            "takes new ones, on a disk with room\n"),
              std::string::npos)
        << full.err;
    const ProgramOutput wrong = run(probes, "wrong", {"--engine", "host"});
    EXPECT_EQ(wrong.code, ExitCode::DoesNotFit);
    EXPECT_NE(wrong.out.find("1 WRONG"), std::string::npos) << wrong.out;
}

TEST(CalibrateCommand, WhatIsMissingIsNamed) {
    const FakeProbes probes("missing");
    for (const char* const engine : {"nccl", "mpi"}) {
        const ProgramOutput output = run(probes, "ok", {"--engine", engine});
        EXPECT_EQ(output.code, ExitCode::Environment);
        EXPECT_NE(output.err.find(std::string("fabricast-probe-") + engine + ": is not in"),
                  std::string::npos)
            << output.err;
        EXPECT_NE(output.err.find(std::string("--target fabricast-probe-") + engine),
                  std::string::npos);
    }
}

TEST(CalibrateCommand, MistakesNameTheirFlag) {
    const FakeProbes probes("mistakes");
    const auto why = [&](std::vector<std::string> more) {
        const ProgramOutput output = run(probes, "ok", std::move(more));
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.err;
        return output.err.substr(0, output.err.find('\n'));
    };
    EXPECT_EQ(why({"--time-budget", "soon"}),
              "error: --time-budget: 'soon' is no time: write 90s, 5m or 1h");
    EXPECT_EQ(why({"--suite", "quik"}), "error: --suite: cannot be \"quik\"");
    EXPECT_EQ(why({"--engine", "host", "--ranks", "2"}),
              "error: --ranks: is for --engine mpi or nccl");
    EXPECT_EQ(why({"--name", "Our Own"}), "error: --name: \"Our Own\" is not a valid profile name");
    EXPECT_EQ(why({"--topology", "t.xml"}), "error: --topology: needs a profile to be kept with");
    EXPECT_EQ(why({"--from-record", "a", "--from-nccl-tests", "b"}),
              "error: --from-record: cannot be combined with --from-nccl-tests");
    EXPECT_EQ(runProgram({"calibrate", "--from-record", "/no/such.jsonl"}, {}).err,
              "error: /no/such.jsonl: cannot be opened: No such file or directory\n"
              "  try: the path of a file that is there\n");
    EXPECT_EQ(why({"--from-record", "a"}),
              "error: --probes: is for measuring, but --from-record measures nothing");
    EXPECT_EQ(why({"--engine", "host", "--tuner-dump", "x"}),
              "error: --tuner-dump: is for --engine nccl");
    EXPECT_EQ(why({"--format", "csv"}),
              "error: --format: calibrate has no csv: it prints text, json");
}

TEST(CalibrateCommand, WhatMustFailIsSaidBeforeMeasuring) {
    const FakeProbes probes("before");
    const auto why = [&](ExitCode code, std::vector<std::string> more) {
        const ProgramOutput output = run(probes, "ok", std::move(more));
        EXPECT_EQ(output.code, code) << output.err;
        EXPECT_EQ(output.out, "");
        return without(output.err.substr(0, output.err.find('\n')), probes.at(""));
    };
    const std::string file = probes.at("inventory.json");
    EXPECT_EQ(runProgram({"calibrate", "--out", "/no/such/run.jsonl"}, {}).err,
              "error: --out: the folder \"/no/such\" does not exist\n  try: mkdir -p /no/such\n");
    EXPECT_EQ(
        runProgram({"calibrate", "--out", "/usr"}, {}).err,
        "error: --out: \"/usr\" is a folder\n  try: name a file in it: --out /usr/run.jsonl\n");
    EXPECT_EQ(why(ExitCode::Environment, {"--profile", file}),
              "error: --profile: \"inventory.json\" is not a folder");
    EXPECT_EQ(why(ExitCode::Environment, {"--profile", file + "/deeper/still"}),
              "error: --profile: \"inventory.json\" is not a folder");
    EXPECT_EQ(why(ExitCode::Environment, {"--scratch", "/no/such"}),
              "error: --scratch: the folder \"/no/such\" does not exist");
    EXPECT_EQ(why(ExitCode::BadInput, {"--machine", "no-such"}).substr(0, 17), "error: --machine:");
    EXPECT_EQ(why(ExitCode::BadInput, {"--gpu", "no-such"}).substr(0, 13), "error: --gpu:");
    EXPECT_EQ(why(ExitCode::BadInput, {"--profile", probes.at("m"), "--topology", "/no/such"}),
              "error: /no/such: cannot be opened: No such file or directory");
    EXPECT_EQ(why(ExitCode::BadInput, {"--time-budget", "1e300h"}),
              "error: --time-budget: '1e300h' is longer than 30 days (720h)");
    // The machine that the probe plays has eight GPUs.
    EXPECT_EQ(why(ExitCode::BadInput, {"--gpus", "0,8"}),
              "error: --gpus: GPU 8 does not exist: there are 8 GPUs here, numbered from 0");
    EXPECT_EQ(why(ExitCode::BadInput, {"--gpus", "0,1,0"}), "error: --gpus: GPU 0 is named twice");
    EXPECT_EQ(why(ExitCode::BadInput, {"--gpus", "first"}),
              "error: --gpus: \"first\" is not a GPU number");
    EXPECT_EQ(why(ExitCode::BadInput, {"--ranks", "9"}),
              "error: --ranks: 9 ranks need one GPU each, and there are 8 GPUs here");
    EXPECT_EQ(why(ExitCode::BadInput, {"--gpus", "0,1", "--ranks", "3"}),
              "error: --ranks: 3 ranks need one GPU each, and --gpus lists 2");
    EXPECT_EQ(why(ExitCode::BadInput, {"--engine", "mpi", "--hosts", "a,; rm"}),
              "error: --hosts: \"; rm\" is not a host name");
    EXPECT_EQ(why(ExitCode::BadInput, {"--engine", "mpi", "--ranks", "2000"}),
              "error: --ranks: 2000 ranks are more than the limit of 1024 per host");
    EXPECT_FALSE(fs::exists(probes.at("run.jsonl")));
}

/// `busbw`: of the first row; it tells the operation and the number of ranks.
std::string ncclLog(const std::string& size,
                    const std::string& time,
                    const std::string& busbw = "33.23") {
    return "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
           "     1048576        262144     float     sum      -1    55.21   18.99   " +
           busbw + "      0\n    " + size + "      16777216     float     sum      -1    " + time +
           "  N/A  285.04      0\n";
}

void setWritten(const std::string& file, std::time_t when) {
    const std::array<timespec, 2> times = {timespec{when, 0}, timespec{when, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
}

/// Makes a profile of that name of a log that was written then.
void importWritten(const FakeProbes& probes,
                   const std::string& log,
                   const std::string& us,
                   const std::string& name,
                   std::time_t when) {
    std::ofstream(log) << ncclLog("67108864", us);
    setWritten(log, when);
    const ProgramOutput done =
        ran("calibrate --ranks 8 --machine dgx-h100",
            {"--from-nccl-tests", log, "--profile", probes.at("measured"), "--name", name});
    EXPECT_EQ(done.code, ExitCode::Ok) << done.err;
}

TEST(CalibrateCommand, ReplacesNoGoodProfileByABadOne) {
    const FakeProbes probes("bounds");
    const std::string log = probes.at("all_reduce_perf.log");
    const std::string profile = probes.at("measured");
    const auto imported = [&](const std::string& text) {
        std::ofstream(log) << text;
        return runProgram({"calibrate",
                           "--from-nccl-tests",
                           log,
                           "--ranks",
                           "8",
                           "--machine",
                           "dgx-h100",
                           "--profile",
                           profile,
                           "--name",
                           "ours"},
                          {});
    };
    EXPECT_EQ(imported(ncclLog("67108864", "1e200")).code, ExitCode::BadInput);
    EXPECT_FALSE(fs::exists(profile));
    ASSERT_EQ(imported(ncclLog("67108864", "412.0")).code, ExitCode::Ok);
    const std::string file = profile + "/collectives/measured-ours.json";
    const std::string good = contents(file);
    for (const auto& [size, time] :
         std::map<std::string, std::string>{{"67108864", "1e200"},
                                            {"67108865", "1e13"},
                                            {"67108866", "1e-200"},
                                            {"67108867", "19e6"},
                                            {"67108868", "17.0"},
                                            {"67108869", "412000"},
                                            {"10000000000000000", "5"}}) {
        const ProgramOutput refused = imported(ncclLog(size, time));
        EXPECT_EQ(refused.code, ExitCode::BadInput) << size << refused.err;
        EXPECT_EQ(refused.err.find("error: " + log + ":3: "), 0U) << refused.err;
        EXPECT_EQ(contents(file), good);
    }
    std::string many = ncclLog("67108864", "412.0");
    for (int row = 0; row < 2000; ++row) {
        many += "  " + std::to_string(70'000'000 + row) + " 1 float sum -1 500.0 N/A 1 0\n";
    }
    EXPECT_EQ(imported(many).code, ExitCode::BadInput);
    EXPECT_EQ(contents(file), good);
}

TEST(CalibrateCommand, JoinsNoGpuWithRanksOnCpus) {
    const FakeProbes probes("mixed");
    const std::string point = R"({"point":"gemm m=1","refused":"no"})";
    std::ofstream(probes.at("gpu.jsonl"))
        << R"({"schema":"fabricast.measurements/1","machine":{"gpu":"H100"},"program":"fabricast-probe-cuda"})"
        << '\n'
        << point << '\n';
    std::ofstream(probes.at("cpu.jsonl"))
        << R"({"schema":"fabricast.measurements/1","machine":{"kind":"cpu","cpu":"x"},)"
        << R"("program":"fabricast-probe-mpi"})" << '\n'
        << point << '\n';
    const ProgramOutput output = runProgram({"calibrate",
                                             "--from-record",
                                             probes.at("gpu.jsonl"),
                                             probes.at("cpu.jsonl"),
                                             "--profile",
                                             probes.at("p")},
                                            {});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("measures ranks on CPUs, " + probes.at("gpu.jsonl") + " a GPU"),
              std::string::npos)
        << output.err;
    EXPECT_FALSE(fs::exists(probes.at("p")));
}

TEST(CalibrateCommand, FitsLogsOfNcclTests) {
    const FakeProbes probes("import");
    const std::string log = probes.at("all_reduce_perf.log");
    std::ofstream(log)
        << "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
           "     1048576        262144     float     sum      -1    55.21   18.99   33.23      0\n"
           "    67108864      16777216     float     sum      -1    412.0  162.88  285.04      0\n";
    const std::string profile = probes.at("measured");
    const ProgramOutput output =
        runProgram({"calibrate",
                    "--from-nccl-tests",
                    log,
                    "--ranks",
                    "8",
                    "--machine",
                    "dgx-h100",
                    "--profile",
                    profile,
                    "--out",
                    probes.at("imported.jsonl"),
                    "--topology",
                    FABRICAST_SOURCE_DIR "/tests/cases/topology/four_h100.xml"},
                   {});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(fs::exists(profile + "/collectives/measured-imported.json"));
    EXPECT_TRUE(fs::exists(profile + "/topologies/imported.json"));
    EXPECT_EQ(runProgram({"topology", "--file", profile + "/topologies/imported.json"}, {}).code,
              ExitCode::Ok);
    // The record says the same as the log.
    const ProgramOutput again = runProgram({"calibrate",
                                            "--from-record",
                                            probes.at("imported.jsonl"),
                                            "--machine",
                                            "dgx-h100",
                                            "--profile",
                                            probes.at("again")},
                                           {});
    EXPECT_EQ(again.code, ExitCode::Ok) << again.err;
    EXPECT_EQ(contents(probes.at("again") + "/collectives/measured-imported.json"),
              contents(profile + "/collectives/measured-imported.json"));
}

// Records are originals: nothing else has what they have.
TEST(CalibrateCommand, ReplacesNoFileByTheRecordOfALog) {
    const FakeProbes probes("over");
    const std::string log = probes.at("all_reduce_perf.log");
    const std::string out = probes.at("out.jsonl");
    std::ofstream(log) << ncclLog("67108864", "412.0");
    const auto imported = [&](const char* more) {
        return ran("calibrate --ranks 8 --machine dgx-h100" + std::string(more),
                   {"--from-nccl-tests", log, "--out", out});
    };
    EXPECT_EQ(imported("").code, ExitCode::Ok);
    EXPECT_EQ(imported("").code, ExitCode::Ok) << "again: nothing is lost";
    // What it proposes can be typed: the record does not say which machine it is of.
    EXPECT_NE(imported("").out.find("NEXT\n  fabricast calibrate --from-record " + out +
                                    " --machine dgx-h100 --profile measured\n"),
              std::string::npos)
        << imported("").out;
    for (const std::string& older : {contents(out) + "{\"point\": \"x\"}\n",
                                     std::string("my notes"),
                                     std::string("\0\xff", 2)}) {
        std::ofstream(out, std::ios::binary) << older;
        const ProgramOutput refused = imported("");
        EXPECT_EQ(refused.code, ExitCode::BadInput) << refused.out;
        EXPECT_EQ(refused.out, "");
        EXPECT_EQ(refused.err.find("error: --out: " + out + " is there, and has"), 0U)
            << refused.err;
        EXPECT_NE(refused.err.find("try: --force"), std::string::npos) << refused.err;
        EXPECT_EQ(contents(out), older);
    }
    EXPECT_EQ(imported(" --force").code, ExitCode::Ok);
    EXPECT_NE(contents(out), "my notes");
}

// What is in a file's place is not lost, and is called what it is, with --force too.
TEST(CalibrateCommand, ReplacesWhatALinkLeadsToAndNothingThatIsNoFile) {
    const FakeProbes probes("places");
    const std::string log = probes.at("all_reduce_perf.log");
    std::ofstream(log) << ncclLog("67108864", "412.0");
    const std::string folder = probes.at("measured");
    const std::string place = folder + "/collectives/measured-ours.json";
    const auto imported = [&](const char* more) {
        return ran("calibrate --ranks 8 --machine dgx-h100 --name ours" + std::string(more),
                   {"--from-nccl-tests", log, "--profile", folder});
    };
    ASSERT_EQ(imported("").code, ExitCode::Ok);
    const std::string good = contents(place);
    const std::string real = probes.at("real.json");
    fs::rename(place, real);
    fs::create_symlink(real, place);
    std::ofstream(real) << "my notes";
    EXPECT_NE(imported("").err.find("is there, a link to " + real + ", and is damaged: "),
              std::string::npos);
    EXPECT_EQ(imported(" --force").code, ExitCode::Ok);
    EXPECT_TRUE(fs::is_symlink(place));
    EXPECT_EQ(contents(real), good);
    const auto refused = [&](const std::string& what) {
        for (const char* const more : {"", " --force"}) {
            const ProgramOutput output = imported(more);
            EXPECT_EQ(output.code, ExitCode::BadInput);
            EXPECT_EQ(output.out, "");
            EXPECT_NE(output.err.find("error: " + place + ": is " + what), std::string::npos)
                << output.err;
            EXPECT_NE(output.err.find("try: mv " + place + " " + place + ".old"), std::string::npos)
                << output.err;
        }
        fs::remove(place);
    };
    fs::remove(real);
    refused("a link to " + real + ", which is not there");
    // The raw measurements are not written over, whatever they are called.
    for (const char* const raw : {"raw_perf.log", "raw.json"}) {
        fs::copy_file(log, probes.at(raw));
        fs::create_symlink(probes.at(raw), place);
        refused("a link to " + probes.at(raw) + ", a log of nccl-tests");
        EXPECT_EQ(contents(probes.at(raw)), contents(log));
    }
    fs::copy_file(log, place);
    refused("a log of nccl-tests, where a file");
    std::ofstream(probes.at("notes.txt")) << "my notes";
    fs::create_symlink(probes.at("notes.txt"), place);
    refused("a link to " + probes.at("notes.txt") + ", which is no profile");
    fs::create_symlink("/dev/null", place);
    refused("a link to /dev/null, a device");
    fs::create_directory(place);
    refused("a folder, where a file");
    ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
    refused("a pipe, where a file");
    fs::remove_all(folder);
    fs::create_symlink("nowhere", folder);
    const ProgramOutput dangling = imported("");
    EXPECT_EQ(dangling.code, ExitCode::Environment);
    EXPECT_NE(dangling.err.find("try: mkdir -p " + probes.at("nowhere")), std::string::npos)
        << dangling.err;
    EXPECT_TRUE(fs::is_symlink(folder));
}

// Nobody typed a name: one is made of the file's.
TEST(CalibrateCommand, NamesAProfileLikeTheFileWhateverItsName) {
    const FakeProbes probes("named");
    const std::string folder = probes.at("measured");
    for (const auto& [file, name] :
         {std::pair("all_reduce 8 gpus (day 2).log", "all-reduce-8-gpus-day-2"),
          std::pair("-\xc3\xa9t\xc3\xa9 all_reduce.log", "t-all-reduce")}) {
        const std::string log = probes.at(file);
        std::ofstream(log) << ncclLog("67108864", "412.0");
        const ProgramOutput fitted = ran("calibrate --ranks 8 --machine dgx-h100",
                                         {"--from-nccl-tests", log, "--profile", folder});
        EXPECT_EQ(fitted.code, ExitCode::Ok) << fitted.err;
        EXPECT_TRUE(fs::exists(folder + "/collectives/measured-" + name + ".json")) << fitted.out;
    }
    const std::string log = probes.at("all_reduce.log");
    const ProgramOutput none =
        ran("calibrate --ranks 8 --machine dgx-h100 --out .", {"--from-nccl-tests", log});
    EXPECT_EQ(none.err,
              "error: .: its name has no letters or digits to name a profile by\n"
              "  try: --name our-h100\n");
}

TEST(CalibrateCommand, RefusesALogOfAnotherGpuThanTheMachines) {
    const FakeProbes probes("gpu");
    const std::string log = probes.at("all_reduce_perf.log");
    const auto imported = [&](const std::string& gpus, const std::string& more = "") {
        std::ofstream(log) << "# nThread 1 nGpus 1\n" + gpus +
                                  ncclLog("67108864", "412.0", "18.99");
        return ran("calibrate --machine dgx-h100 --name ours" + more,
                   {"--from-nccl-tests", log, "--profile", probes.at("measured")});
    };
    const auto rank = [](int number, const std::string& gpu) {
        return "#  Rank  " + std::to_string(number) + " Group  0 Pid 1 on a device  0 [0x18] " +
               gpu + "\n";
    };
    const std::string hopper = rank(0, "NVIDIA H100 80GB HBM3") + rank(1, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(imported(hopper).code, ExitCode::Ok);
    const std::string ampere = rank(0, "NVIDIA A100-SXM4-80GB") + rank(1, "NVIDIA A100-SXM4-80GB");
    const ProgramOutput other = imported(ampere);
    EXPECT_EQ(other.code, ExitCode::BadInput);
    EXPECT_EQ(other.out, "");
    EXPECT_EQ(other.err.find("error: " + log + ":2: was measured on \"NVIDIA A100-SXM4-80GB\" ("),
              0U)
        << other.err;
    // Without --profile too: what would be proposed next would be refused.
    const std::string record = probes.at("a100.jsonl");
    const ProgramOutput only = ran("calibrate --machine dgx-h100 --name ours",
                                   {"--from-nccl-tests", log, "--out", record});
    EXPECT_EQ(only.code, ExitCode::BadInput);
    EXPECT_EQ(only.out, "");
    EXPECT_EQ(only.err, other.err);
    EXPECT_FALSE(fs::exists(record));
    const ProgramOutput mixed = imported(hopper + rank(2, "NVIDIA A100-SXM4-80GB"));
    EXPECT_EQ(mixed.code, ExitCode::BadInput);
    EXPECT_EQ(mixed.err.find("error: " + log + ":4: is a rank on \"NVIDIA A100"), 0U) << mixed.err;
    // One that no profile knows may be the machine's: who knows it says so.
    const std::string unknown = rank(0, "Board 7") + rank(1, "Board 7");
    EXPECT_EQ(imported(unknown).code, ExitCode::BadInput);
    EXPECT_EQ(imported(unknown, " --gpu h100-sxm5-80gb").code, ExitCode::Ok);
}

TEST(CalibrateCommand, RefusesALogOfAGpuWithOtherMemoryThanTheMachines) {
    const FakeProbes probes("memory");
    const std::string log = probes.at("all_reduce_perf.log");
    const auto why = [&](const std::string& gpu, const std::string& machine) {
        const std::string rank = " Group  0 Pid 1 on a device  0 [0x18] " + gpu + "\n";
        std::ofstream(log) << "#  Rank  0" + rank + "#  Rank  1" + rank +
                                  ncclLog("67108864", "412.0", "18.99");
        return ran("calibrate --name ours --force --machine " + machine,
                   {"--from-nccl-tests", log, "--profile", probes.at("measured")})
            .err;
    };
    const auto refused = [&](const std::string& gpu, const std::string& rest) {
        return "error: " + log + ":1: was measured on \"" + gpu + "\"" + rest + "\n";
    };
    EXPECT_EQ(why("NVIDIA A100-SXM4-80GB", "dgx-a100"), "");
    EXPECT_EQ(why("NVIDIA A100-SXM4-40GB", "dgx-a100-40gb"), "");
    EXPECT_EQ(why("NVIDIA A100-SXM4-80GB", "dgx-a100-40gb"),
              refused("NVIDIA A100-SXM4-80GB",
                      " (a100-sxm4-80gb), and dgx-a100-40gb has a100-sxm4-40gb\n"
                      "  try: --machine and a cluster or node of a100-sxm4-80gb"));
    EXPECT_EQ(why("NVIDIA A100-SXM4-40GB", "dgx-a100"),
              refused("NVIDIA A100-SXM4-40GB",
                      " (a100-sxm4-40gb), and dgx-a100 has a100-sxm4-80gb\n"
                      "  try: --machine and a cluster or node of a100-sxm4-40gb"));
    // No profile has this memory.
    EXPECT_EQ(why("NVIDIA A100-PCIE-40GB", "dgx-h100"),
              refused("NVIDIA A100-PCIE-40GB",
                      ", and dgx-h100 has h100-sxm5-80gb\n"
                      "  try: --machine and a cluster or node of such GPUs"));
}

TEST(CalibrateCommand, RefusesALogOfMoreRanksThanANodeHas) {
    const FakeProbes probes("ranks");
    const std::string log = probes.at("all_reduce_perf.log");
    const auto imported = [&](const std::string& ranks) {
        std::ofstream(log) << ncclLog("67108864", "412.0", ranks == "8" ? "33.23" : "35.61");
        return ran("calibrate --machine dgx-h100 --name ours --ranks " + ranks,
                   {"--from-nccl-tests", log, "--profile", probes.at("measured")});
    };
    EXPECT_EQ(imported("8").code, ExitCode::Ok);
    const ProgramOutput more = imported("16");
    EXPECT_EQ(more.code, ExitCode::BadInput);
    EXPECT_EQ(more.out, "");
    EXPECT_NE(more.err.find(":2: has 16 ranks on 1 node, and dgx-h100 has 8 GPUs in a node"),
              std::string::npos)
        << more.err;
}

// As --help says: 1 wrong results.
TEST(CalibrateCommand, TellsWrongAndDamagedRowsOfLogs) {
    const FakeProbes probes("rows");
    const std::string log = probes.at("all_reduce_perf.log");
    const auto imported = [&](std::string text) {
        std::ofstream(log, std::ios::binary) << text;
        return ran("calibrate --ranks 8 --machine dgx-h100 --name ours",
                   {"--from-nccl-tests", log, "--profile", probes.at("measured")});
    };
    const std::string good = ncclLog("67108864", "412.0");
    std::string wrong = good;
    wrong.replace(wrong.find("285.04      0"), 13, "285.04      3");
    const ProgramOutput some = imported(wrong);
    EXPECT_EQ(some.code, ExitCode::DoesNotFit) << some.err;
    EXPECT_NE(some.err.find("1 of 2 points computed wrong results"), std::string::npos) << some.err;
    wrong.replace(wrong.find("33.23      0"), 12, "33.23      1");
    EXPECT_EQ(imported(wrong).code, ExitCode::DoesNotFit);
    const ProgramOutput cut = imported(good.substr(0, good.size() - 20) + "\n");
    EXPECT_EQ(cut.code, ExitCode::Ok) << cut.err;
    EXPECT_NE(cut.err.find(log + ":3: left out: it is a row that is damaged"), std::string::npos)
        << cut.err;
}

TEST(CalibrateCommand, ARecordOfAnUnknownProgramIsRefusedByName) {
    const FakeProbes probes("unknown");
    std::ofstream(probes.at("run.jsonl"))
        << R"({"schema":"fabricast.measurements/1","machine":{"gpu":"H100"},"program":"evil"})"
        << '\n'
        << R"({"point":"gemm m=1","unit":"s","median":1,"samples":[1]})" << '\n';
    const ProgramOutput output =
        ran("calibrate", {"--from-record", probes.at("run.jsonl"), "--profile", probes.at("p")});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err.find("\"program\" is \"evil\", which is none of fabricast-probe-cuda"),
              std::string::npos)
        << output.err;
}

TEST(CalibrateCommand, ARecordOfAnotherProbeIsRefused) {
    const FakeProbes probes("other");
    std::ofstream(probes.at("run.jsonl"))
        << R"({"schema":"fabricast.measurements/1","machine":{"gpu":"H100"},"program":"fabricast-probe-cuda"})"
        << '\n'
        << R"({"point":"gemm m=1","unit":"s","median":1,"samples":[1]})" << '\n';
    const ProgramOutput refused = run(probes, "foreign", {"--engine", "host"});
    EXPECT_EQ(refused.code, ExitCode::BadInput) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err.find("error: calibrate: nothing was measured; host: "), 0U)
        << refused.err;
    EXPECT_NE(refused.err.find("  try: --out and another file"), std::string::npos);
    std::ofstream(probes.at("run.jsonl")) << "my notes\n";
    const ProgramOutput notes = run(probes, "ok", {"--engine", "host"});
    EXPECT_EQ(notes.code, ExitCode::BadInput);
    EXPECT_EQ(notes.err.find("error: --out: " + probes.at("run.jsonl") + ":1: is no record"), 0U)
        << notes.err;
    EXPECT_EQ(contents(probes.at("run.jsonl")), "my notes\n");
    for (const char* const place : {"/dev/null", "/dev/zero"}) {
        const ProgramOutput device = ran("calibrate --engine host", {"--out", place});
        EXPECT_EQ(device.code, ExitCode::BadInput) << device.err;
        EXPECT_NE(device.err.find("is a pipe or a device"), std::string::npos) << device.err;
    }
}

TEST(CalibrateCommand, AnUndatedLogIsOfTheDayItWasWritten) {
    const FakeProbes probes("undated");
    const auto imported = [&](const std::string& name, const std::string& us, std::time_t when) {
        fs::create_directories(probes.at(name));
        importWritten(probes, probes.at(name + "/all_reduce_perf.log"), us, name, when);
    };
    imported("newer", "412.0", 1'793'000'000);  // 2026-10-26
    imported("older", "41200.0", 1'767'225'600);
    const ProgramOutput answer = ran("explain -m gpt2 -c dgx-h100 --stack ddp --section time",
                                     {"--profile-dir", probes.at("measured")});
    EXPECT_NE(answer.out.find("measured: newer, 2026-10-26\n"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("measured: older, 2026-01-01 is not used, newer, 2026-10-26 is\n"),
              std::string::npos)
        << answer.out;
}

/// All-reduces one day, all-gathers another, under one name.
TEST(CalibrateCommand, KeepsTheCurvesOfAnEarlierSitting) {
    const FakeProbes probes("curves");
    const std::string folder = probes.at("measured");
    const std::string place = folder + "/collectives/measured-ours.json";
    const auto imported = [&](const std::string& name, const std::string& more = "") {
        const std::string log = probes.at(name + "_perf.log");
        const bool gathers = name == "all_gather";
        std::string rows = ncclLog("67108864", "412.0", gathers ? "16.62" : "33.23");
        for (std::size_t at = rows.find(" sum"); gathers && at != std::string::npos;
             at = rows.find(" sum")) {
            rows.replace(at, 4, "none");
        }
        std::ofstream(log) << rows;
        setWritten(log, 1'793'000'000);
        return ran("calibrate --ranks 8 --machine dgx-h100 --name ours" + more,
                   {"--from-nccl-tests", log, "--profile", folder});
    };
    ASSERT_EQ(imported("all_reduce").code, ExitCode::Ok);
    const std::string first = contents(place);
    const ProgramOutput second = imported("all_gather");
    ASSERT_EQ(second.code, ExitCode::Ok) << second.err;
    EXPECT_NE(second.out.find("not measured, as before: 1 curve\n"), std::string::npos)
        << second.out;
    const std::string both = contents(place);
    for (const char* const part :
         {"\"all_reduce\"", "\"all_gather\"", "kept of before: nccl-tests"}) {
        EXPECT_NE(both.find(part), std::string::npos) << part << both;
    }
    EXPECT_EQ(runProgram({"profiles", "verify", "--profile-dir", folder}, {}).code, ExitCode::Ok);
    ASSERT_EQ(imported("all_reduce").code, ExitCode::Ok);
    EXPECT_NE(contents(place).find("\"all_gather\""), std::string::npos);
    ASSERT_EQ(imported("all_reduce", " --force").code, ExitCode::Ok);
    EXPECT_EQ(contents(place), first) << "as if there had been nothing";
}

TEST(CalibrateCommand, NothingWasMeasuredInTheFuture) {
    const FakeProbes probes("future");
    const std::string log = probes.at("all_reduce_perf.log");
    const std::string profile = probes.at("measured");
    const auto imported = [&] {
        return ran("calibrate --ranks 8 --machine dgx-h100 --name ours",
                   {"--from-nccl-tests", log, "--profile", profile});
    };
    const auto written = [&](std::time_t when) { setWritten(log, when); };
    std::ofstream(log) << ncclLog("67108864", "412.0");
    written(std::time(nullptr) + 10L * 365 * 24 * 3600);
    const ProgramOutput refused = imported();
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err.find("error: " + log + ": was measured on 20"), 0U) << refused.err;
    EXPECT_NE(refused.err.find(", which is in the future\n"), std::string::npos) << refused.err;
    EXPECT_FALSE(fs::exists(profile));
    const ProgramOutput shown = ran("calibrate --ranks 8", {"--from-nccl-tests", log});
    EXPECT_EQ(shown.code, ExitCode::BadInput) << "without --profile, too";
    EXPECT_EQ(shown.out, "");
    EXPECT_EQ(shown.err, refused.err);
    written(std::time(nullptr));
    ASSERT_EQ(imported().code, ExitCode::Ok);
    // A profile of such a day, whoever wrote it, does not keep an honest one out.
    const std::string place = profile + "/collectives/measured-ours.json";
    std::string text = contents(place);
    text.replace(text.find("\"date\": \"20") + 9, 4, "2099");
    std::ofstream(place) << text;
    EXPECT_EQ(imported().code, ExitCode::Ok);
    EXPECT_EQ(contents(place).find("2099"), std::string::npos);
}

TEST(CalibrateCommand, TheAnswerIsNoFileOfTheProfile) {
    const FakeProbes probes("answer_there");
    const std::string log = probes.at("all_reduce_perf.log");
    const std::string profile = probes.at("measured");
    std::ofstream(log) << ncclLog("67108864", "412.0");
    const std::string answer = profile + "/collectives/measured-ours.json";
    const ProgramOutput refused =
        ran("calibrate --ranks 8 --machine dgx-h100 --name ours",
            {"--from-nccl-tests", log, "--profile", profile, "-o", answer});
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_EQ(
        refused.err,
        "error: -o: \"" + answer +
            "\" is also written into the folder of --profile\n  try: write to another file\n");
    EXPECT_FALSE(fs::exists(profile));
    const ProgramOutput early = run(
        probes,
        "ok",
        {"--engine", "host", "--profile", profile, "-o", profile + "/nodes/azure-nd-h100-v5.json"});
    EXPECT_EQ(early.code, ExitCode::BadInput) << early.err;
    EXPECT_FALSE(fs::exists(probes.at("run.jsonl"))) << "it was measured";
    EXPECT_FALSE(fs::exists(profile));
}

// A cluster of CPUs is made under that name; a log is of the machine, whatever it is called.
TEST(CalibrateCommand, SaysHowToUseWhatHasTheNameOfTheMachine) {
    const FakeProbes probes("of_that_name");
    const std::string log = probes.at("all_reduce_perf.log");
    std::ofstream(log) << ncclLog("67108864", "412.0");
    const ProgramOutput output =
        ran("calibrate --ranks 8 --machine dgx-h100 --name dgx-h100",
            {"--from-nccl-tests", log, "--profile", probes.at("measured")});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find(" plan -m llama-3.1-8b -c dgx-h100 "), std::string::npos)
        << output.out;
}

// Neither day nor name tells two logs of one day apart; their files' times do.
TEST(CalibrateCommand, OfTwoLogsOfOneDayTheLaterIsUsed) {
    const FakeProbes probes("one_day");
    const auto imported = [&](const char* name, const char* us, std::time_t when) {
        importWritten(probes, probes.at("all_reduce_perf.log"), us, name, when);
    };
    imported("monday", "41200.0", 1'793'000'000);
    imported("after-fix", "412.0", 1'793'000'060);
    const ProgramOutput answer = ran("explain -m gpt2 -c dgx-h100 --stack ddp --section time",
                                     {"--profile-dir", probes.at("measured")});
    for (const char* const note :
         {"measured: after-fix, 2026-10-26\n",
          "measured: monday, 2026-10-26 is not used, after-fix, 2026-10-26 is\n"}) {
        EXPECT_NE(answer.out.find(note), std::string::npos) << note << answer.out;
    }
}

TEST(CalibrateCommand, JsonTellsTheNumbersOfANode) {
    const FakeProbes probes("numbers");
    std::ofstream(probes.at("node.jsonl"))
        << R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA H100 80GB HBM3"},)"
        << R"("program":"fabricast-probe-cuda","begun":"2026-11-22T18:00:00Z"})" << '\n'
        << R"({"point":"transfer bytes=268435456 kind=h2d","unit":"s","median":0.005,)"
        << R"("deviation":0,"n":2,"facts":{"bytes":268435456,"wrong":0},"samples":[0.005,0.005]})"
        << '\n';
    const ProgramOutput output = runProgram({"calibrate",
                                             "--from-record",
                                             probes.at("node.jsonl"),
                                             "--machine",
                                             "dgx-h100",
                                             "--profile",
                                             probes.at("measured"),
                                             "--format",
                                             "json"},
                                            {});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    for (const char* const part : {R"("profile": "nodes/dgx-h100")",
                                   R"("name": "pcie.host_bandwidth")",
                                   R"("before": "unknown")",
                                   R"("now": "53.7 GB/s")"}) {
        EXPECT_NE(output.out.find(part), std::string::npos) << part << "\n" << output.out;
    }
}

}  // namespace
}  // namespace fabricast
