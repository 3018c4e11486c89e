#include "cli/ask_machine.h"
#include "cli/command.h"
#include "cli/open_profiles.h"
#include "cli/probe_report.h"
#include "planner/io/text_file.h"

#include <memory>
#include <utility>

namespace fabricast {
namespace {

struct ProbeCommandFlags {
    std::string probes;
    std::string from;
};

Result<MachineInventory> machineOf(const ProbeCommandFlags& flags, const GlobalOptions& options) {
    if (flags.from.empty()) {
        return askMachine(flags.probes, options);
    }
    FABRICAST_ASSIGN(const std::string text, readTextFile(options.at(flags.from)));
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, sourceName(flags.from)));
    return readMachineInventory(root);
}

Result<Answer> runProbeCommand(const ProbeCommandFlags& flags, const GlobalOptions& options) {
    if (options.format != Format::Text && options.format != Format::Json) {
        return fail(Error::Code::BadInput, "--format", "probe prints text or json");
    }
    if (!flags.from.empty() && !flags.probes.empty()) {
        return fail(Error::Code::BadInput,
                    "--probes",
                    "is for asking this machine, and --from reads of another",
                    "leave out one of them");
    }
    FABRICAST_ASSIGN(const ProfileStore store, openProfiles(options));
    FABRICAST_ASSIGN(MachineInventory machine, machineOf(flags, options));
    FABRICAST_ASSIGN(const MachineView view, viewMachine(store, std::move(machine)));
    return Answer{.text = options.format == Format::Json ? machineJson(view) : machineText(view)};
}

}  // namespace

Command probeCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand(
        "probe", "What this machine is, and which profile it looks like; without load");
    app->footer(
        "examples:\n"
        "  fabricast probe\n"
        "  srun -N 1 fabricast-probe-host --inventory > node.json; fabricast probe --from "
        "node.json");
    const auto flags = std::make_shared<ProbeCommandFlags>();
    app->add_option(
           "--from", flags->from, "what fabricast-probe-host --inventory printed elsewhere")
        ->option_text("FILE");
    app->add_option("--probes", flags->probes, "the folder of the probe programs")
        ->option_text("DIR");
    return {app, [flags, &options] { return runProbeCommand(*flags, options); }};
}

}  // namespace fabricast
