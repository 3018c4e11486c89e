#pragma once
#include "planner/result/memory_message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// A form of a message of memory: how it begins, and what reads it; or whose it is and what helps,
/// where it says nothing that can be answered.
struct MemoryForm {
    std::string_view begins;
    MemoryMessage (*read)(std::string_view text) = nullptr;
    std::size_t most = 1;    ///< bytes of such a message
    std::size_t before = 0;  ///< bytes of it that stand before that
    std::string_view what{};
    std::string_view hint{};
};

/// A text is answered by the first of these that is in it: a failure says more than a report, and
/// PyTorch's own failure more than others'.
std::span<const MemoryForm> memoryForms();

/// The line, from 1, on which a shell or a scheduler says no more than that a process was killed:
/// "Killed", "run.sh: line 3:  4242 Killed   python train.py", "srun: error: n1: task 3: Killed".
std::optional<std::int64_t> killedLine(std::string_view text);

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
