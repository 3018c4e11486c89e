#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fabricast {

/// Compares a text with tests/golden/NAME, byte for byte. FABRICAST_UPDATE_GOLDEN=1 rewrites the
/// file instead; the commit then says which formula moved, and why.
///     expectGolden("memory_text.txt", memoryText(scenario, memory));
inline void expectGolden(const std::string& name, const std::string& text) {
    const std::filesystem::path file =
        std::filesystem::path(FABRICAST_SOURCE_DIR) / "tests" / "golden" / name;
    if (std::getenv("FABRICAST_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return;
    }
    std::ifstream in(file, std::ios::binary);
    ASSERT_TRUE(in) << file << " is missing; write it with FABRICAST_UPDATE_GOLDEN=1";
    const std::string expected{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(text, expected) << file << " differs; rewrite it with FABRICAST_UPDATE_GOLDEN=1";
}

}  // namespace fabricast
