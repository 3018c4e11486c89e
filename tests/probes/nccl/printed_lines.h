#pragma once
#include "tests/probes/nccl/nccl_job.h"
#include "tests/support/temp_folder.h"

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace fabricast::probe {

namespace fs = std::filesystem;

/// A file of this test alone, not there yet.
inline fs::path freshPath(const std::string& name) {
    fs::path path = fs::path(tempFolder()) / (std::to_string(getpid()) + "_" + name);
    fs::remove_all(path);
    return path;
}

inline std::vector<std::string> linesOf(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Lines with this in them.
inline std::size_t countOf(const std::string& text, const std::string& part) {
    const auto lines = linesOf(text);
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const auto& line) {
            return line.find(part) != std::string::npos;
        }));
}

/// The rows of nccl-tests' table.
inline std::size_t rowsOf(const std::string& out) {
    const auto lines = linesOf(out);
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [](const auto& line) {
        std::istringstream words(line);
        const std::vector<std::string> cells(std::istream_iterator<std::string>(words), {});
        return cells.size() == 13 && line.front() == ' ';
    }));
}

}  // namespace fabricast::probe
