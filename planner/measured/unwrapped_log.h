#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// A log as one line: a message that a launcher or a terminal cut into lines is whole again. What
/// launchers write before each line ("(TrainWorker pid=881) ", "[rank0]: ", "3: ") is left out
/// where the line before has the same.
std::string unwrappedLog(std::string_view text);

/// The line, from 1, whose text is at this place of the unwrapped log.
std::int64_t lineOfUnwrapped(std::string_view text, std::size_t at);

}  // namespace fabricast
