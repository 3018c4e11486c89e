#include "probes/host/host_facts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace fabricast::probe {

namespace {

constexpr std::int64_t kKibi = 1024;
/// In the kernel's list of hardware types.
constexpr std::int64_t kEthernet = 1;
constexpr std::int64_t kInfiniband = 32;

std::int64_t kibibytes(const std::string& value) {
    return leadingWhole(value).value_or(0) * kKibi;
}

void countCpus(const SystemFiles& files, HostFacts& facts) {
    const std::string folder = "sys/devices/system/cpu/";
    std::set<std::int64_t> sockets;
    std::set<std::pair<std::int64_t, std::int64_t>> cores;
    for (const std::int64_t cpu : listedNumbers(files.text(folder + "online"))) {
        ++facts.threads;
        const std::string topology = folder + "cpu" + std::to_string(cpu) + "/topology/";
        const auto socket = files.whole(topology + "physical_package_id");
        const auto core = files.whole(topology + "core_id");
        if (socket && core) {
            sockets.insert(*socket);
            cores.emplace(*socket, *core);
        }
    }
    facts.sockets = static_cast<std::int64_t>(sockets.size());
    facts.cores = static_cast<std::int64_t>(cores.size());
}

void addNumaNodes(const SystemFiles& files, HostFacts& facts) {
    const std::string folder = "sys/devices/system/node/";
    for (const std::int64_t node : listedNumbers(files.text(folder + "online"))) {
        const std::string name = "node" + std::to_string(node);
        const std::string memory = files.text(folder + name + "/meminfo");
        facts.numa.push_back(
            {node,
             static_cast<std::int64_t>(
                 listedNumbers(files.text(folder + name + "/cpulist")).size()),
             kibibytes(valueAfter(memory, "Node " + std::to_string(node) + " MemTotal"))});
    }
}

/// "400 Gb/sec (4X NDR)".
double portRate(const std::string& rate) {
    const std::size_t dot = rate.find('.');
    const double whole = static_cast<double>(leadingWhole(rate).value_or(0));
    const bool half = dot != std::string::npos && rate.substr(dot, 2) == ".5";
    return whole + (half ? 0.5 : 0.0);
}

void addRdmaPorts(const SystemFiles& files, std::vector<NetworkPort>& ports) {
    const std::string folder = "sys/class/infiniband/";
    for (const std::string& device : files.names(folder)) {
        for (const std::string& port : files.names(folder + device + "/ports")) {
            const std::string place = folder + device + "/ports/" + port + "/";
            const bool first = port == "1";
            ports.push_back(
                {.name = first ? device : device + ":" + port,
                 .kind = files.text(place + "link_layer") == "Ethernet" ? "roce" : "infiniband",
                 .gigabits = portRate(files.text(place + "rate")),
                 .pci = files.pciAddress(folder + device + "/device"),
                 .numa = files.whole(folder + device + "/device/numa_node").value_or(-1),
                 .up = files.text(place + "state").find("ACTIVE") != std::string::npos});
        }
    }
}

void addInterfaces(const SystemFiles& files, std::vector<NetworkPort>& ports) {
    std::set<std::string> known;
    for (const NetworkPort& port : ports) {
        known.insert(port.pci);
    }
    const std::string folder = "sys/class/net/";
    for (const std::string& name : files.names(folder)) {
        const std::string place = folder + name + "/";
        const auto type = files.whole(place + "type");
        const std::string pci = files.pciAddress(place + "device");
        // What has no device is a bridge, a tunnel or the loopback.
        if ((type != kEthernet && type != kInfiniband) || !files.has(place + "device") ||
            (!pci.empty() && known.contains(pci))) {
            continue;
        }
        const std::int64_t megabits = files.whole(place + "speed").value_or(0);
        constexpr double kMegaInGiga = 1000.0;
        ports.push_back(
            {.name = name,
             .kind = type == kInfiniband ? "infiniband" : "ethernet",
             .gigabits = static_cast<double>(std::max<std::int64_t>(megabits, 0)) / kMegaInGiga,
             .pci = pci,
             .numa = files.whole(place + "device/numa_node").value_or(-1),
             .up = files.text(place + "operstate") == "up"});
    }
}

}  // namespace

HostFacts hostFacts(const SystemFiles& files) {
    HostFacts facts;
    const std::string cpus = files.text("proc/cpuinfo");
    facts.cpu = valueAfter(cpus, "model name");
    facts.kernel = files.text("proc/sys/kernel/osrelease");
    facts.memory = kibibytes(valueAfter(files.text("proc/meminfo"), "MemTotal"));
    countCpus(files, facts);
    addNumaNodes(files, facts);
    return facts;
}

std::vector<NetworkPort> networkPorts(const SystemFiles& files) {
    std::vector<NetworkPort> ports;
    addRdmaPorts(files, ports);
    addInterfaces(files, ports);
    return ports;
}

}  // namespace fabricast::probe
