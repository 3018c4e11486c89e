#include "probes/nccl/nccl_calls.h"

namespace fabricast::probe {

Done doneBy(cudaError_t error, const std::string& what) {
    if (error == cudaSuccess) {
        return std::monostate();
    }
    return Trouble{what + ": " + cudaGetErrorString(error)};
}

Done doneBy(ncclResult_t result, ncclComm_t communicator, const std::string& what) {
    if (result == ncclSuccess) {
        return std::monostate();
    }
    const char* const more = ncclGetLastError(communicator);
    return Trouble{what + ": " + ncclGetErrorString(result) +
                   (more != nullptr && *more != '\0' ? std::string(" (") + more + ")" : "")};
}

std::string ncclVersionText(int version) {
    // Before 2.9 a version was 2 8 04, since then it is 2 09 00.
    const int major = version >= 10000 ? version / 10000 : version / 1000;
    const int minor = version >= 10000 ? version / 100 % 100 : version / 100 % 10;
    return std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(version % 100);
}

std::string runtimeVersionText(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int ncclLibraryVersion() {
    int version = 0;
    return ncclGetVersion(&version) == ncclSuccess ? version : 0;
}

}  // namespace fabricast::probe
