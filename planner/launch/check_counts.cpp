#include "planner/launch/import_settings.h"

namespace fabricast {

Result<void> checkCounts(LaunchKeys& keys, std::initializer_list<std::string_view> paths) {
    for (const std::string_view path : paths) {
        FABRICAST_ASSIGN(const auto count, keys.whole(path));
        if (count && *count < 1) {
            return keys.refuse(*keys.use(path), "must be 1 or more", "1");
        }
    }
    return {};
}

}  // namespace fabricast
