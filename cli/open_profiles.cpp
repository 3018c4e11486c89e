#include "cli/open_profiles.h"

namespace fabricast {

Result<ProfileStore> openProfiles(const GlobalOptions& options) {
    std::vector<std::string> folders;
    for (const std::string& folder : options.profileFolders) {
        folders.push_back(options.at(folder));
    }
    return ProfileStore::open(folders);
}

}  // namespace fabricast
