#pragma once

namespace fabricast {

/// Whose attention kernel runs. Native is the one a GPU was measured with; Triton is that of 2023,
/// which could add a bias per pair when the others could not.
enum class AttentionCode { Native, Flash2, Flash3, CuDnn, Triton, Math };

}  // namespace fabricast
