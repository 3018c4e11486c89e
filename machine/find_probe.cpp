#include "machine/find_probe.h"

#include "machine/program_paths.h"

#include <filesystem>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> usualFolders() {
    std::vector<fs::path> folders;
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        folders.push_back(self.parent_path());
        folders.push_back(self.parent_path().parent_path() / "probes");
    }
    for (const std::string& folder : foldersOnPath()) {
        folders.emplace_back(folder);
    }
    return folders;
}

}  // namespace

Result<std::string> findProbe(const std::string& name, const std::string& folder) {
    const std::vector<fs::path> folders =
        folder.empty() ? usualFolders() : std::vector<fs::path>{folder};
    for (const fs::path& place : folders) {
        if (isProgram((place / name).string())) {
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
