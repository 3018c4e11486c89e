#include "machine/inventory_probe.h"

#include "machine/child_process.h"
#include "machine/find_probe.h"
#include "planner/text/text_files.h"

namespace fabricast {
namespace {

constexpr const char* kProgram = "fabricast-probe-host";
/// Asking the driver takes seconds on a machine with many GPUs, never minutes.
constexpr double kInventorySeconds = 120.0;

Result<JsonValue> inventoryFile(const std::string& path) {
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    return parseJson(text, sourceName(path));
}

Result<JsonValue> inventoryHere(const std::string& probes, const Watch& watch) {
    FABRICAST_ASSIGN(const std::string program, findProbe(kProgram, probes));
    FABRICAST_ASSIGN(const ChildOutcome outcome,
                     runChild({.command = {program, "--inventory"},
                               .mostSeconds = kInventorySeconds,
                               .stop = watch.stop}));
    if (outcome.end != ChildOutcome::End::Exited || outcome.code != 0) {
        return fail(Error::Code::Environment, program, endText(outcome));
    }
    return parseJson(outcome.out, kProgram);
}

}  // namespace

Result<MachineInventory> machineInventory(const MachineRequest& request, const Watch& watch) {
    if (!request.inventory.empty() && !request.probes.empty()) {
        return fail(Error::Code::BadInput,
                    "--probes",
                    "is for this machine, but --from reads the inventory of another",
                    "leave out one of the two");
    }
    FABRICAST_ASSIGN(const JsonValue root,
                     request.inventory.empty() ? inventoryHere(request.probes, watch)
                                               : inventoryFile(request.inventory));
    return readMachineInventory(root);
}

}  // namespace fabricast
