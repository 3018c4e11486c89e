#include "probes/host/host_program.h"
#include "probes/host/library_versions.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace fabricast::probe {

namespace {

void addKnown(JsonLine& line, const char* name, std::int64_t value) {
    if (value > 0) {
        line.add(name, value);
    }
}

void addKnown(JsonLine& line, const char* name, double value) {
    if (value > 0) {
        line.add(name, value);
    }
}

void addKnown(JsonLine& line, const char* name, const std::string& text) {
    if (!text.empty()) {
        line.add(name, text);
    }
}

JsonLine hostLine(const HostFacts& host) {
    JsonLine line;
    addKnown(line, "cpu", host.cpu);
    addKnown(line, "sockets", host.sockets);
    addKnown(line, "cores", host.cores);
    addKnown(line, "threads", host.threads);
    addKnown(line, "memory", host.memory);
    addKnown(line, "kernel", host.kernel);
    std::vector<JsonLine> nodes;
    for (const HostFacts::NumaNode& node : host.numa) {
        nodes.push_back(
            JsonLine().add("node", node.number).add("cpus", node.cpus).add("memory", node.memory));
    }
    return line.add("numa", nodes);
}

JsonLine portLine(const NetworkPort& port) {
    JsonLine line;
    line.add("name", port.name).add("kind", port.kind);
    addKnown(line, "gigabits", port.gigabits);
    addKnown(line, "pci", port.pci);
    if (port.numa >= 0) {
        line.add("numa", port.numa);
    }
    return line.add("up", port.up);
}

JsonLine gpuLine(const InstalledGpu& gpu) {
    JsonLine line;
    line.add("index", gpu.index).add("name", gpu.name);
    addKnown(line, "architecture", gpu.architecture);
    addKnown(line, "memory", gpu.memory);
    addKnown(line, "pci", gpu.pci);
    if (gpu.numa >= 0) {
        line.add("numa", gpu.numa);
    }
    addKnown(line, "clock_mhz", gpu.mostClock);
    addKnown(line, "memory_clock_mhz", gpu.mostMemoryClock);
    addKnown(line, "power_cap_w", gpu.powerCap);
    addKnown(line, "pcie_generation", gpu.pcieGeneration);
    addKnown(line, "pcie_width", gpu.pcieWidth);
    line.add("nvlinks", gpu.nvlinks);
    return line.add("processes", gpu.processes);
}

/// Where NVML is missing (a container without it), the driver's own files name the GPUs.
std::vector<InstalledGpu> driverFiles(const SystemFiles& files) {
    const std::string folder = "proc/driver/nvidia/gpus/";
    std::vector<InstalledGpu> gpus;
    for (const std::string& address : files.names(folder)) {
        const std::string text = files.text(folder + address + "/information");
        gpus.push_back({.index = static_cast<std::int64_t>(gpus.size()),
                        .name = valueAfter(text, "Model"),
                        .pci = address});
    }
    return gpus;
}

/// The first word that is a number with dots: "580.159.03" of "NVRM version: NVIDIA UNIX Open
/// Kernel Module for x86_64  580.159.03  Release …".
std::string moduleVersion(const std::string& text) {
    std::istringstream words(valueAfter(text, "NVRM version"));
    for (std::string word; words >> word;) {
        if (word.find('.') != std::string::npos &&
            word.find_first_not_of("0123456789.") == std::string::npos) {
            return word;
        }
    }
    return "";
}

}  // namespace

Inventory takeInventory(const SystemFiles& files, bool askDriver) {
    Inventory inventory{.host = hostFacts(files), .ports = networkPorts(files)};
    if (askDriver) {
        Answer<InstalledDriver> driver = installedDriver();
        if (driver) {
            inventory.driver = *driver;
        } else {
            inventory.notes.push_back(driver.trouble().why);
        }
        inventory.libraries = libraryVersions();
    }
    InstalledDriver& driver = inventory.driver;
    if (driver.version.empty()) {
        driver.version = moduleVersion(files.text("proc/driver/nvidia/version"));
    }
    if (driver.gpus.empty()) {
        driver.gpus = driverFiles(files);
    }
    for (InstalledGpu& gpu : driver.gpus) {
        gpu.numa = files.whole("sys/bus/pci/devices/" + gpu.pci + "/numa_node").value_or(-1);
    }
    return inventory;
}

JsonLine inventoryLine(const Inventory& inventory) {
    JsonLine line;
    line.add("schema", "fabricast.machine/1").add("host", hostLine(inventory.host));
    std::vector<JsonLine> ports;
    std::ranges::transform(inventory.ports, std::back_inserter(ports), portLine);
    std::vector<JsonLine> gpus;
    std::ranges::transform(inventory.driver.gpus, std::back_inserter(gpus), gpuLine);
    line.add("ports", ports).add("gpus", gpus);
    addKnown(line, "driver", inventory.driver.version);
    addKnown(line, "cuda_driver", inventory.driver.cudaVersion);
    return line.add("libraries", inventory.libraries).add("notes", inventory.notes);
}

}  // namespace fabricast::probe
