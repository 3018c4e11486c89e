#pragma once
#include "planner/result/memory_message.h"

#include <cstddef>
#include <span>
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

}  // namespace fabricast
