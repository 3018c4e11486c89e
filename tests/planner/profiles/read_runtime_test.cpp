#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_records.h"
#include "planner/profiles/verify_profiles.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

std::string whyNot(const std::string& text) {
    const auto runtime = readRuntime(parseJson(text, "r.json").value());
    return runtime ? "read" : runtime.error().text();
}

TEST(ReadRuntime, WritesWhatItReads) {
    const RuntimeMemory usual = *ProfileStore::builtIn().runtime("usual");
    const std::string text = runtimeJson(usual, "usual");
    const RuntimeMemory again = *readRuntime(*parseJson(text, "r.json"));
    EXPECT_EQ(runtimeJson(again, "usual"), text);
    EXPECT_EQ(again.context.value, usual.context.value);
    EXPECT_EQ(again.communicator.hi, 600_MiB);
}

/// What is not said of a communicator, or of its channels, NCCL's rules say.
TEST(ReadRuntime, KeepsWhatWasSeenOfACommunicator) {
    RuntimeMemory runtime = *ProfileStore::builtIn().runtime("h100-sxm5-80gb");
    EXPECT_EQ(runtime.communicator.hi, 1536_MiB);
    runtime.channels = {.value = 16, .source = Source::Measured, .from = "a log"};
    const RuntimeMemory again = *readRuntime(*parseJson(runtimeJson(runtime, "own"), "r.json"));
    EXPECT_EQ(again.communicator, runtime.communicator);
    EXPECT_EQ(again.channels, runtime.channels);
}

TEST(ReadRuntime, AllOfItMustBeKnown) {
    std::string text = runtimeJson(*ProfileStore::builtIn().runtime("usual"), "usual");
    EXPECT_EQ(whyNot(text), "read");
    const std::string value = "\"512 MiB\"";
    text.replace(text.find(value), value.size(), "null");
    EXPECT_NE(whyNot(text), "read");
    EXPECT_NE(whyNot(R"({"schema":"fabricast.runtime/1","name":"x","title":"X",
        "context":{"value":null,"source":null}})")
                  .find("\"context\" must be known"),
              std::string::npos);
    EXPECT_NE(whyNot(R"({"schema":"fabricast.runtime/1","name":"x","title":"X","size":1})")
                  .find("\"size\""),
              std::string::npos);
}

TEST(ReadRuntime, IsNamedAfterAGpu) {
    const auto folder = std::filesystem::path(tempFolder()) / "fabricast_runtimes";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "runtimes");
    RuntimeMemory runtime = *ProfileStore::builtIn().runtime("usual");
    runtime.context.value = 500_MiB;
    std::ofstream(folder / "runtimes/b200-sxm-180gb.json")
        << runtimeJson(runtime, "b200-sxm-180gb");
    const std::vector<std::string> folders = {folder.string()};
    const ProfileStore store = *ProfileStore::open(folders);
    EXPECT_EQ(*store.gpu("b200")->runtime.context.value, 500_MiB);
    EXPECT_EQ(*store.gpu("h200")->runtime.context.value, 536_MiB);
    EXPECT_EQ(verifyProfiles(store).findings.size(),
              verifyProfiles(ProfileStore::builtIn()).findings.size());
    std::ofstream(folder / "runtimes/no-such.json") << runtimeJson(runtime, "no-such");
    const auto findings = verifyProfiles(*ProfileStore::open(folders)).findings;
    ASSERT_FALSE(findings.empty());
    EXPECT_NE(findings.back().why.find("no-such"), std::string::npos) << findings.back().why;
}

}  // namespace
}  // namespace fabricast
