#pragma once

namespace fabricast {

/// Whose attention kernel runs. Native is the one a GPU was measured with.
enum class AttentionCode { Native, Flash2, Flash3, CuDnn, Math };

}  // namespace fabricast
