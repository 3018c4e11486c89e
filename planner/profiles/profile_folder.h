#pragma once
#include "planner/base/result.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// A file found in a folder of profiles.
struct FolderFile {
    std::string path;    ///< within the folder, with "/": "gpus/mine.json"
    std::string source;  ///< as it can be opened
    std::shared_ptr<const std::string> text;
};

/// The *.json files of a folder's subfolders `kinds`, and its sources.json, sorted by path. A
/// folder without any of them is an error: it was probably not meant.
Result<std::vector<FolderFile>> readProfileFolder(const std::string& folder,
                                                  std::span<const std::string> kinds);

}  // namespace fabricast
