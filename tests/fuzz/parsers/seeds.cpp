#include "tests/fuzz/parsers/seeds.h"

#include "planner/text/text_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

/// Larger files only slow the mutations down.
constexpr std::uintmax_t kMostSeedBytes = 64 << 10;

void addFiles(const fs::path& place, std::set<fs::path>& files) {
    if (fs::is_regular_file(place)) {
        files.insert(place);
    } else if (fs::is_directory(place)) {
        for (const auto& entry : fs::recursive_directory_iterator(place)) {
            if (entry.is_regular_file() && entry.file_size() <= kMostSeedBytes) {
                files.insert(entry.path());
            }
        }
    }
}

}  // namespace

std::vector<std::string> seedsOf(const FuzzedParser& parser) {
    const fs::path tests = fs::path(FABRICAST_SOURCE_DIR) / "tests";
    std::set<fs::path> files;
    addFiles((tests / parser.seeds).lexically_normal(), files);
    addFiles(tests / "fuzz/corpus" / parser.name, files);
    std::vector<std::string> seeds;
    for (const fs::path& file : files) {
        seeds.push_back(readTextFile(file.string()).value_or(""));
    }
    return seeds;
}

}  // namespace fabricast
