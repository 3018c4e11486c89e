#include "machine/program_paths.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fabricast {

bool isProgram(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> foldersOnPath() {
    std::vector<std::string> folders;
    const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
    const std::string listed = path == nullptr ? "" : path;
    for (std::size_t at = 0; at < listed.size();) {
        const std::size_t end = std::min(listed.find(':', at), listed.size());
        if (end > at) {
            folders.push_back(listed.substr(at, end - at));
        }
        at = end + 1;
    }
    return folders;
}

std::optional<std::string> programOnPath(const std::string& name) {
    for (const std::string& folder : foldersOnPath()) {
        std::string path = (std::filesystem::path(folder) / name).string();
        if (isProgram(path)) {
            return path;
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
