#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One profile in a listing.
struct ProfileRow {
    ProfileKind kind = ProfileKind::Gpu;
    std::string name;
    std::string title;
    std::string summary;  ///< the few numbers one compares: "80 GB, 3.35 TB/s, bf16 989 TFLOP/s"
    bool builtIn = true;
};

/// All profiles, or those of one kind, sorted by kind and name.
Result<std::vector<ProfileRow>> listProfiles(const ProfileStore& store,
                                             std::optional<ProfileKind> kind = {});

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

/// One file of hardware_profiles as it was when the program was built.
struct EmbeddedFile {
    std::string_view path;  ///< within hardware_profiles: "gpus/h100-sxm5-80gb.json"
    std::string_view text;
};

/// All of them, sorted by path. The build writes the source of this function.
std::span<const EmbeddedFile> embeddedProfiles();

}  // namespace fabricast
