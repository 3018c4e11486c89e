#pragma once
#include "planner/output/publish_files.h"

namespace fabricast {

/// A file of a profile folder: "gpus/lab-rank.json".
using ProfileText = FolderText;

}  // namespace fabricast
