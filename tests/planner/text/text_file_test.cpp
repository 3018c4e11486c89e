#include "planner/text/text_files.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace fabricast {
namespace {

std::string scratch(const std::string& name) {
    const auto folder = std::filesystem::path(tempFolder()) / "fabricast_text_file";
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

TEST(TextFile, ReadsBackWhatWasWritten) {
    const std::string path = scratch("a.json");
    ASSERT_TRUE(writeTextFile(path, "one"));
    ASSERT_TRUE(writeTextFile(path, "two\n"));
    EXPECT_EQ(readTextFile(path), "two\n");
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scratch(""))) {
        files += entry.path().filename().string().starts_with("a.json") ? 1U : 0U;
    }
    EXPECT_EQ(files, 1U) << "nothing is left beside the file";
}

TEST(TextFile, SaysWhatCannotBeReadOrWritten) {
    EXPECT_EQ(readTextFile(scratch("none.json")).error().code, Error::Code::NotFound);
    EXPECT_EQ(readTextFile(scratch("")).error().why, "cannot be read: Is a directory");
    EXPECT_EQ(readTextFile("/dev/zero").error().why,
              "is larger than 8 MiB, which end in this line");
    const auto outcome = writeTextFile(scratch("no/such/folder.json"), "x");
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Error::Code::Environment);
}

TEST(TextFile, WritesToADevice) {
    EXPECT_TRUE(writeTextFile("/dev/null", "x"));
}

TEST(TextFile, DoesNotWaitForADevice) {
    if (::access("/dev/ptmx", R_OK) != 0) {
        GTEST_SKIP() << "there is no /dev/ptmx here";
    }
    const auto text = readTextFile("/dev/ptmx");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().why, "is a device that has nothing to read");
    EXPECT_EQ(readTextFile("/dev/null").value_or("?"), "");
}

TEST(TextFile, WaitsForAPipeOnlyWhereSomebodyWritesToIt) {
    const std::string pipe = scratch("pipe");
    std::filesystem::remove(pipe);
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(readTextFile(pipe).error().why, "is a pipe that nobody writes to");
    const std::string whole(100'000, 'x');
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        std::ofstream out(pipe);  // opened late, and written to later still
        std::this_thread::sleep_for(std::chrono::seconds(4));
        out << whole;
    });
    EXPECT_EQ(readTextFile(pipe), whole);
    writer.join();
    std::thread silent([&] { const std::ofstream out(pipe); });
    EXPECT_EQ(readTextFile(pipe), "");
    silent.join();
}

}  // namespace
}  // namespace fabricast
