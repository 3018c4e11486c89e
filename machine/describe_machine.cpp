#include "machine/describe_machine.h"

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

Result<std::optional<GpuSpec>> addGpus(const ProfileStore& store, MachineDescription& description) {
    std::optional<GpuSpec> first;
    for (const MachineInventory::Gpu& gpu : description.machine.gpus) {
        const auto same = std::ranges::find(
            description.gpus, gpu.name, &MachineDescription::KnownGpu::driverName);
        if (same != description.gpus.end()) {
            ++same->count;
            continue;
        }
        MachineDescription::KnownGpu known{.count = 1, .driverName = gpu.name};
        FABRICAST_ASSIGN(const auto profile, recogniseGpu(store, seenGpu(gpu)));
        if (profile) {
            known.profile = profile->name;
            known.title = profile->title;
            known.kernels = kernelsText(*profile);
            first = first ? first : profile;
        } else {
            description.unknown.push_back(
                "no profile matches the GPU \"" + gpu.name +
                "\": copy the nearest file of gpus/ and fill in its data sheet");
        }
        description.gpus.push_back(std::move(known));
    }
    return first;
}

/// What a forecast needs and the machine does not report.
void addUnknown(MachineDescription& description) {
    const MachineInventory& machine = description.machine;
    std::string silent;
    for (const MachineInventory::Port& port : machine.ports) {
        if (port.up && port.gigabits <= 0) {
            silent += (silent.empty() ? "" : ", ") + port.name;
        }
    }
    if (!silent.empty()) {
        description.unknown.push_back("the speed of " + silent +
                                      " is not reported: calibrate measures it");
    }
    if (machine.ports.empty()) {
        description.unknown.push_back("the machine has no network port");
    }
    for (const std::string& note : machine.notes) {
        description.unknown.push_back(note);
    }
    const auto busy =
        std::ranges::count_if(machine.gpus, [](const auto& gpu) { return gpu.processes > 0; });
    if (busy > 0) {
        description.unknown.push_back(std::to_string(busy) +
                                      (busy == 1 ? " GPU is in use" : " GPUs are in use") +
                                      ": other work on the GPUs distorts measurements");
    }
}

void addNext(MachineDescription& description) {
    const MachineInventory& machine = description.machine;
    if (machine.gpus.empty()) {
        description.next.emplace_back(
            "fabricast calibrate --engine mpi --ranks 2 --out cpu.jsonl --profile measured");
        description.next.emplace_back("fabricast calibrate --engine host --out host.jsonl");
        return;
    }
    description.next.emplace_back(
        "fabricast calibrate --suite quick --out " +
        (description.nodes.empty() ? "machine" : description.nodes.front().name) +
        ".jsonl --profile measured");
    if (!description.nodes.empty()) {
        description.next.push_back("fabricast topology -c " + description.nodes.front().name);
    }
}

}  // namespace

Result<MachineDescription> describeMachine(const ProfileStore& store, MachineInventory machine) {
    MachineDescription description{.machine = std::move(machine)};
    FABRICAST_ASSIGN(const std::optional<GpuSpec> gpu, addGpus(store, description));
    if (gpu && description.gpus.size() == 1) {
        FABRICAST_ASSIGN(description.nodes, likelyNodes(store, description.machine, *gpu));
        if (description.nodes.size() > kMostNodes) {
            description.nodes.resize(kMostNodes);
        }
        if (description.nodes.empty()) {
            description.unknown.push_back(
                "no node profile has " + std::to_string(description.machine.gpus.size()) + " of " +
                gpu->name + "; plan with --gpu " + gpu->name + " --gpus-per-node " +
                std::to_string(description.machine.gpus.size()));
        }
    } else if (description.gpus.size() > 1) {
        description.unknown.emplace_back("GPUs of several models: a node profile has one");
    }
    addUnknown(description);
    addNext(description);
    return description;
}

}  // namespace fabricast
