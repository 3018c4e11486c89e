#include "planner/io/profile_store.h"
#include "planner/io/read_software.h"

namespace fabricast {

Result<SoftwareTiming> ProfileStore::software(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Software, name, where));
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    return readSoftware(root);
}

}  // namespace fabricast
