#include "machine/find_probe.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

bool isProgram(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> usualFolders() {
    std::vector<fs::path> folders;
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        folders.push_back(self.parent_path());
        folders.push_back(self.parent_path().parent_path() / "probes");
    }
    const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
    const std::string listed = path == nullptr ? "" : path;
    for (std::size_t at = 0; at < listed.size();) {
        const std::size_t end = std::min(listed.find(':', at), listed.size());
        if (end > at) {
            folders.emplace_back(listed.substr(at, end - at));
        }
        at = end + 1;
    }
    return folders;
}

}  // namespace

Result<std::string> findProbe(const std::string& name, const std::string& folder) {
    const std::vector<fs::path> folders =
        folder.empty() ? usualFolders() : std::vector<fs::path>{folder};
    for (const fs::path& place : folders) {
        if (isProgram(place / name)) {
            return (place / name).string();
        }
    }
    return fail(Error::Code::Environment,
                name,
                folder.empty() ? "is not beside fabricast, not in ../probes from there, and not on "
                                 "PATH"
                               : "is not in \"" + folder + "\", which --probes names",
                "cmake --build build --target " + name + ", or name its folder: --probes DIR");
}

}  // namespace fabricast
