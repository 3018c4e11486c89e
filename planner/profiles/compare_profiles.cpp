#include "planner/base/quantity_text.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/verify_profiles.h"

#include <array>

namespace fabricast {
namespace {

/// Sources round: two numbers that differ by less agree.
constexpr double kRounding = 1.01;

template <class T>
bool exceeds(const Sourced<T>& more, const Sourced<T>& less, double factor = 1.0) {
    return more.value && less.value &&
           static_cast<double>(more.value->count()) >
               static_cast<double>(less.value->count()) * factor;
}

template <class T>
std::string amountOf(const Sourced<T>& number) {
    return quantityText(*number.value);
}

template <class T>
void expectAtMost(const Sourced<T>& less,
                  const char* lessName,
                  const Sourced<T>& more,
                  const char* moreName,
                  std::vector<std::string>& found,
                  double factor = 1.0) {
    if (exceeds(less, more, factor)) {
        found.push_back(std::string("\"") + lessName + "\" (" + amountOf(less) +
                        ") is more than \"" + moreName + "\" (" + amountOf(more) + ")");
    }
}

/// The fabric profile of that name, or nothing known of it: the reader has checked the name.
FabricSpec fabricOr(const ProfileStore& store, const std::string& name) {
    return name.empty() ? FabricSpec{} : store.fabric(name).value_or(FabricSpec{});
}

bool isBoard(const std::string& gpuFabric) {
    return gpuFabric == "nvswitch" || gpuFabric == "nvlink-mesh" || gpuFabric == "xgmi";
}

}  // namespace

std::vector<std::string> contradictionsOf(const GpuSpec& gpu) {
    std::vector<std::string> found;
    expectAtMost(
        gpu.usableMemory, "usable_memory", gpu.memory, "memory", found, kBinaryOverDecimal);
    expectAtMost(
        gpu.reportedMemory, "reported_memory", gpu.memory, "memory", found, kBinaryOverDecimal);
    expectAtMost(gpu.usableMemory, "usable_memory", gpu.reportedMemory, "reported_memory", found);
    // Fewer bits are never slower.
    constexpr std::array<const char*, 4> kFaster = {"tf32", "bf16", "fp8", "fp4"};
    const Sourced<FlopsPerSecond>* last = nullptr;
    for (std::size_t i = 0; i < kFaster.size(); ++i) {
        const auto peak = gpu.densePeak.find(kFaster[i]);
        if (peak == gpu.densePeak.end() || !peak->second.value) {
            continue;
        }
        if (last != nullptr && exceeds(*last, peak->second)) {
            found.push_back(std::string("\"dense_peak.") + kFaster[i] + "\" (" +
                            amountOf(peak->second) + ") is below that of a wider type (" +
                            amountOf(*last) + ")");
        }
        last = &peak->second;
    }
    return found;
}

std::vector<std::string> contradictionsOf(const NodeSpec& node, const ProfileStore& store) {
    std::vector<std::string> found;
    const std::string& link = node.gpu.linkKind;
    if (isBoard(node.gpuFabric) && link == "none") {
        found.push_back("\"gpu_fabric\" is " + node.gpuFabric + ", but " + node.gpu.name +
                        " has no link of this kind");
    }
    if (isBoard(node.gpuFabric) &&
        exceeds(
            node.gpu.linkBandwidth, fabricOr(store, node.gpuFabricName).linkBandwidth, kRounding)) {
        found.push_back(node.gpu.name + " has faster links (" + amountOf(node.gpu.linkBandwidth) +
                        ") than the fabric \"" + node.gpuFabricName + "\"");
    }
    const FabricSpec network = fabricOr(store, node.nicFabric);
    if (!network.perNode && exceeds(node.nicBandwidth, network.linkBandwidth, kRounding)) {
        found.push_back("the NICs (" + amountOf(node.nicBandwidth) +
                        ") are faster than the fabric \"" + node.nicFabric + "\" (" +
                        amountOf(network.linkBandwidth) + ")");
    }
    if (node.pci.rootComplexes.value.value_or(0) > node.gpus && node.gpuFabric == "pcie") {
        found.emplace_back("\"pcie.root_complexes\" are more than the GPUs that use them");
    }
    return found;
}

std::vector<std::string> contradictionsOf(const FabricSpec& fabric) {
    std::vector<std::string> found;
    expectAtMost(fabric.achievedBandwidth,
                 "achieved_bandwidth",
                 fabric.linkBandwidth,
                 "link_bandwidth",
                 found);
    expectAtMost(
        fabric.pairBandwidth, "pair_bandwidth", fabric.linkBandwidth, "link_bandwidth", found);
    return found;
}

std::vector<std::string> contradictionsOf(const ClusterSpec& cluster) {
    std::vector<std::string> found;
    if (!cluster.fabric.perNode &&
        exceeds(cluster.node.nicBandwidth, cluster.fabric.linkBandwidth, kRounding)) {
        found.push_back("the NICs of \"" + cluster.node.name + "\" (" +
                        amountOf(cluster.node.nicBandwidth) + ") are faster than the fabric \"" +
                        cluster.fabric.name + "\" (" + amountOf(cluster.fabric.linkBandwidth) +
                        ")");
    }
    return found;
}

}  // namespace fabricast
