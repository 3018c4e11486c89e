#pragma once
#include "tests/support/same_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fabricast {

/// Compares a text with tests/golden/NAME; numbers may be apart by the tolerance (textDifference).
/// FABRICAST_UPDATE_GOLDEN=1 rewrites a file that differs by more; the commit then says which
/// formula moved, and why.
///     expectGolden("memory_text.txt", memoryText(scenario, memory));
inline void expectGolden(const std::string& name,
                         const std::string& text,
                         TextTolerance tolerance = {}) {
    const std::filesystem::path file =
        std::filesystem::path(FABRICAST_SOURCE_DIR) / "tests" / "golden" / name;
    std::ifstream in(file, std::ios::binary);
    const std::string expected{std::istreambuf_iterator<char>(in), {}};
    const std::string difference = textDifference(text, expected, tolerance);
    if (std::getenv("FABRICAST_UPDATE_GOLDEN") != nullptr) {
        if (!in || !difference.empty()) {
            std::filesystem::create_directories(file.parent_path());
            std::ofstream(file, std::ios::binary) << text;
        }
        return;
    }
    ASSERT_TRUE(in) << file << " is missing; write it with FABRICAST_UPDATE_GOLDEN=1";
    EXPECT_EQ(difference, "") << file << " differs; rewrite it with FABRICAST_UPDATE_GOLDEN=1";
}

}  // namespace fabricast
