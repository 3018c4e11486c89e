#pragma once
#include "planner/memory/device/device.h"
#include "planner/memory/program/stage_program.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// What `settings.outer` keeps of each trained parameter of this rank, for as long as the run: the
/// parameters of the last outer step and the momentum, in fp32, divided as the parameters are. The
/// difference that sites exchange, fp32 of one fragment, lives beside a step's tensors where it is
/// overlapped, and in their place where it is not; on the host all the time.
///     GPU   8 bytes, + 4 / fragments where overlapped        host   8 + 4 / fragments
void holdOuter(const Scenario& scenario, const StageProgram& program, Device& device);
Bytes outerOnHost(const Scenario& scenario, const StageProgram& program);

/// What a report says of it; empty without.
std::string outerNote(const Scenario& scenario);

}  // namespace fabricast
