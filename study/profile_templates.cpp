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
