#include "probes/fit/cpu_cluster.h"

#include "planner/base/quantity_text.h"
#include "planner/text/json_text.h"

#include <cmath>

namespace fabricast {
namespace {

/// Four digits: more would claim what no measurement knows.
double roundedTime(double value) {
    if (value <= 0.0) {
        return 0.0;
    }
    const double scale = std::pow(10.0, 3 - std::floor(std::log10(value)));
    return std::round(value * scale) / scale;
}

template <class Q>
std::string textOf(Q quantity) {
    return quantityText(Q(roundedTime(quantity.count())));
}

std::string textOf(Bytes size) {
    return quantityText(size);
}

JsonText begun(const char* kind, const std::string& name, const std::string& title) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast." + std::string(kind) + "/1");
    json.add("name", name);
    json.add("title", title);
    return json;
}

std::string finished(JsonText json) {
    json.end();
    return std::move(json).finish();
}

template <class Value>
void addMeasured(JsonText& json, const char* key, const Value& value, const CpuCluster& cluster) {
    json.beginObject(key);
    json.add("value", value);
    json.add("source", "measured");
    json.add("from", cluster.from);
    json.end();
}

void addUnknown(JsonText& json, const char* key, const char* note) {
    json.beginObject(key);
    json.addNull("value");
    json.addNull("source");
    json.add("note", note);
    json.end();
}

std::string titleOf(const CpuCluster& cluster) {
    return std::to_string(cluster.nodes) + " x " + std::to_string(cluster.ranksPerNode) +
           " ranks on " + cluster.processor;
}

}  // namespace

std::string cpuDeviceJson(const CpuCluster& cluster) {
    JsonText json = begun("gpu", cluster.name + "-rank", "One rank on " + cluster.processor);
    json.add("vendor", "CPU");
    json.add("architecture", cluster.name);
    addMeasured(json, "memory", textOf(cluster.rankMemory), cluster);
    addMeasured(json, "usable_memory", textOf(cluster.rankMemory), cluster);
    addMeasured(json, "memory_bandwidth", textOf(cluster.memoryRate), cluster);
    addMeasured(json, "multiprocessors", std::int64_t{1}, cluster);
    json.beginObject("dense_peak");
    addMeasured(json, "fp32", textOf(cluster.peak), cluster);
    json.end();
    json.beginObject("link");
    json.add("kind", "none");
    json.end();
    json.beginObject("pcie");
    json.add("generation", 5);
    json.add("lanes", 16);
    addUnknown(json, "bandwidth", "a rank is the host");
    json.end();
    json.add("notes",
             "A rank of a CPU cluster, measured while all ranks computed: its rates are those of "
             "one among that many.");
    return finished(std::move(json));
}

std::string cpuNodeJson(const CpuCluster& cluster) {
    JsonText json = begun("node",
                          cluster.name + "-node",
                          std::to_string(cluster.ranksPerNode) + " ranks on " + cluster.processor);
    json.add("gpu", cluster.name + "-rank");
    json.add("gpus", cluster.ranksPerNode);
    json.beginObject("gpu_fabric");
    json.add("kind", "pcie");
    json.end();
    json.beginObject("pcie");
    addMeasured(json, "numa_nodes", std::int64_t{1}, cluster);
    addUnknown(json, "root_complexes", "ranks share memory");
    if (cluster.inside.rows > 0) {
        addMeasured(json, "peer_bandwidth", textOf(cluster.inside.rate), cluster);
    } else {
        addUnknown(json, "peer_bandwidth", "a node has one rank, or nobody measured it");
    }
    json.end();
    json.beginObject("nics");
    const bool linked = cluster.between.rows > 0;
    if (linked) {
        addMeasured(json, "count", std::int64_t{1}, cluster);
        addMeasured(json, "bandwidth", textOf(cluster.between.rate), cluster);
        json.add("fabric", cluster.name + "-network");
    } else {
        addUnknown(json, "count", "nothing was measured between nodes");
        addUnknown(json, "bandwidth", "nothing was measured between nodes");
    }
    json.end();
    json.add("cpu", cluster.processor);
    return finished(std::move(json));
}

std::string cpuNetworkJson(const CpuCluster& cluster) {
    JsonText json = begun(
        "fabric", cluster.name + "-network", "What MPI reaches between nodes of " + cluster.name);
    json.add("kind", "tcp");
    addMeasured(json, "link_bandwidth", textOf(cluster.between.rate), cluster);
    addMeasured(json, "achieved_bandwidth", textOf(cluster.between.rate), cluster);
    addUnknown(json, "latency", "the library's model has it, in a step of its ring");
    addUnknown(json, "nodes_per_leaf", "not asked");
    addUnknown(json, "oversubscription", "not asked");
    return finished(std::move(json));
}

std::string cpuClusterJson(const CpuCluster& cluster) {
    JsonText json = begun("cluster", cluster.name, titleOf(cluster));
    json.add("node", cluster.name + "-node");
    json.add("nodes", cluster.nodes);
    if (cluster.between.rows > 0) {
        json.add("fabric", cluster.name + "-network");
    }
    json.add("notes", cluster.from);
    return finished(std::move(json));
}

std::string cpuSoftwareJson(const CpuCluster& cluster, std::string_view stack) {
    JsonText json = begun("software",
                          std::string(stack) + "-on-" + cluster.name,
                          "A step on the ranks of " + cluster.name);
    json.beginObject("host_us");
    for (const char* key : {"forward_launch",
                            "backward_launch",
                            "collective",
                            "expert",
                            "expert_layer",
                            "sync",
                            "unit",
                            "micro_batch",
                            "step"}) {
        json.add(key, 0);
    }
    json.end();
    json.add("tensor_exposed", 1.0);
    json.add("backward_hidden", 0.0);
    json.add("ring_hidden", 0.0);
    json.add("ring_exposed", 1.0);
    json.beginObject("copies");
    for (const char* key : {"fsdp1", "fsdp2", "megatron_fsdp", "zero3"}) {
        json.beginObject(key);
        json.add("gather", 0);
        json.add("reduce", 0);
        json.end();
    }
    json.end();
    json.add("contention", roundedTime(cluster.contention));
    json.add("source", cluster.contentionMeasured ? "measured" : "assumed");
    json.add("from", cluster.from);
    json.add("note",
             cluster.contentionMeasured
                 ? "a rank computes where it calls, so nothing is launched; contention: products "
                   "beside an all-reduce"
                 : "a rank computes where it calls, so nothing is launched; nobody measured "
                   "products beside an all-reduce");
    return finished(std::move(json));
}

}  // namespace fabricast
