#pragma once
#include "planner/base/result.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/opened_file.h"
#include "planner/text/json_document.h"

namespace fabricast {

// A program whose own loop trains one model of transformers as a Trainer does: alone on one GPU, by
// Accelerate, under DeepSpeed's engine, or adapters under DDP.

/// Key of such a program, at what runs its backward pass.
inline constexpr const char* kOwnLoop = "loop of its own";

/// Whether a program has one.
bool hasOwnLoop(const LaunchKeys& program);

/// What its loop says, as arguments of a Trainer ("--bf16" of autocast, "--deepspeed" of
/// deepspeed.initialize), among the program's own keys. `trainer`: what of it is said where a
/// Trainer's program says it.
LaunchKeys ownLoopKeys(const LaunchKeys& program, LaunchKeys trainer);

Result<JsonValue> importOwnLoop(OpenedFile& file, const ImportContext& context);

}  // namespace fabricast
