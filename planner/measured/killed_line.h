#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast {

/// The line, from 1, on which a shell or a scheduler says no more than that a process was killed:
/// "Killed", "run.sh: line 3:  4242 Killed   python train.py", "srun: error: n1: task 3: Killed".
std::optional<std::int64_t> killedLine(std::string_view text);

}  // namespace fabricast
