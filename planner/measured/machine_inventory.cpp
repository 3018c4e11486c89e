#include "planner/measured/machine_inventory.h"

#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kInventorySchema = "fabricast.machine/1";
constexpr JsonValue::Range kCount = {0, std::int64_t{1} << 30};
constexpr JsonValue::Range kNumber = {-1, std::int64_t{1} << 30};
constexpr JsonValue::Range kSize = {0, std::int64_t{1} << 56};
constexpr double kMostReading = 1e9;

Result<std::span<const JsonValue>> itemsOf(const JsonValue& root, std::string_view key) {
    const JsonValue* const list = root.find(key);
    if (list == nullptr) {
        return std::span<const JsonValue>();
    }
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    return list->items();
}

Result<MachineInventory::Gpu> readGpu(const JsonValue& item) {
    FABRICAST_TRY(item.expect(JsonValue::Kind::Object));
    MachineInventory::Gpu gpu;
    FABRICAST_ASSIGN(gpu.name, item.textOr("name", ""));
    FABRICAST_ASSIGN(gpu.architecture, item.textOr("architecture", ""));
    FABRICAST_ASSIGN(const std::int64_t memory, item.integerOr("memory", 0, kSize));
    gpu.memory = Bytes(memory);
    FABRICAST_ASSIGN(gpu.pci, item.textOr("pci", ""));
    FABRICAST_ASSIGN(gpu.numa, item.integerOr("numa", -1, kNumber));
    FABRICAST_ASSIGN(gpu.clockMhz, item.numberOr("clock_mhz", 0, 0, kMostReading));
    FABRICAST_ASSIGN(gpu.powerCapW, item.numberOr("power_cap_w", 0, 0, kMostReading));
    FABRICAST_ASSIGN(gpu.pcieGeneration, item.integerOr("pcie_generation", 0, kCount));
    FABRICAST_ASSIGN(gpu.pcieWidth, item.integerOr("pcie_width", 0, kCount));
    FABRICAST_ASSIGN(gpu.nvlinks, item.integerOr("nvlinks", 0, kCount));
    FABRICAST_ASSIGN(gpu.processes, item.integerOr("processes", 0, kCount));
    return gpu;
}

Result<MachineInventory::Port> readPort(const JsonValue& item) {
    FABRICAST_TRY(item.expect(JsonValue::Kind::Object));
    MachineInventory::Port port;
    FABRICAST_ASSIGN(port.name, item.textOr("name", ""));
    FABRICAST_ASSIGN(port.kind, item.textOr("kind", ""));
    FABRICAST_ASSIGN(port.gigabits, item.numberOr("gigabits", 0, 0, kMostReading));
    FABRICAST_ASSIGN(port.pci, item.textOr("pci", ""));
    FABRICAST_ASSIGN(port.numa, item.integerOr("numa", -1, kNumber));
    FABRICAST_ASSIGN(port.up, item.booleanOr("up", false));
    return port;
}

Result<void> readHost(const JsonValue& host, MachineInventory& machine) {
    FABRICAST_TRY(host.expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(machine.cpu, host.textOr("cpu", ""));
    FABRICAST_ASSIGN(machine.sockets, host.integerOr("sockets", 0, kCount));
    FABRICAST_ASSIGN(machine.cores, host.integerOr("cores", 0, kCount));
    FABRICAST_ASSIGN(machine.threads, host.integerOr("threads", 0, kCount));
    FABRICAST_ASSIGN(const std::int64_t memory, host.integerOr("memory", 0, kSize));
    machine.memory = Bytes(memory);
    FABRICAST_ASSIGN(const auto nodes, itemsOf(host, "numa"));
    machine.numaNodes = static_cast<std::int64_t>(nodes.size());
    return {};
}

}  // namespace

Result<MachineInventory> readMachineInventory(const JsonValue& root) {
    FABRICAST_ASSIGN(const JsonValue* const schema, root.require("schema"));
    FABRICAST_ASSIGN(const std::string name, schema->text());
    if (name != kInventorySchema) {
        return tl::unexpected(
            schema->problem("is not \"" + std::string(kInventorySchema) + "\"",
                            "fabricast-probe-host --inventory writes such files"));
    }
    MachineInventory machine;
    FABRICAST_ASSIGN(const JsonValue* const host, root.require("host"));
    FABRICAST_TRY(readHost(*host, machine));
    FABRICAST_ASSIGN(const auto gpus, itemsOf(root, "gpus"));
    for (const JsonValue& item : gpus) {
        FABRICAST_ASSIGN(MachineInventory::Gpu gpu, readGpu(item));
        machine.gpus.push_back(std::move(gpu));
    }
    FABRICAST_ASSIGN(const auto ports, itemsOf(root, "ports"));
    for (const JsonValue& item : ports) {
        FABRICAST_ASSIGN(MachineInventory::Port port, readPort(item));
        machine.ports.push_back(std::move(port));
    }
    FABRICAST_ASSIGN(machine.driver, root.textOr("driver", ""));
    FABRICAST_ASSIGN(machine.cudaDriver, root.textOr("cuda_driver", ""));
    if (const JsonValue* libraries = root.find("libraries")) {
        FABRICAST_TRY(libraries->expect(JsonValue::Kind::Object));
        for (const JsonValue& library : libraries->members()) {
            FABRICAST_ASSIGN(machine.libraries[library.name()], library.text());
        }
    }
    FABRICAST_ASSIGN(const auto notes, itemsOf(root, "notes"));
    for (const JsonValue& note : notes) {
        FABRICAST_ASSIGN(std::string text, note.text());
        machine.notes.push_back(std::move(text));
    }
    return machine;
}

}  // namespace fabricast
