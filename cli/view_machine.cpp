#include "cli/probe_report.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostNodes = 5;

std::string kernelsText(const GpuSpec& gpu) {
    if (!gpu.kernels) {
        return "none";
    }
    return gpu.kernels->donor.empty() ? "fitted" : "as " + gpu.kernels->donor;
}

Result<std::optional<GpuSpec>> addGpus(const ProfileStore& store, MachineView& view) {
    std::optional<GpuSpec> first;
    for (const MachineInventory::Gpu& gpu : view.machine.gpus) {
        const auto same =
            std::ranges::find(view.gpus, gpu.name, &MachineView::KnownGpu::driverName);
        if (same != view.gpus.end()) {
            ++same->count;
            continue;
        }
        MachineView::KnownGpu known{.count = 1, .driverName = gpu.name};
        FABRICAST_ASSIGN(const auto profile,
                         recogniseGpu(store, gpu.name, gpu.memory, gpu.architecture));
        if (profile) {
            known.profile = profile->name;
            known.title = profile->title;
            known.kernels = kernelsText(*profile);
            first = first ? first : profile;
        } else {
            view.unknown.push_back("no profile is like the GPU \"" + gpu.name +
                                   "\": copy the nearest file of gpus/ and fill in its data sheet");
        }
        view.gpus.push_back(std::move(known));
    }
    return first;
}

/// What the machine does not say, and a forecast would like to know.
void addUnknown(MachineView& view) {
    const MachineInventory& machine = view.machine;
    std::string silent;
    for (const MachineInventory::Port& port : machine.ports) {
        if (port.up && port.gigabits <= 0) {
            silent += (silent.empty() ? "" : ", ") + port.name;
        }
    }
    if (!silent.empty()) {
        view.unknown.push_back("the speed of " + silent + ": calibrate measures it");
    }
    if (machine.ports.empty()) {
        view.unknown.push_back("no port leads out of the machine");
    }
    for (const std::string& note : machine.notes) {
        view.unknown.push_back(note);
    }
    const auto busy =
        std::ranges::count_if(machine.gpus, [](const auto& gpu) { return gpu.processes > 0; });
    if (busy > 0) {
        view.unknown.push_back(std::to_string(busy) +
                               " GPUs are in use: measurements beside other work mislead");
    }
}

void addNext(MachineView& view) {
    const MachineInventory& machine = view.machine;
    if (machine.gpus.empty()) {
        view.next.emplace_back(
            "fabricast calibrate --engine mpi --ranks 2 --out cpu.jsonl --profile measured");
        view.next.emplace_back("fabricast calibrate --engine host --out host.jsonl");
        return;
    }
    view.next.emplace_back("fabricast calibrate --suite quick --out " +
                           (view.nodes.empty() ? "machine" : view.nodes.front().name) +
                           ".jsonl --profile measured");
    if (!view.nodes.empty()) {
        view.next.push_back("fabricast topology -c " + view.nodes.front().name);
    }
}

}  // namespace

Result<MachineView> viewMachine(const ProfileStore& store, MachineInventory machine) {
    MachineView view{.machine = std::move(machine)};
    FABRICAST_ASSIGN(const std::optional<GpuSpec> gpu, addGpus(store, view));
    if (gpu && view.gpus.size() == 1) {
        FABRICAST_ASSIGN(view.nodes, likelyNodes(store, view.machine, *gpu));
        if (view.nodes.size() > kMostNodes) {
            view.nodes.resize(kMostNodes);
        }
        if (view.nodes.empty()) {
            view.unknown.push_back("no node profile has " +
                                   std::to_string(view.machine.gpus.size()) + " of " + gpu->name +
                                   ": --gpu " + gpu->name + " --gpus-per-node " +
                                   std::to_string(view.machine.gpus.size()) + " plans for it");
        }
    } else if (view.gpus.size() > 1) {
        view.unknown.emplace_back("GPUs of several kinds: a node profile has one");
    }
    addUnknown(view);
    addNext(view);
    return view;
}

}  // namespace fabricast
