#pragma once
#include "tests/support/temp_folder.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace fabricast::probe {

/// A folder with files as the kernel has them, created for each test.
class MadeUpMachine {
public:
    explicit MadeUpMachine(const std::string& name)
        : root_(std::filesystem::path(tempFolder()) / name) {
        std::filesystem::remove_all(root_);
        std::filesystem::create_directories(root_ / "proc");
    }
    ~MadeUpMachine() { std::filesystem::remove_all(root_); }
    MadeUpMachine(const MadeUpMachine&) = delete;
    MadeUpMachine& operator=(const MadeUpMachine&) = delete;

    void file(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path, std::ios::binary) << text << '\n';
    }
    void link(const std::string& path, const std::string& target) const {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::filesystem::create_directory_symlink(target, root_ / path);
    }
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

private:
    std::filesystem::path root_;
};

/// Two sockets of two cores, a NIC at 400 Gb/s, an Ethernet port, and a GPU that only the driver's
/// files name.
inline void fillServer(const MadeUpMachine& machine) {
    machine.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654\nflags\t: fpu");
    machine.file("proc/meminfo", "MemTotal:       2097152 kB\nMemFree:  1 kB");
    machine.file("proc/sys/kernel/osrelease", "6.8.0");
    machine.file("sys/devices/system/cpu/online", "0-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
        const std::string topology =
            "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
        machine.file(topology + "physical_package_id", std::to_string(cpu % 4 / 2));
        machine.file(topology + "core_id", std::to_string(cpu % 2));
    }
    machine.file("sys/devices/system/node/online", "0-1");
    for (const std::string node : {"0", "1"}) {
        const std::string folder = "sys/devices/system/node/node" + node + "/";
        machine.file(folder + "cpulist", node == "0" ? "0-1,4-5" : "2-3,6-7");
        machine.file(folder + "meminfo", "Node " + node + " MemTotal:  1048576 kB");
    }
    machine.file("sys/devices/pci0000:17/0000:18:00.0/numa_node", "1");
    machine.link("sys/class/infiniband/mlx5_0/device", "../../../devices/pci0000:17/0000:18:00.0");
    machine.file("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)");
    machine.file("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand");
    machine.file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
    // The interface on top of the same device is not a second port.
    machine.link("sys/class/net/ib0/device", "../../../devices/pci0000:17/0000:18:00.0");
    machine.file("sys/class/net/ib0/type", "32");
    machine.file("sys/devices/pci0000:00/0000:00:03.0/virtio2/vendor", "1");
    machine.link("sys/class/net/eth0/device", "../../../devices/pci0000:00/0000:00:03.0/virtio2");
    machine.file("sys/class/net/eth0/type", "1");
    machine.file("sys/class/net/eth0/speed", "25000");
    machine.file("sys/class/net/eth0/operstate", "down");
    machine.file("sys/class/net/lo/type", "772");
    machine.file("sys/class/net/docker0/type", "1");
    machine.file("proc/driver/nvidia/version",
                 "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  Release");
    machine.file("proc/driver/nvidia/gpus/0000:1b:00.0/information",
                 "Model: \t\t NVIDIA H200\nIRQ:   \t\t 42");
    machine.file("sys/bus/pci/devices/0000:1b:00.0/numa_node", "1");
}

}  // namespace fabricast::probe
