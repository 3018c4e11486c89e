#include "simulator/topology/read_topology.h"

#include "planner/text/text_files.h"
#include "simulator/topology/topology_facts.h"
#include "simulator/topology/topology_matrix.h"
#include "simulator/topology/topology_report.h"

namespace fabricast {
namespace {

Result<DescribedTopology> parsed(const std::string& text,
                                 const std::string& source,
                                 const std::string& gpu,
                                 const ProfileStore& profiles) {
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first != std::string::npos && text[first] == '<') {
        FABRICAST_ASSIGN(const NcclModel model, profiles.ncclModel("nccl"));
        return ncclTopology(text, source, model);
    }
    if (first != std::string::npos && (text[first] == '{' || text[first] == '/')) {
        return readTopologyJson(text, source);
    }
    if (!isTopoMatrix(text)) {
        return fail(Error::Code::BadInput,
                    source + ":1",
                    "this is not a topology",
                    "XML of NCCL_TOPO_DUMP_FILE, output of nvidia-smi topo -m, or JSON of "
                    "fabricast topology");
    }
    if (gpu.empty()) {
        return fail(Error::Code::BadInput,
                    source,
                    "nvidia-smi topo has no rates, and the GPU is not given",
                    "--gpu h100-sxm5-80gb");
    }
    FABRICAST_ASSIGN(const GpuSpec spec, profiles.gpu(gpu, "--gpu"));
    return topoMatrix(text, source, spec);
}

}  // namespace

Result<DescribedTopology> readTopology(const std::string& path,
                                       const std::string& gpu,
                                       const ProfileStore& profiles) {
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    const std::string source = sourceName(path);
    FABRICAST_ASSIGN(DescribedTopology described, parsed(text, source, gpu, profiles));
    if (Result<void> reach = checkReach(described.topology); !reach) {
        Error error = reach.error();
        error.where = source;
        return tl::unexpected(std::move(error));
    }
    return described;
}

}  // namespace fabricast
