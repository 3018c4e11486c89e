#include "machine/program_paths.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace fabricast {

WorkFolder::WorkFolder() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "fabricast-XXXXXX").string();
    path_ = error || ::mkdtemp(path.data()) == nullptr ? "" : path;
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
        std::filesystem::remove_all(path_, ignored);
    }
}

}  // namespace fabricast
