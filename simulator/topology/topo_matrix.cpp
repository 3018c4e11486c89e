#include "simulator/topology/topology_matrix.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Devices that are joined in some way are one group.
class Groups {
public:
    explicit Groups(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    std::size_t of(std::size_t device) const {
        while (parent_[device] != device) {
            device = parent_[device];
        }
        return device;
    }
    void join(std::size_t one, std::size_t other) {
        const auto [first, second] = std::minmax({of(one), of(other)});
        parent_[second] = first;
    }
    [[nodiscard]] std::size_t size(std::size_t device) const {
        std::size_t count = 0;
        for (std::size_t other = 0; other < parent_.size(); ++other) {
            count += of(other) == of(device) ? 1U : 0U;
        }
        return count;
    }

private:
    std::vector<std::size_t> parent_;
};

/// The graph of a table that was read.
class MatrixGraph {
public:
    MatrixGraph(const std::vector<MatrixRow>& rows, const GpuSpec& gpu)
        : rows_(rows), gpu_(gpu), switches_(rows.size()), roots_(rows.size()), numa_(rows.size()) {
        for (std::size_t one = 0; one < rows.size(); ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                joinGroups(one, other);
            }
        }
    }

    Result<Topology> build() {
        for (std::size_t device = 0; device < rows_.size(); ++device) {
            const bool isNic = !rows_[device].isGpu();
            FABRICAST_ASSIGN(const DeviceIndex made,
                             add(isNic ? DeviceKind::Nic : DeviceKind::Gpu));
            made_.push_back(made);
        }
        for (std::size_t device = 0; device < rows_.size(); ++device) {
            FABRICAST_ASSIGN(const DeviceIndex above, parentOf(device));
            FABRICAST_TRY(join(made_[device], above, LinkKind::Pci, pciRate(), false));
        }
        for (const auto& [group, socket] : sockets_) {
            for (const auto& [other, second] : sockets_) {
                if (other > group) {
                    const double all = static_cast<double>(rows_.size());
                    FABRICAST_TRY(join(socket, second, LinkKind::Socket, pciRate() * all, true));
                }
            }
        }
        FABRICAST_TRY(joinNvLinks());
        return std::move(builder_).build();
    }

private:
    void joinGroups(std::size_t one, std::size_t other) {
        const MatrixCell& cell = rows_[one].cells[other];
        const bool linked = cell.nvLinks > 0;  // which hides what PCIe is between them
        if (!linked && cell.nearness <= Nearness::PciSwitches) {
            switches_.join(one, other);
        }
        if (!linked && cell.nearness <= Nearness::HostBridge) {
            roots_.join(one, other);
        }
        const bool sameNuma = rows_[one].numa && rows_[one].numa == rows_[other].numa;
        if (sameNuma || (!linked && cell.nearness <= Nearness::NumaNode)) {
            numa_.join(one, other);
        }
    }

    [[nodiscard]] BytesPerSecond pciRate() const { return *gpu_.pcieBandwidth.value; }

    Result<DeviceIndex> add(DeviceKind kind) {
        const std::int32_t slot = count_[kind]++;
        return builder_.add(
            {.name = "node0/" + std::string(deviceKindName(kind)) + std::to_string(slot),
             .kind = kind,
             .node = 0,
             .slot = slot});
    }

    Result<void> join(
        DeviceIndex from, DeviceIndex to, LinkKind kind, BytesPerSecond rate, bool assumed) {
        FABRICAST_TRY(builder_.join(
            {.from = from, .to = to, .kind = kind, .bandwidth = rate, .assumed = assumed}));
        return {};
    }

    /// The device of a group, made with a link up when it is first asked for.
    Result<DeviceIndex> groupDevice(std::map<std::size_t, DeviceIndex>& made,
                                    std::size_t group,
                                    DeviceKind kind,
                                    std::optional<DeviceIndex> above) {
        if (const auto found = made.find(group); found != made.end()) {
            return found->second;
        }
        FABRICAST_ASSIGN(const DeviceIndex device, add(kind));
        made.emplace(group, device);
        if (above) {
            FABRICAST_TRY(join(device, *above, LinkKind::Pci, pciRate(), false));
        }
        return device;
    }

    Result<DeviceIndex> parentOf(std::size_t device) {
        FABRICAST_ASSIGN(DeviceIndex above,
                         groupDevice(sockets_, numa_.of(device), DeviceKind::Socket, std::nullopt));
        if (roots_.size(device) > switches_.size(device)) {
            FABRICAST_ASSIGN(
                above, groupDevice(bridges_, roots_.of(device), DeviceKind::RootComplex, above));
        }
        if (switches_.size(device) > 1) {
            FABRICAST_ASSIGN(
                above,
                groupDevice(pciSwitches_, switches_.of(device), DeviceKind::PciSwitch, above));
        }
        return above;
    }

    /// As many links to each peer as a GPU has in all: then a switch is between them.
    [[nodiscard]] bool hasNvSwitch() const {
        std::int64_t most = 0;
        std::int64_t sum = 0;
        for (const MatrixCell& cell : rows_.front().cells) {
            most = std::max(most, cell.nvLinks);
            sum += cell.nvLinks;
        }
        return gpu_.links > 0 ? sum > gpu_.links : sum > most && most >= 4;
    }

    Result<void> joinNvLinks() {
        const BytesPerSecond all = gpu_.linkBandwidth.value.value_or(BytesPerSecond(0));
        std::optional<DeviceIndex> nvSwitch;
        if (hasNvSwitch()) {
            FABRICAST_ASSIGN(nvSwitch, add(DeviceKind::NvSwitch));
        }
        for (std::size_t one = 0; one < rows_.size(); ++one) {
            const auto& cells = rows_[one].cells;
            const std::int64_t most = std::ranges::max(cells, {}, &MatrixCell::nvLinks).nvLinks;
            const double perLink = 1.0 / static_cast<double>(std::max(gpu_.links, most));
            if (nvSwitch && most > 0) {
                FABRICAST_TRY(join(made_[one],
                                   *nvSwitch,
                                   LinkKind::NvLink,
                                   all * (perLink * static_cast<double>(most)),
                                   false));
            }
            for (std::size_t other = 0; !nvSwitch && other < one; ++other) {
                if (cells[other].nvLinks > 0) {
                    FABRICAST_TRY(join(made_[one],
                                       made_[other],
                                       LinkKind::NvLink,
                                       all * (perLink * static_cast<double>(cells[other].nvLinks)),
                                       false));
                }
            }
        }
        return {};
    }

    const std::vector<MatrixRow>& rows_;
    const GpuSpec& gpu_;
    Groups switches_;
    Groups roots_;
    Groups numa_;
    TopologyBuilder builder_;
    std::vector<DeviceIndex> made_;
    std::map<DeviceKind, std::int32_t> count_;
    std::map<std::size_t, DeviceIndex> sockets_;
    std::map<std::size_t, DeviceIndex> bridges_;
    std::map<std::size_t, DeviceIndex> pciSwitches_;
};

Result<void> checkLinked(const std::vector<MatrixRow>& rows,
                         const GpuSpec& gpu,
                         const std::string& source) {
    const bool isLinked = std::ranges::any_of(rows, [](const MatrixRow& row) {
        return std::ranges::any_of(row.cells,
                                   [](const MatrixCell& cell) { return cell.nvLinks > 0; });
    });
    return !isLinked || gpu.linkBandwidth.value
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      "--gpu",
                      "\"" + gpu.name + "\" has no NVLink, and GPUs of " + source +
                          " are joined by NVLinks",
                      "--gpu and the GPU that the table is of");
}

}  // namespace

bool isTopoMatrix(std::string_view text) {
    return text.find("GPU0") != std::string_view::npos;
}

Result<DescribedTopology> topoMatrix(std::string_view text,
                                     const std::string& source,
                                     const GpuSpec& gpu) {
    FABRICAST_ASSIGN(const std::vector<MatrixRow> rows, readMatrix(text, source));
    if (!gpu.pcieBandwidth.value) {
        return fail(Error::Code::Unsupported,
                    "--gpu",
                    "the profile of \"" + gpu.name + "\" has no PCIe bandwidth");
    }
    FABRICAST_TRY(checkLinked(rows, gpu, source));
    Result<Topology> built = MatrixGraph(rows, gpu).build();
    if (!built) {
        return fail(Error::Code::BadInput, source, built.error().why);
    }
    return DescribedTopology{*std::move(built),
                             source + ", with " + gpu.name,
                             {"NICs are as fast as their slots",
                              "links between sockets are as fast as all GPUs and NICs of one"}};
}

}  // namespace fabricast
