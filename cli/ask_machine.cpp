#include "cli/ask_machine.h"

#include "cli/child_process.h"

namespace fabricast {
namespace {

constexpr const char* kProgram = "fabricast-probe-host";
/// Asking the driver takes seconds on a machine with many GPUs, never minutes.
constexpr double kMostSeconds = 120.0;

}  // namespace

Result<MachineInventory> askMachine(const std::string& probes, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::string program,
                     findProbe(kProgram, probes.empty() ? probes : options.at(probes)));
    FABRICAST_ASSIGN(const ChildOutcome outcome,
                     runChild({.command = {program, "--inventory"},
                               .mostSeconds = kMostSeconds,
                               .interrupted = options.interrupted}));
    if (outcome.end != ChildOutcome::End::Exited || outcome.code != 0) {
        return fail(Error::Code::Environment, program, endText(outcome));
    }
    FABRICAST_ASSIGN(const JsonValue root, parseJson(outcome.out, kProgram));
    return readMachineInventory(root);
}

}  // namespace fabricast
