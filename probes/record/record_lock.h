#pragma once
#include "planner/output/file_lock.h"
#include "probes/record/answer.h"

#include <filesystem>

namespace fabricast::probe {

/// The lock of a record that this probe alone writes; trouble where another one does.
Answer<FileLock> lockRecord(const std::filesystem::path& path);

/// Whether a record that is there could be locked now. Several may ask at once.
Done isRecordFree(const std::filesystem::path& path);

}  // namespace fabricast::probe
