#pragma once
#include <map>
#include <string>

namespace fabricast::probe {

/// The versions of CUDA's libraries that programs find here, by name ("cudart", "nccl", "cudnn");
/// what is not found is absent. Looked for as the loader does, then in $CUDA_HOME, $NCCL_HOME,
/// /usr/local/cuda, and in the wheels of $VIRTUAL_ENV.
std::map<std::string, std::string> libraryVersions();

/// NCCL's 22809 is "2.28.9", the runtime's 13000 "13.0", cuDNN's 91900 "9.19.0".
std::string ncclCodeText(int code);
std::string runtimeVersionText(int code);
std::string dnnVersionText(int code);

}  // namespace fabricast::probe
