#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace fabricast {
namespace {

/// PATH is one folder, with what a test puts there.
class Doctor : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_);
        ::setenv("PATH", folder_.c_str(), 1);
    }
    void TearDown() override {
        ::setenv("PATH", before_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
    void install(const std::string& name, const std::string& what) const {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path) << "#!/bin/sh\n" << what << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    /// By the name of each part.
    static std::map<std::string, JsonValue> partsOf(const ProgramOutput& output) {
        std::map<std::string, JsonValue> parts;
        const JsonValue root = jsonOf(output.out);
        for (const JsonValue& part : root.find("parts")->items()) {
            parts.emplace(textOf(part, "name"), part);
        }
        return parts;
    }

    const std::string before_ = std::getenv("PATH");
    const std::string folder_ = tempFolder() + "doctor";
};

TEST_F(Doctor, SaysWhatIsThereAndWhatToTypeForTheRest) {
    install("mpirun", "echo mpirun 4.1.4; echo more");
    install("git", "exit 1");
    const ProgramOutput output = ran("doctor -f json");
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    auto parts = partsOf(output);
    EXPECT_EQ(textOf(parts["MPI"], "state"), "found");
    EXPECT_EQ(textOf(parts["MPI"], "found"), "mpirun 4.1.4 (" + folder_ + "/mpirun)");
    EXPECT_EQ(textOf(parts["git"], "found"), folder_ + "/git");
    EXPECT_EQ(textOf(parts["browser"], "state"), "missing");
    EXPECT_EQ(textOf(parts["browser"], "type"), "apt-get install chromium");
    EXPECT_EQ(textOf(parts["profiles"], "state"), "found");
    for (const auto& [name, part] : parts) {
        EXPECT_NE(textOf(part, "for"), "") << name;
        EXPECT_EQ(textOf(part, "state") == "found", textOf(part, "type").empty()) << name;
    }
}

TEST_F(Doctor, FindsBrokenProfilesAndCountsOnesOwn) {
    const std::string own = tempFolder() + "doctor_own";
    std::filesystem::create_directories(own + "/gpus");
    std::ofstream(own + "/gpus/mine.json")
        << "{\"schema\": \"fabricast.gpu/1\", \"name\": \"mine\"}";
    const ProgramOutput output = ran("doctor -f json --profile-dir", {own});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    auto parts = partsOf(output);
    EXPECT_EQ(textOf(parts["profiles"], "state"), "broken");
    EXPECT_NE(textOf(parts["profiles"], "found").find("mine.json"), std::string::npos);
    EXPECT_NE(textOf(parts["your measurements"], "found").find("1 of your profiles"),
              std::string::npos);
    EXPECT_TRUE(ran("doctor --profile-dir", {own}).out.starts_with("BROKEN  "));
}

}  // namespace
}  // namespace fabricast
