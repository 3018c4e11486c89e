#include "planner/spec/check_settings.h"

namespace fabricast {

Result<void> checkNccl(const NcclSettings& settings) {
    if (settings.ring || settings.tree || settings.nvls) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "settings.nccl",
                "no algorithm is left to NCCL: ring, tree and nvls are off",
                "settings.nccl.ring=true");
}

}  // namespace fabricast
