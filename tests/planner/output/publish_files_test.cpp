#include "planner/output/publish_files.h"

#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

class PublishFiles : public testing::Test {
protected:
    void SetUp() override { fs::remove_all(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string folder() const { return folder_.string(); }
    [[nodiscard]] std::string textAt(const std::string& path) const {
        std::ifstream file(folder_ / path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::recursive_directory_iterator(folder_), {}));
    }

private:
    // Tests run at once, each with a folder of its own.
    fs::path folder_ =
        fs::path(tempFolder()) / (std::string("publish_files_") +
                                  testing::UnitTest::GetInstance()->current_test_info()->name());
};

const std::array<FolderText, 2> kFirst = {{{"gpus/a.json", "a1"}, {"nodes/b.json", "b1"}}};
const std::array<FolderText, 2> kSecond = {{{"gpus/a.json", "a2"}, {"nodes/b.json", "b2"}}};

std::string accepted(const std::string& /*staged*/) {
    return {};
}

TEST_F(PublishFiles, WritesAllOnceTheyAreAccepted) {
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    const auto seen = [&](const std::string& staged) {
        EXPECT_EQ(textAt("gpus/a.json"), "a1") << "nothing is replaced before";
        EXPECT_TRUE(fs::exists(fs::path(staged) / "nodes/b.json"));
        return std::string();
    };
    EXPECT_EQ(publishFiles(kSecond, folder(), FolderLinks::Replaced, seen), "");
    EXPECT_EQ(textAt("gpus/a.json") + textAt("nodes/b.json"), "a2b2");
    EXPECT_EQ(entries(), 4U) << "two files in two folders";
}

TEST_F(PublishFiles, ClearsWhatDeadWritersLeft) {
    const auto left = [&](const std::string& name) {
        return fs::exists(fs::path(folder()) / name);
    };
    const auto leave = [&](const std::string& name, const std::string& file) {
        fs::create_directories(fs::path(folder()) / name);
        std::ofstream(fs::path(folder()) / name / file) << "x";
    };
    leave(".staged-abcdef", "a.json");
    leave(".staged-aside7", "older-0");
    leave(".staged-mine", "a.json");
    const auto beside = [&](const std::string& staged) {
        EXPECT_FALSE(left(".staged-abcdef"));
        // A second writer at the same time leaves the first one's.
        EXPECT_EQ(publishFiles(kSecond, folder(), FolderLinks::Replaced, accepted), "");
        EXPECT_TRUE(fs::exists(staged + "/gpus/a.json"));
        return std::string();
    };
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, beside), "");
    EXPECT_TRUE(left(".staged-aside7")) << "an older file may be nowhere else";
    EXPECT_TRUE(left(".staged-mine"));
}

TEST_F(PublishFiles, WritesNoneThatIsRefused) {
    const auto refuses = [](const std::string&) { return std::string("not these"); };
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, refuses), "not these");
    EXPECT_FALSE(fs::exists(folder())) << "it was made for them";
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    EXPECT_EQ(publishFiles(kSecond, folder(), FolderLinks::Replaced, refuses), "not these");
    EXPECT_EQ(textAt("gpus/a.json") + textAt("nodes/b.json"), "a1b1");
    EXPECT_EQ(entries(), 4U);
}

TEST_F(PublishFiles, KeepsTheRightsOfWhatItReplaces) {
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    const std::string file = folder() + "/gpus/a.json";
    ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
    const bool isRoot = ::geteuid() == 0;  // others give nothing away
    ASSERT_EQ(isRoot ? ::chown(file.c_str(), 1234, 2345) : 0, 0);
    EXPECT_EQ(publishFiles(kSecond, folder(), FolderLinks::Replaced, accepted), "");
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
    EXPECT_EQ(status.st_uid, isRoot ? 1234U : ::getuid());
    EXPECT_EQ(status.st_gid, isRoot ? 2345U : ::getgid());
    EXPECT_EQ(textAt("gpus/a.json") + textAt("nodes/b.json"), "a2b2");
}

TEST_F(PublishFiles, LeavesOneFileWithTwoNamesOne) {
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    fs::create_hard_link(folder() + "/gpus/a.json", folder() + "/gpus/other.json");
    EXPECT_EQ(publishFiles(kSecond, folder(), FolderLinks::Replaced, accepted), "");
    EXPECT_EQ(textAt("gpus/other.json"), "a2");
    fs::remove_all(folder() + "/nodes");
    std::ofstream(folder() + "/nodes") << "a file where a folder should be";
    EXPECT_NE(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    EXPECT_EQ(textAt("gpus/a.json") + textAt("gpus/other.json"), "a2a2") << "taken back";
}

// Somebody else may write into the folder, and chose where it leads.
TEST_F(PublishFiles, ReplacesALinkAndNotWhatItLeadsTo) {
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    std::ofstream(folder() + "/precious") << "precious";
    for (const char* const leads : {"../precious", "../planted", "a.json"}) {
        fs::remove(folder() + "/gpus/a.json");
        fs::create_symlink(leads, folder() + "/gpus/a.json");
        EXPECT_EQ(publishFiles(kSecond, folder(), FolderLinks::Replaced, accepted), "") << leads;
        EXPECT_FALSE(fs::is_symlink(folder() + "/gpus/a.json"));
        EXPECT_EQ(textAt("gpus/a.json"), "a2");
        EXPECT_EQ(textAt("precious"), "precious");
        EXPECT_EQ(entries(), 5U) << "nothing is planted";
    }
}

TEST_F(PublishFiles, ReplacesWhatAFollowedLinkLeadsTo) {
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    fs::rename(folder() + "/gpus/a.json", folder() + "/real");
    fs::create_symlink("../real", folder() + "/gpus/a.json");
    EXPECT_EQ(publishFiles(kSecond, folder(), FolderLinks::Followed, accepted), "");
    EXPECT_TRUE(fs::is_symlink(folder() + "/gpus/a.json"));
    EXPECT_EQ(textAt("real") + textAt("nodes/b.json"), "a2b2");
    EXPECT_EQ(entries(), 5U);
    fs::remove_all(folder() + "/nodes");
    std::ofstream(folder() + "/nodes") << "a file where a folder should be";
    EXPECT_NE(publishFiles(kFirst, folder(), FolderLinks::Followed, accepted), "");
    EXPECT_EQ(textAt("real"), "a2") << "taken back";
    fs::create_symlink("gone", folder() + "/dangling");
    EXPECT_NE(publishFiles(kFirst, folder() + "/dangling", FolderLinks::Followed, accepted), "");
    EXPECT_TRUE(fs::is_symlink(folder() + "/dangling")) << "it was not made here";
}

TEST_F(PublishFiles, ReplacesNoFolderAndNoPipe) {
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    fs::remove(folder() + "/nodes/b.json");
    fs::create_directories(folder() + "/nodes/b.json/kept");
    EXPECT_NE(publishFiles(kSecond, folder(), FolderLinks::Replaced, accepted), "");
    EXPECT_TRUE(fs::is_directory(folder() + "/nodes/b.json/kept"));
    fs::remove_all(folder() + "/nodes/b.json");
    ASSERT_EQ(::mkfifo((folder() + "/nodes/b.json").c_str(), 0600), 0);
    EXPECT_NE(publishFiles(kSecond, folder(), FolderLinks::Replaced, accepted), "");
    EXPECT_TRUE(fs::is_fifo(folder() + "/nodes/b.json"));
    EXPECT_EQ(textAt("gpus/a.json"), "a1") << "taken back";
}

TEST_F(PublishFiles, TakesBackWhatItWroteWhereOneFails) {
    EXPECT_EQ(publishFiles(kFirst, folder(), FolderLinks::Replaced, accepted), "");
    fs::remove_all(folder() + "/nodes");
    std::ofstream(folder() + "/nodes") << "a file where a folder should be";
    EXPECT_NE(publishFiles(kSecond, folder(), FolderLinks::Replaced, accepted), "");
    EXPECT_EQ(textAt("gpus/a.json"), "a1");
    EXPECT_EQ(entries(), 3U);
}

}  // namespace
}  // namespace fabricast
