#include "cli/run_program.h"
#include "tests/support/golden.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace fabricast {
namespace {

const std::string kNode = FABRICAST_SOURCE_DIR "/tests/cases/probes/h100_node.json";

ProgramOutput run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "probe");
    return runProgram(arguments, {});
}

/// A folder with one program, which is a script.
std::string folderOf(const std::string& name,
                     const std::string& program,
                     const std::string& script) {
    const std::filesystem::path folder = std::filesystem::path(tempFolder()) / name;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / program) << "#!/bin/sh\n" << script;
    ::chmod((folder / program).c_str(), 0755);
    return folder.string();
}

TEST(ProbeCommand, SaysWhatAMachineLooksLike) {
    expectGolden("probe_h100_node.txt", run({"--from", kNode}).out);
    expectGolden("probe_h100_node.json", run({"--from", kNode, "--format", "json"}).out);
    expectGolden("help_probe.txt", run({"--help"}).out);
}

TEST(ProbeCommand, AsksTheHostProbe) {
    const std::string folder = folderOf(
        "fabricast_probe_a", "fabricast-probe-host", "[ \"$1\" = --inventory ] && cat " + kNode);
    EXPECT_EQ(run({"--probes", folder}).out, run({"--from", kNode}).out);
}

TEST(ProbeCommand, SaysWhatIsMissing) {
    const ProgramOutput missing = run({"--probes", "/no/such"});
    EXPECT_EQ(missing.code, ExitCode::Environment);
    EXPECT_EQ(missing.err,
              "error: fabricast-probe-host: is not in \"/no/such\", which --probes names\n"
              "  try: cmake --build build --target fabricast-probe-host, or name its folder: "
              "--probes DIR\n");
    const std::string dying = folderOf("fabricast_probe_b",
                                       "fabricast-probe-host",
                                       "echo one >&2; echo 'no sys here' >&2; exit 4");
    const ProgramOutput dead = run({"--probes", dying});
    EXPECT_EQ(dead.code, ExitCode::Environment);
    EXPECT_NE(dead.err.find("ended with exit code 4"), std::string::npos) << dead.err;
    EXPECT_NE(dead.err.find("no sys here"), std::string::npos) << dead.err;
    const std::string babbling =
        folderOf("fabricast_probe_c", "fabricast-probe-host", "echo '{\"schema\": 3'");
    EXPECT_EQ(run({"--probes", babbling}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"--from", kNode, "--format", "csv"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"--from", "/no/such.json"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"--from", kNode, "--probes", "x"}).err.substr(0, 16), "error: --probes:");
}

}  // namespace
}  // namespace fabricast
