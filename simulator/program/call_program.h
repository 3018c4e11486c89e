#pragma once
#include "planner/schedule/comm_program.h"
#include "simulator/program/pass_writer.h"
#include "simulator/program/pipeline_program.h"

namespace fabricast {

/// The passes of every rank with the communication calls that its framework really makes: a
/// transfer begins when both sides have called it, a blocking call ends with its transfers, and
/// what was posted is waited for later. A transfer that only one side calls is an error.
Result<void> addCalls(const CommProgram& calls,
                      HandOver handOver,
                      StageOpWriter& writer,
                      PassWriter& passes);

}  // namespace fabricast
