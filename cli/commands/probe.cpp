#include "cli/command.h"
#include "flags/question_arguments.h"
#include "machine/describe_machine.h"
#include "machine/inventory_probe.h"

#include <memory>
#include <utility>

namespace fabricast {
namespace {

Result<Answer> runProbeCommand(const MachineRequest& flags, const GlobalOptions& options) {
    MachineRequest request;
    request.probes = flags.probes.empty() ? flags.probes : options.at(flags.probes);
    request.inventory = flags.inventory.empty() ? flags.inventory : options.at(flags.inventory);
    FABRICAST_ASSIGN(const Workbench bench, unreadWorkbenchOf(options));
    const ProfileStore& store = bench.profiles();
    FABRICAST_ASSIGN(MachineInventory machine, machineInventory(request, options.watch()));
    FABRICAST_ASSIGN(const MachineDescription description,
                     describeMachine(store, std::move(machine)));
    return Answer{.text = options.format == Format::Json ? machineJson(description)
                                                         : machineText(description)};
}

}  // namespace

Command probeCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("probe", "Show this machine's hardware and the profiles that match it");
    app.footer(
        "examples:\n"
        "  fabricast probe\n"
        "  srun -N 1 fabricast-probe-host --inventory > node.json; fabricast probe --from "
        "node.json");
    const auto flags = std::make_shared<MachineRequest>();
    app.add(
           "--from", flags->inventory, "output of fabricast-probe-host --inventory on another node")
        .takes("FILE");
    app.add("--probes", flags->probes, "folder of the probe programs").takes("DIR");
    return {
        app, [flags, &options] { return runProbeCommand(*flags, options); }, false, kTextAndJson};
}

}  // namespace fabricast
