#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

/// The project's files and what they include, for the tests that read them.
namespace fabricast::layering {

namespace fs = std::filesystem;

inline const fs::path kRoot = FABRICAST_SOURCE_DIR;

/// A line that includes a file.
struct Include {
    fs::path file;  ///< from the repository root
    int line = 0;
    std::string target;
    bool quoted = false;
};

inline bool isSource(const fs::path& file) {
    return file.extension() == ".h" || file.extension() == ".cpp" || file.extension() == ".cu";
}

inline std::vector<fs::path> sourcesUnder(const std::string& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
        if (entry.is_regular_file() && isSource(entry.path())) {
            files.push_back(fs::relative(entry.path(), kRoot));
        }
    }
    std::ranges::sort(files);
    return files;
}

inline std::vector<fs::path> allSources() {
    std::vector<fs::path> files;
    for (const char* folder : {"planner",
                               "simulator",
                               "study",
                               "machine",
                               "manual",
                               "flags",
                               "cli",
                               "gui",
                               "probes",
                               "tests"}) {
        std::ranges::copy(sourcesUnder(folder), std::back_inserter(files));
    }
    return files;
}

inline std::vector<std::string> linesOf(const fs::path& file) {
    std::ifstream in(kRoot / file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

inline std::vector<Include> includesOf(const fs::path& file) {
    static const std::regex kInclude(R"(^\s*#\s*include\s+([<"])([^>"]+)[>"])");
    std::vector<Include> includes;
    int number = 0;
    for (const std::string& line : linesOf(file)) {
        ++number;
        std::smatch match;
        if (line.find("include") != std::string::npos && std::regex_search(line, match, kInclude)) {
            includes.push_back({file, number, match[2].str(), match[1].str() == "\""});
        }
    }
    return includes;
}

}  // namespace fabricast::layering
