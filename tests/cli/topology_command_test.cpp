#include "cli/run_program.h"
#include "tests/support/golden.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

ProgramOutput run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "topology");
    return runProgram(arguments, {});
}

const std::string kCases = FABRICAST_SOURCE_DIR "/tests/cases/topology/";

/// The file of a text.
std::string file(const std::string& name, const std::string& text) {
    const std::string path = tempFolder() + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

TEST(TopologyCommand, WritesEveryFormat) {
    expectGolden("topology_dgx_h100.txt", run({"-c", "dgx-h100"}).out, kExact);
    expectGolden("topology_dgx_h100_64.txt",
                 run({"-c", "dgx-h100", "-n", "64", "--fail", "node3/nic2-leaf2"}).out,
                 kExact);
    expectGolden("topology_llama3.txt",
                 run({"-c", "llama3-24k", "--fail", "spine0", "--fail", "leaf3"}).out,
                 kExact);
    expectGolden("topology_rtx_4090.md", run({"-c", "4x-rtx-4090", "--format", "md"}).out, kExact);
    expectGolden(
        "topology_rtx_4090.csv", run({"-c", "4x-rtx-4090", "--format", "csv"}).out, kExact);
    expectGolden(
        "topology_rtx_4090.dot", run({"-c", "4x-rtx-4090", "--format", "dot"}).out, kExact);
    expectGolden(
        "topology_rtx_4090.json", run({"-c", "4x-rtx-4090", "--format", "json"}).out, kExact);
    expectGolden(
        "topology_dgx_h100.svg", run({"-c", "dgx-h100", "-n", "64", "-f", "svg"}).out, kExact);
    expectGolden("help_topology.txt", run({"--help"}).out, kExact);
}

TEST(TopologyCommand, ReadsEveryKindOfFile) {
    EXPECT_TRUE(run({"--file", kCases + "four_h100.xml"}).out.starts_with("TOPOLOGY  4 GPUs"));
    EXPECT_TRUE(run({"--file", kCases + "two_boxes.json"}).out.starts_with("TOPOLOGY  4 GPUs"));
    EXPECT_TRUE(run({"--file", kCases + "eight_h100.txt", "--gpu", "h100-sxm5-80gb"})
                    .out.starts_with("TOPOLOGY  8 GPUs"));
    EXPECT_EQ(run({"--file", kCases + "eight_h100.txt", "--gpu", "rtx-4090"}).err,
              "error: --gpu: \"rtx-4090\" has no NVLink, and GPUs of " + kCases +
                  "eight_h100.txt are joined by NVLinks\n"
                  "  try: --gpu and the GPU that the table is of\n");
    const ProgramOutput nameless = run({"--file", kCases + "eight_h100.txt"});
    EXPECT_EQ(nameless.code, ExitCode::BadInput);
    EXPECT_NE(nameless.err.find("try: --gpu"), std::string::npos);
}

TEST(TopologyCommand, ReadsBackWhatItWrote) {
    const std::string text = run({"-c", "dgx-h100", "-n", "9", "--format", "json"}).out;
    const std::string path = file("fabricast_topology.json", text);
    EXPECT_EQ(run({"--file", path, "--format", "json"}).out, text);
    EXPECT_EQ(run({"--file", path}).out, run({"-c", "dgx-h100", "-n", "9"}).out);
}

TEST(TopologyCommand, ExitsWithOneWhenGpusAreCutOff) {
    EXPECT_EQ(run({"-c", "dgx-h100", "-n", "4", "--fail", "node3/nic2"}).code, ExitCode::Ok);
    const ProgramOutput lost = run({"-c", "8x-rtx-4090", "-n", "4", "--fail", "node3/nic0-leaf0"});
    EXPECT_EQ(lost.code, ExitCode::DoesNotFit);
    EXPECT_NE(lost.out.find("cut off: 8 GPUs, node3/gpu0 first"), std::string::npos) << lost.out;
}

TEST(TopologyCommand, RefusesWithWhatToType) {
    EXPECT_EQ(run({}).err,
              "error: topology: no cluster given\n  try: -c dgx-h100 -n 4, or --file topo.xml\n");
    EXPECT_EQ(run({"-c", "dgx-h100", "-n", "2", "--fail", "node1/nic2-leaf3"}).err,
              "error: --fail: unknown link or device \"node1/nic2-leaf3\"\n"
              "  try: did you mean \"node1/nic2-leaf2\"?\n");
    EXPECT_EQ(run({"-c", "dgx-h100", "--sites", "2"}).err,
              "error: --sites: the rate between the sites is not given\n"
              "  try: --wan '400 Gbps'\n");
    EXPECT_EQ(run({"-c", "dgx-h100", "--format", "png"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"-c", "dgx-h100", "--wan-latency", "1ms"}).err,
              "error: --wan-latency: there is one site, so nothing uses it\n"
              "  try: --sites 2 --wan '400 Gbps'\n");
    EXPECT_TRUE(run({"-c", "dgx-h100", "--sites", "3", "--wan", "1e-300 Gbps"})
                    .err.starts_with("error: --wan: "));
    EXPECT_TRUE(
        run({"-c", "dgx-h100", "--sites", "3", "--wan", "1 Gbps", "--wan-latency", "1e300 s"})
            .err.starts_with("error: --wan-latency: "));
    EXPECT_TRUE(run({"-c", "dgx-h100", "-n", "2", "--fabric", "nvlink4"})
                    .err.starts_with("error: --fabric: \"nvlink4\" is a link inside a node"));
}

TEST(TopologyCommand, RefusesFilesThatAreNoTopology) {
    const auto refused = [](const std::string& text) {
        const ProgramOutput output = run({"--file", file("fabricast_topology_bad", text)});
        EXPECT_EQ(output.code, ExitCode::BadInput) << text.substr(0, 80);
        EXPECT_EQ(output.out, "");
        return output.err;
    };
    EXPECT_NE(refused("hello\n").find(":1: this is not a topology"), std::string::npos);
    EXPECT_NE(refused("").find(":1: this is not a topology"), std::string::npos);
    EXPECT_NE(refused("{}").find("is not a topology"), std::string::npos);
    EXPECT_NE(refused("<system version=\"1\"/>").find(":1: there is no GPU"), std::string::npos);
    const std::string apart =
        "{\"schema\": \"fabricast.topology/1\", \"nodes\": [{\"gpu\": [\"a\", \"b\"]}], "
        "\"links\": []}";
    EXPECT_NE(refused(apart).find("b cannot reach the other GPUs"), std::string::npos);
    const auto begin = std::chrono::steady_clock::now();
    // The first line is of eight bytes and an end.
    EXPECT_NE(refused("<system>" + std::string(std::size_t{100} << 20, '\n'))
                  .find(":8388601: is larger than 8 MiB, which end in this line"),
              std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(TopologyCommand, SaysHowMuchADocumentHolds) {
    const ProgramOutput output = runProgram({"topology", "-c", "llama3-24k", "-f", "json"}, {});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("a topology of 24576 GPUs is too large for one JSON document: "),
              std::string::npos)
        << output.err;
    EXPECT_NE(output.err.find(", and it has at most "), std::string::npos) << output.err;
}

}  // namespace
}  // namespace fabricast
