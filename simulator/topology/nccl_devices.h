#pragma once
#include "planner/base/result.h"
#include "planner/evidence/nccl_model.h"
#include "simulator/network/topology.h"
#include "simulator/topology/xml_text.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

constexpr std::int64_t kMostNvLinks = 64;  ///< of one GPU to one other

/// What becomes of NCCL's XML while it is read: devices and links so far, and what waits for the
/// rest of the file. Errors have file:line.
struct NcclDevices {
    struct Host {
        std::int32_t number = 0;
        std::int32_t gpus = 0;
        std::int32_t nics = 0;
        std::int32_t switches = 0;
        std::vector<DeviceIndex> sockets;
    };
    struct Port {
        DeviceIndex nic;
        BytesPerSecond rate;
        Seconds latency;
    };
    /// NVLinks of a GPU, whose other end may come later in the file.
    struct NvLinks {
        const XmlElement* element;
        DeviceIndex gpu;
        Host* host;
        BytesPerSecond each;
    };

    const std::string& source;
    const NcclModel& model;
    TopologyBuilder builder{};
    std::map<std::string, Host> hosts{};  ///< by their hash
    std::map<std::string, DeviceIndex> buses{};
    std::vector<Port> ports{};
    std::vector<NvLinks> nvLinks{};
    std::set<std::string> assumed{};
    const XmlElement* lastCpu = nullptr;

    [[nodiscard]] tl::unexpected<Error> wrong(const XmlElement& at, std::string why) const;
    [[nodiscard]] Result<std::string> textOf(const XmlElement& at, std::string_view name) const;
    [[nodiscard]] Result<double> numberOf(const XmlElement& at,
                                          std::string_view name,
                                          double least,
                                          double most) const;
    Result<DeviceIndex> add(const XmlElement& at, Host& host, DeviceKind kind, std::int32_t slot);
    Result<void> join(const XmlElement& at, NetworkLink link);
};

/// The name of a bus as it is compared: NCCL writes it in either case.
std::string lowerCase(std::string text);

/// The CPUs, PCIe tree, GPUs and NICs below <system>.
Result<void> readNcclTree(NcclDevices& found, const XmlElement& system);

}  // namespace fabricast
