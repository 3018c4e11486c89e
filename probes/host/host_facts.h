#pragma once
#include "probes/host/system_files.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

/// CPUs and memory of a machine. 0 and empty: the kernel does not say.
struct HostFacts {
    struct NumaNode {
        std::int64_t number = 0;
        std::int64_t cpus = 0;
        std::int64_t memory = 0;  ///< bytes
    };
    std::string cpu;  ///< "AMD EPYC 9654 96-Core Processor"
    std::int64_t sockets = 0;
    std::int64_t cores = 0;
    std::int64_t threads = 0;
    std::int64_t memory = 0;  ///< bytes
    std::string kernel;
    std::vector<NumaNode> numa;
};
HostFacts hostFacts(const SystemFiles& files);

/// One port to a network.
struct NetworkPort {
    std::string name;        ///< "eth0", "mlx5_0"
    std::string kind;        ///< "ethernet", "infiniband", "roce"
    double gigabits = 0.0;   ///< a second; 0: unknown (virtual or down)
    std::string pci;         ///< "0000:18:00.0"
    std::int64_t numa = -1;  ///< -1: unknown
    bool up = false;
};

/// Every port that leads out of the machine, RDMA devices by their own name and not once more as
/// the network interface on top of them.
std::vector<NetworkPort> networkPorts(const SystemFiles& files);

}  // namespace fabricast::probe
