#pragma once
#include "planner/base/result.h"
#include "planner/result/memory_message.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Whether bytes look like a snapshot of PyTorch's allocator: a pickle, or JSON with segments.
bool isMemorySnapshot(std::string_view bytes);

/// What a file of torch.cuda.memory._dump_snapshot, or the same in JSON, says of the device that
/// holds most: its segments and blocks, the peak of the history that was recorded, and the
/// allocation that failed if nothing was allocated since. The file is not trusted: a pickle is read
/// as numbers, texts, lists and maps, and executes nothing.
Result<MemoryMessage> parseMemorySnapshot(std::string_view bytes, const std::string& source);

}  // namespace fabricast
