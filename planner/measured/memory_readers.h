#pragma once
#include "planner/result/memory_message.h"

#include <string_view>

namespace fabricast {

// One message of memory each, at its place in an unwrapped log of small letters. What it does not
// say, or says in another form, stays empty.

// Allocations that failed:
MemoryMessage readFailure(std::string_view text, MemoryMessage::Runtime runtime);
MemoryMessage readAsync(std::string_view text);
MemoryMessage readMps(std::string_view text);
MemoryMessage readNcclFailure(std::string_view text);
MemoryMessage readHostFailure(std::string_view text);

// Reports, in which nothing failed:
MemoryMessage readMegatron(std::string_view text);
MemoryMessage readDeepSpeed(std::string_view text);
MemoryMessage readTorchtitan(std::string_view text);
/// torch.cuda.memory_summary().
MemoryMessage readSummary(std::string_view text);
/// The fullest GPU of the table that nvidia-smi shows.
MemoryMessage readNvidiaSmi(std::string_view text);

}  // namespace fabricast
