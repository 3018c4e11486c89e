#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_records.h"

namespace fabricast {

Result<SoftwareTiming> ProfileStore::software(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Software, name, where));
    return parsed(file, &readSoftware);
}

}  // namespace fabricast
