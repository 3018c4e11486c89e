#pragma once
#include "planner/base/result.h"
#include "planner/result/memory_message.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Whether a text has a message of memory in it, be it one that is refused by its name.
bool hasMemoryMessage(std::string_view text);

/// Finds the messages in a text, such as the log of a job, and reads the one that held most. An
/// error where there is none, or none with figures.
///     FABRICAST_ASSIGN(const MemoryMessage message, parseMemoryMessage(text, "job.log"));
Result<MemoryMessage> parseMemoryMessage(std::string_view text, const std::string& source);

}  // namespace fabricast
