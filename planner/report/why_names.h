#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The keys of --why behind what was asked: a key, or a name that a report prints, in any case and
/// with or without its unit. A name of several numbers has several: those that an answer does not
/// have are left out.
///     whyKeys("matrix products")  →  {"time.gemm"}
///     whyKeys("optimizer")        →  {"optimizer", "time.optimizer"}
std::vector<std::string> whyKeys(std::string_view asked);

}  // namespace fabricast
