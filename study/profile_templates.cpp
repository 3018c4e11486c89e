#include "study/templates.h"

namespace fabricast {

std::string nodeTemplate(const std::string& name) {
    return R"(// A node of your own. Save it as ours/nodes/)" + name +
           R"(.json, change what differs, and use it:
//   fabricast --profile-dir ours plan -m llama-3.1-8b -c )" +
           name + R"(
// A number is { "value": "25 GB/s", "source": ... }; source is datasheet, measured, fitted or
// assumed. What is not known is { "value": null, "source": null }.
{
  "schema": "fabricast.node/1",
  "name": ")" +
           name + R"(",
  "aliases": [],
  "title": "Our server",
  "gpu": "rtx-4090",               // fabricast profiles list --kind gpu
  "gpus": 4,
  "gpu_fabric": {
    "kind": "pcie",                // nvswitch, nvlink-mesh, nvlink-bridge, xgmi, pcie or ethernet
    "fabric": "pcie4-x16"          // fabricast profiles list --kind fabric
  },
  "pcie": {
    "numa_nodes": { "value": 1, "source": "assumed" },      // CPU sockets
    "root_complexes": { "value": 4, "source": "assumed" },  // ways into the CPUs: GPUs on one share it
    "peer_bandwidth": { "value": null, "source": null },    // GPU to GPU, one way
    "host_bandwidth": { "value": null, "source": null }     // host to GPU
  },
  "nics": {
    "count": { "value": 1, "source": "assumed" },
    "bandwidth": { "value": "25 Gbps", "source": "assumed" },  // of each
    "fabric": "tcp-25"             // without a network: leave this out, and a count of 0
  },
  "cpu": "AMD EPYC",
  "host_memory": { "value": "256 GB", "source": "assumed" },  // for offload
  // Of all sockets, for offload: 89.6 GB/s are two channels of DDR5-5600. null: eight of a server.
  "host_memory_bandwidth": { "value": null, "source": null },
  "nvme": { "value": null, "source": null },
  "power": { "value": null, "source": null }                  // of the whole node
}
)";
}

std::string gpuTemplate(const std::string& name) {
    return R"(// A GPU of your own. Save it as ours/gpus/)" + name +
           R"(.json, change what differs, and use it:
//   fabricast --profile-dir ours plan -m llama-3.1-8b --gpu )" +
           name + R"( --gpus 1
// The nearest one that is known shows more: fabricast profiles show rtx-4090.
// A number is { "value": "24 GB", "source": ... }; source is datasheet, measured, fitted or
// assumed. What is not known is { "value": null, "source": null }.
{
  "schema": "fabricast.gpu/1",
  "name": ")" +
           name + R"(",
  "aliases": [],
  "title": "Our GPU",
  "vendor": "NVIDIA",
  "architecture": "sm_86",         // decides what it computes in, and whose kernel times are borrowed
  "form_factor": "pcie",           // sxm, pcie, oam, superchip or workstation
  "memory": { "value": "12 GB", "source": "datasheet" },
  "usable_memory": { "value": null, "source": null },         // what PyTorch reports as total capacity
  "memory_bandwidth": { "value": "912 GB/s", "source": "datasheet" },
  "multiprocessors": { "value": 80, "source": "datasheet" },
  "power": { "value": "350 W", "source": "datasheet" },
  "dense_peak": {                  // without sparsity, sums in fp32
    "fp32": { "value": "34.1 TFLOP/s", "source": "datasheet" },
    "tf32": { "value": "34.1 TFLOP/s", "source": "datasheet" },
    "bf16": { "value": "68.2 TFLOP/s", "source": "datasheet" },
    "fp16": { "value": "68.2 TFLOP/s", "source": "datasheet" },
    "fp8": { "value": null, "source": null },
    "fp4": { "value": null, "source": null }
  },
  "link": { "kind": "none" },      // nvlink, nvlink-bridge or xgmi: fabricast profiles show rtx-3090
  "pcie": {
    "generation": 4,
    "lanes": 16,
    "bandwidth": { "value": "31.5 GB/s", "source": "assumed" },  // one way
    "peer_to_peer": { "value": false, "source": "assumed" }      // GeForce: not with the usual driver
  },
  "measured_matmul": []
}
)";
}

std::string priceTemplate(const std::string& name) {
    return R"(// Prices of your own. Save it as )" + name +
           R"(.json, change what differs, and use it:
//   fabricast size -m llama-3.1-8b --global-batch 512 --tokens 100B -c dgx-h100 --price )" +
           name + R"(.json
// Of one GPU, in US dollars; what is left out is not known. source is datasheet, measured, fitted or assumed.
{
  "schema": "fabricast.price/1",
  "name": ")" +
           name + R"(",
  "title": "Our quote",
  "date": "2026-11",
  "gpus": {
    "h100-sxm5-80gb": {            // fabricast profiles list --kind gpu
      "on_demand": { "value": "$2.10/h", "source": "assumed", "note": "quote 17" },
      "reserved": { "value": "$1.80/h", "source": "assumed" },
      "spot": { "value": "$1.20/h", "source": "assumed" },
      "purchase": { "value": "$28000", "source": "assumed" }       // the GPU alone
    }
  },
  "ownership": {                   // makes an hour of what is bought: --price-kind owned
    "years": { "value": 4, "source": "assumed" },                  // it is written off over
    "whole_over_gpu": { "value": 1.5, "source": "assumed" },       // with its share of server and network
    "usd_per_kwh": { "value": 0.09, "source": "assumed" }
  }
}
)";
}

}  // namespace fabricast
