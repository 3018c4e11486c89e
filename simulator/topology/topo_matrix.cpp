#include "simulator/topology/topo_matrix.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostDevices = 256;
constexpr std::int64_t kMostNvLinks = 64;

/// How near two devices are, nearest first.
enum class Nearness { OnePciSwitch, PciSwitches, HostBridge, NumaNode, System };
constexpr std::array<std::string_view, 5> kNearness = {"PIX", "PXB", "PHB", "NODE", "SYS"};

struct Cell {
    Nearness nearness = Nearness::System;
    std::int64_t nvLinks = 0;
    bool self = false;
    friend bool operator==(const Cell&, const Cell&) = default;
};

struct Row {
    std::string name;
    std::int64_t line = 0;
    std::vector<Cell> cells;
    std::optional<std::int64_t> numa;  ///< of GPUs
};

/// Words without the escapes that underline the heading.
std::vector<std::string> wordsOf(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    for (std::size_t at = 0; at <= line.size(); ++at) {
        if (at < line.size() && line[at] == '\x1b') {
            at = std::min(line.find('m', at), line.size());
            continue;
        }
        if (at == line.size() || line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
            if (!word.empty()) {
                words.push_back(std::move(word));
            }
            word.clear();
        } else {
            word += line[at];
        }
    }
    return words;
}

bool isGpu(std::string_view name) {
    return name.starts_with("GPU") && name.size() > 3 && name[3] >= '0' && name[3] <= '9';
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0
               ? std::optional(value)
               : std::nullopt;
}

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
        const auto [first, second] = std::minmax(of(one), of(other));
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

class MatrixText {
public:
    MatrixText(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    Result<std::vector<Row>> read() {
        std::vector<Row> rows;
        while (next()) {
            std::vector<std::string> words = wordsOf(line_);
            if (heading_.empty()) {
                FABRICAST_TRY(readHeading(words));
            } else if (!words.empty() && rows.size() < heading_.size()) {
                FABRICAST_ASSIGN(Row row, readRow(words, rows.size()));
                rows.push_back(std::move(row));
            }
        }
        if (heading_.empty() || rows.size() < heading_.size()) {
            return wrong(number_,
                         heading_.empty() ? "there is no line of GPU0, GPU1, …"
                                          : "the table ends before " + heading_[rows.size()]);
        }
        FABRICAST_TRY(checkSymmetry(rows));
        return rows;
    }

private:
    [[nodiscard]] tl::unexpected<Error> wrong(std::int64_t line, std::string why) const {
        return fail(Error::Code::BadInput,
                    source_ + ":" + std::to_string(line),
                    std::move(why),
                    "what nvidia-smi topo -m prints");
    }

    bool next() {
        if (at_ >= text_.size()) {
            return false;
        }
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        line_ = text_.substr(at_, end - at_);
        at_ = end + 1;
        ++number_;
        return true;
    }

    Result<void> readHeading(const std::vector<std::string>& words) {
        if (words.empty() || !isGpu(words.front())) {
            return {};
        }
        for (const std::string& word : words) {
            if (word == "CPU" || word == "NUMA") {
                break;
            }
            if (std::ranges::find(heading_, word) != heading_.end()) {
                return wrong(number_, word + " is there twice");
            }
            heading_.push_back(word);
        }
        return heading_.size() <= kMostDevices
                   ? Result<void>()
                   : wrong(number_, "more than 256 devices in one node");
    }

    Result<Cell> readCell(const std::string& word, bool self) const {
        if (word == "X" || self) {
            return word == "X" && self
                       ? Result<Cell>(Cell{.self = true})
                       : wrong(number_, "\"" + word + "\" stands where X belongs, or X elsewhere");
        }
        if (word.starts_with("NV")) {
            const auto links = wholeNumber(std::string_view(word).substr(2));
            if (links && *links >= 1 && *links <= kMostNvLinks) {
                return Cell{.nvLinks = *links};
            }
        }
        const auto known = std::ranges::find(kNearness, word);
        if (known == kNearness.end()) {
            return wrong(
                number_,
                "\"" + word.substr(0, 40) + "\" is none of X, NV#, PIX, PXB, PHB, NODE, SYS");
        }
        return Cell{.nearness = static_cast<Nearness>(known - kNearness.begin())};
    }

    Result<Row> readRow(const std::vector<std::string>& words, std::size_t index) const {
        if (words.front() != heading_[index]) {
            return wrong(number_,
                         "\"" + words.front().substr(0, 40) + "\" stands where " + heading_[index] +
                             " belongs");
        }
        if (words.size() <= heading_.size()) {
            return wrong(number_, "the row of " + heading_[index] + " is too short");
        }
        Row row{.name = heading_[index], .line = number_};
        for (std::size_t other = 0; other < heading_.size(); ++other) {
            FABRICAST_ASSIGN(const Cell cell, readCell(words[other + 1], other == index));
            row.cells.push_back(cell);
        }
        if (isGpu(row.name) && words.size() > heading_.size() + 2) {
            row.numa = wholeNumber(words[heading_.size() + 2]);
        }
        return row;
    }

    Result<void> checkSymmetry(const std::vector<Row>& rows) const {
        for (std::size_t one = 0; one < rows.size(); ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                if (!(rows[one].cells[other] == rows[other].cells[one])) {
                    return wrong(rows[one].line,
                                 rows[one].name + " and " + rows[other].name +
                                     " say different things of each other");
                }
            }
        }
        return {};
    }

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::int64_t number_ = 0;
    std::string_view line_;
    std::vector<std::string> heading_;
};

/// The graph of a table that was read.
class MatrixGraph {
public:
    MatrixGraph(const std::vector<Row>& rows, const GpuSpec& gpu)
        : rows_(rows), gpu_(gpu), switches_(rows.size()), roots_(rows.size()), numa_(rows.size()) {
        for (std::size_t one = 0; one < rows.size(); ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                joinGroups(one, other);
            }
        }
    }

    Result<Topology> build() {
        for (std::size_t device = 0; device < rows_.size(); ++device) {
            const bool isNic = !isGpu(rows_[device].name);
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
        const Cell& cell = rows_[one].cells[other];
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
        for (const Cell& cell : rows_.front().cells) {
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
            const std::int64_t most = std::ranges::max(cells, {}, &Cell::nvLinks).nvLinks;
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

    const std::vector<Row>& rows_;
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

}  // namespace

bool isTopoMatrix(std::string_view text) {
    return text.find("GPU0") != std::string_view::npos;
}

Result<DescribedTopology> topoMatrix(std::string_view text,
                                     const std::string& source,
                                     const GpuSpec& gpu) {
    FABRICAST_ASSIGN(const std::vector<Row> rows, MatrixText(text, source).read());
    if (!gpu.pcieBandwidth.value) {
        return fail(Error::Code::Unsupported,
                    "--gpu",
                    "the profile of \"" + gpu.name + "\" says no PCIe bandwidth");
    }
    Result<Topology> built = MatrixGraph(rows, gpu).build();
    if (!built) {
        return fail(Error::Code::BadInput, source, built.error().why);
    }
    return DescribedTopology{
        *std::move(built),
        source + ", with " + gpu.name,
        {"NICs are as fast as their slots", "links between sockets as fast as all GPUs and NICs"}};
}

}  // namespace fabricast
