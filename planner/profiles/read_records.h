#pragma once
#include "planner/base/result.h"
#include "planner/evidence/host_evidence.h"
#include "planner/evidence/nccl_model.h"
#include "planner/evidence/price_profile.h"
#include "planner/evidence/site_profile.h"
#include "planner/evidence/software_timing.h"
#include "planner/spec/runtime_memory.h"
#include "planner/text/json_document.h"

#include <string>

namespace fabricast {

/// A file of hardware_profiles/hosts.
Result<HostProfile> readHostProfile(const JsonValue& root);

/// A file of hardware_profiles/collectives that describes a library: "library" and its tables.
///     FABRICAST_ASSIGN(const NcclModel model, readNcclModel(root));
Result<NcclModel> readNcclModel(const JsonValue& root);

/// A file of hardware_profiles/prices, or one given with --price.
Result<PriceProfile> readPrice(const JsonValue& root);

/// The name of the runtime file for GPUs without measurements.
inline constexpr const char* kUsualRuntime = "usual";

/// A file of hardware_profiles/runtimes. All of its numbers must be known.
Result<RuntimeMemory> readRuntime(const JsonValue& root);

/// Such a file; `name` is a GPU's.
std::string runtimeJson(const RuntimeMemory& runtime, const std::string& name);

/// A file of hardware_profiles/sites, or one given with --site. `base` is what the
/// file extends, or an empty SiteProfile.
Result<SiteProfile> readSite(const JsonValue& root, SiteProfile base);

/// A file of hardware_profiles/software.
Result<SoftwareTiming> readSoftware(const JsonValue& root);

}  // namespace fabricast
