#pragma once
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fabricast {

/// A folder of profiles for one test, gone when the test ends.
///     const TemporaryProfiles mine;
///     mine.write("gpus/ours.json", text);
///     ProfileStore::open(std::array{mine.path()});
class TemporaryProfiles {
public:
    explicit TemporaryProfiles(const std::string& suffix = {}) {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        root_ = std::filesystem::path(tempFolder()) /
                ("profiles_" + std::string(test->test_suite_name()) + test->name() + suffix);
        std::filesystem::remove_all(root_);
        std::filesystem::create_directories(root_);
    }
    TemporaryProfiles(const TemporaryProfiles&) = delete;
    TemporaryProfiles& operator=(const TemporaryProfiles&) = delete;
    ~TemporaryProfiles() { std::filesystem::remove_all(root_); }

    [[nodiscard]] std::string path(const std::string& file = {}) const {
        return file.empty() ? root_.string() : (root_ / file).string();
    }
    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }

private:
    std::filesystem::path root_;
};

inline std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file of hardware_profiles, with the first `from` in it replaced.
inline std::string shippedProfile(const std::string& file,
                                  const std::string& from = {},
                                  const std::string& to = {}) {
    std::string text =
        bytesOf(std::filesystem::path(FABRICAST_SOURCE_DIR) / "hardware_profiles" / file);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in " << file;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace fabricast
