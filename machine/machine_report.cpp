#include "machine/describe_machine.h"
#include "machine/report_lines.h"
#include "planner/report/table.h"

#include <fmt/format.h>

namespace fabricast {
namespace {

std::string gigabytes(Bytes bytes) {
    return bytes.count() > 0 ? fmt::format("{:.1f} GB", static_cast<double>(bytes.count()) / 1e9)
                             : std::string("?");
}

/// "2 cores"; `what` has its s.
std::string counted(std::int64_t number, std::string_view what) {
    const std::string_view name = number == 1 ? what.substr(0, what.size() - 1) : what;
    return number > 0 ? fmt::format("{} {}", number, name) : fmt::format("unknown {}", what);
}

std::string hostText(const MachineInventory& machine) {
    Table table{{{""}, {""}}, {}};
    const auto add = [&](const char* name, std::string value) {
        table.rows.push_back({name, std::move(value)});
    };
    add("CPU", machine.cpu.empty() ? "unknown" : machine.cpu);
    add("",
        counted(machine.sockets, "sockets") + ", " + counted(machine.cores, "cores") + ", " +
            counted(machine.threads, "threads") + ", " + counted(machine.numaNodes, "NUMA nodes"));
    add("memory", gigabytes(machine.memory));
    if (!machine.driver.empty()) {
        add("driver",
            machine.driver +
                (machine.cudaDriver.empty() ? "" : ", serves CUDA " + machine.cudaDriver));
    }
    for (const auto& [name, version] : machine.libraries) {
        add(name.c_str(), version);
    }
    const std::string text = alignedText(table);
    return text.substr(text.find('\n') + 1);  // without its empty titles
}

std::string orUnknown(double value, const char* unit) {
    return value > 0 ? fmt::format("{:g}{}", value, unit) : std::string("?");
}

std::string numaText(std::int64_t numa) {
    return numa >= 0 ? std::to_string(numa) : "?";
}

std::string gpusText(const MachineInventory& machine) {
    Table table{{{"GPU", Align::Right},
                 {"name"},
                 {"memory", Align::Right},
                 {"clock", Align::Right},
                 {"power", Align::Right},
                 {"PCIe"},
                 {"NVLinks", Align::Right},
                 {"NUMA", Align::Right},
                 {"address"}},
                {}};
    for (std::size_t index = 0; index < machine.gpus.size(); ++index) {
        const MachineInventory::Gpu& gpu = machine.gpus[index];
        table.rows.push_back({std::to_string(index),
                              gpu.name,
                              gigabytes(gpu.memory),
                              orUnknown(gpu.clockMhz, " MHz"),
                              orUnknown(gpu.powerCapW, " W"),
                              gpu.pcieGeneration > 0
                                  ? fmt::format("{} x{}", gpu.pcieGeneration, gpu.pcieWidth)
                                  : "?",
                              std::to_string(gpu.nvlinks),
                              numaText(gpu.numa),
                              gpu.pci});
    }
    return alignedText(table);
}

std::string portsText(const MachineInventory& machine) {
    Table table{{{"port"},
                 {"kind"},
                 {"Gb/s", Align::Right},
                 {"state"},
                 {"NUMA", Align::Right},
                 {"address"}},
                {}};
    for (const MachineInventory::Port& port : machine.ports) {
        table.rows.push_back({port.name,
                              port.kind,
                              orUnknown(port.gigabits, ""),
                              port.up ? "up" : "down",
                              numaText(port.numa),
                              port.pci});
    }
    return alignedText(table);
}

std::string likenessText(const MachineDescription& description) {
    std::string text;
    for (const MachineDescription::KnownGpu& gpu : description.gpus) {
        text += gpu.profile.empty()
                    ? fmt::format("  {}x {}: no profile\n", gpu.count, gpu.driverName)
                    : fmt::format("  {}x {}: {} (kernels: {})\n",
                                  gpu.count,
                                  gpu.driverName,
                                  gpu.profile,
                                  gpu.kernels);
    }
    for (const LikelyNode& node : description.nodes) {
        text += fmt::format("  {} ({}): {}", node.name, node.title, fmt::join(node.same, ", "));
        text +=
            node.unlike.empty() ? "\n" : fmt::format("; but {}\n", fmt::join(node.unlike, ", "));
    }
    return text;
}

void addNumber(JsonText& json, std::string_view key, double value) {
    if (value > 0) {
        json.add(key, value);
    }
}

void addMachine(JsonText& json, const MachineInventory& machine) {
    json.beginObject("machine");
    json.add("cpu", machine.cpu);
    json.add("sockets", machine.sockets);
    json.add("cores", machine.cores);
    json.add("threads", machine.threads);
    json.add("numa_nodes", machine.numaNodes);
    json.add("memory_bytes", machine.memory);
    json.beginArray("gpus");
    for (const MachineInventory::Gpu& gpu : machine.gpus) {
        json.beginObject();
        json.add("name", gpu.name);
        json.add("memory_bytes", gpu.memory);
        json.add("pci", gpu.pci);
        json.add("numa", gpu.numa);
        addNumber(json, "clock_mhz", gpu.clockMhz);
        addNumber(json, "power_cap_w", gpu.powerCapW);
        json.add("pcie_generation", gpu.pcieGeneration);
        json.add("pcie_width", gpu.pcieWidth);
        json.add("nvlinks", gpu.nvlinks);
        json.add("processes", gpu.processes);
        json.end();
    }
    json.end();
    json.beginArray("ports");
    for (const MachineInventory::Port& port : machine.ports) {
        json.beginObject();
        json.add("name", port.name);
        json.add("kind", port.kind);
        addNumber(json, "gigabits", port.gigabits);
        json.add("pci", port.pci);
        json.add("numa", port.numa);
        json.add("up", port.up);
        json.end();
    }
    json.end();
    json.add("driver", machine.driver);
    json.beginObject("libraries");
    for (const auto& [name, version] : machine.libraries) {
        json.add(name, version);
    }
    json.end();
    json.end();
}

}  // namespace

std::string machineText(const MachineDescription& description) {
    std::string text = "MACHINE\n" + hostText(description.machine);
    text += description.machine.gpus.empty() ? "" : "\n" + gpusText(description.machine);
    text += description.machine.ports.empty() ? "" : "\n" + portsText(description.machine);
    text += description.gpus.empty() ? "" : "\nLOOKS LIKE\n" + likenessText(description);
    text += description.unknown.empty() ? "" : "\nUNKNOWN\n" + indentedLines(description.unknown);
    return text + "\nNEXT\n" + indentedLines(description.next);
}

std::string machineJson(const MachineDescription& description) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.machine_view/1");
    addMachine(json, description.machine);
    json.beginArray("gpus");
    for (const MachineDescription::KnownGpu& gpu : description.gpus) {
        json.beginObject();
        json.add("count", gpu.count);
        json.add("driver_name", gpu.driverName);
        json.add("profile", gpu.profile);
        json.add("kernels", gpu.kernels);
        json.end();
    }
    json.end();
    json.beginArray("nodes");
    for (const LikelyNode& node : description.nodes) {
        json.beginObject();
        json.add("profile", node.name);
        addTexts(json, "same", node.same);
        addTexts(json, "unlike", node.unlike);
        json.end();
    }
    json.end();
    addTexts(json, "unknown", description.unknown);
    addTexts(json, "next", description.next);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
