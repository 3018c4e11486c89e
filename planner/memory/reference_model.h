#pragma once
#include "planner/memory/device/device.h"
#include "planner/memory/program/stage_program.h"
#include "planner/sharding/stage_shape.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// Takes the second model that `settings.reference` asks for, whole or this rank's shards, for as
/// long as the device is walked. Its forward keeps nothing, and has ended before that of the model
/// which is trained.
void holdReference(const Scenario& scenario, const StageProgram& program, Device& device);

/// What a report says of it; empty without.
std::string referenceNote(const Scenario& scenario);

}  // namespace fabricast
