#include "planner/text/json_text.h"
#include "probes/fit/cpu_cluster.h"

#include <initializer_list>
#include <utility>

namespace fabricast {
namespace {

constexpr double kMicrosecondsOfSecond = 1e6;
/// No cap: more than any rate, in GB/s.
constexpr double kUnlimited = 1e5;

void addRow(JsonText& json, const char* key, std::initializer_list<double> numbers) {
    json.beginArray(key);
    for (const double number : numbers) {
        json.item(number);
    }
    json.end();
}

void addLatencies(JsonText& json, const char* key, double step) {
    json.beginObject(key);
    for (const char* algorithm :
         {"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"}) {
        addRow(json, algorithm, {step, 0, 0});
    }
    json.end();
}

void addShares(JsonText& json, const char* key, double first) {
    json.beginObject(key);
    addRow(json, "node", {first, 0, 0});
    addRow(json, "network", {first, 0, 0});
    json.end();
}

/// All there is of these devices: they have no protocols, channels or switches.
void addGeneration(JsonText& json, const std::string& name) {
    json.beginArray("generations");
    json.beginObject();
    json.add("name", name);
    json.beginArray("architectures");
    json.item(name);
    json.end();
    json.add("link_GBps", 1);  // of none
    json.add("ll_node_GBps", kUnlimited);
    for (const char* key : {"ring_ll128_GBps", "tree_ll128_GBps", "tree_GBps", "nvls_tree_GBps"}) {
        addRow(json, key, {0, 0, 0});
    }
    json.add("nvls_share", 0);
    addRow(json, "nvls_channels", {0, 0});
    addRow(json, "speeds_GBps", {1});
    json.add("long_ring_factor", 1);
    json.add("ll128", false);
    json.add("pair_share", 1);
    json.add("pair_spread", 0);
    json.end();
    json.end();
}

void addNetwork(JsonText& json) {
    json.beginArray("networks");
    json.beginObject();
    json.add("kind", "tcp");
    json.add("efficiency", 1);
    json.add("latency_us", 0);
    json.end();
    json.end();
}

}  // namespace

std::string cpuLibraryJson(const CpuCluster& cluster) {
    const double inside = cluster.inside.step.count() * kMicrosecondsOfSecond;
    const double between = cluster.between.step.count() * kMicrosecondsOfSecond;
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.collective/1");
    json.add("name", cluster.name + "-mpi");
    json.add("title", "Rings over " + cluster.library + " on " + cluster.name);
    json.add("library", "mpi");
    json.add("version", cluster.library);
    addLatencies(json, "base_latency_us", 0);
    json.beginObject("step_latency_us");
    addLatencies(json, "nvlink", 0);
    addLatencies(json, "pci", inside);
    addLatencies(json, "network", between);
    json.end();
    addShares(json, "ring_share", 1);
    addShares(json, "tree_protocol_share", 0);
    json.add("tree_share", 0);
    json.add("pat_share", 0);
    json.beginObject("ll_network_GBps");
    addRow(json, "intel", {kUnlimited, kUnlimited});
    addRow(json, "amd", {kUnlimited, kUnlimited});
    json.end();
    json.beginObject("net_overhead_us");
    json.add("intel", 0);
    json.add("amd", 0);
    json.end();
    json.beginObject("tree_correction");
    for (const char* protocol : {"ll", "ll128", "simple"}) {
        addRow(json, protocol, {1});
    }
    json.end();
    addGeneration(json, cluster.name);
    addNetwork(json);
    json.beginObject("pair_latency_us");
    addRow(json, "nvlink", {0, 0});
    addRow(json, "pci", {inside, inside});
    addRow(json, "network", {between, between});
    json.end();
    json.add("pair_ll_GBps", kUnlimited);
    json.beginObject("peer_latency_us");
    json.add("nvlink", 0);
    json.add("pci", inside);
    json.add("network", between);
    json.end();
    json.add("pci_peer_share", 1);
    json.add("pci_host_share", 1);
    json.add("most_channels", 1);
    json.beginArray("sources");
    json.beginObject();
    json.add("keys", "step_latency_us, pair_latency_us, peer_latency_us");
    json.add("source", "fitted");
    json.add("from", cluster.from);
    json.add("note", "one step of a ring, to all measured rings");
    json.end();
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
