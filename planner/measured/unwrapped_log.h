#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// A log without its blanks and line breaks: a message that a launcher or a terminal cut into
/// lines, inside words too, is whole again. What launchers write before each line
/// ("(TrainWorker pid=881) ", "[rank0]: ", "3: ", "> ") is left out where the last such words were
/// the same. Between figures one letter is left, as they may be of one number or of two: '\n' where
/// the line ends between them, ' ' where it does not.
///     unwrappedLog("of 23.6\n4 GiB, and 961 MiB")   →  "of23.6\n4GiB,and961MiB"
std::string unwrappedLog(std::string_view text);

/// The line, from 1, whose text is at this place of the unwrapped log.
std::int64_t lineOfUnwrapped(std::string_view text, std::size_t at);

}  // namespace fabricast
