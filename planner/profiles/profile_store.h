#pragma once
#include "planner/base/result.h"
#include "planner/evidence/host_evidence.h"
#include "planner/evidence/machine_correction.h"
#include "planner/evidence/measured_collectives.h"
#include "planner/evidence/nccl_model.h"
#include "planner/evidence/price_profile.h"
#include "planner/evidence/site_profile.h"
#include "planner/evidence/software_timing.h"
#include "planner/evidence/step_intervals.h"
#include "planner/profiles/profile_cache.h"
#include "planner/spec/cluster_spec.h"
#include "planner/text/json_document.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fabricast {

struct KernelFile;

enum class ProfileKind {
    Gpu,
    Node,
    Fabric,
    Cluster,
    Model,
    Kernel,
    Collective,
    Software,
    Interval,
    Price,
    Site,
    Correction,
    Host,
    Runtime
};
inline constexpr std::array kProfileKinds = {ProfileKind::Gpu,
                                             ProfileKind::Node,
                                             ProfileKind::Fabric,
                                             ProfileKind::Cluster,
                                             ProfileKind::Model,
                                             ProfileKind::Kernel,
                                             ProfileKind::Collective,
                                             ProfileKind::Software,
                                             ProfileKind::Interval,
                                             ProfileKind::Price,
                                             ProfileKind::Site,
                                             ProfileKind::Correction,
                                             ProfileKind::Host,
                                             ProfileKind::Runtime};
/// "gpu", "node", ...; the folder of that kind has an s more.
std::string_view profileKindName(ProfileKind kind);

/// A name as files have it, for any way to type it: "H100_SXM" is "h100-sxm".
std::string profileName(std::string_view typed);

/// One profile as it lies in its file.
struct ProfileFile {
    ProfileKind kind = ProfileKind::Gpu;
    std::string name{};    ///< of the file, without its ending
    std::string source{};  ///< the file, as errors name it
    std::string_view text{};
    std::size_t layer = 0;  ///< 0: built in; then the folders in the order given
    std::shared_ptr<const std::string> owner{};  ///< of a text that is not built in

    [[nodiscard]] bool isOwn() const { return layer > 0; }  ///< the user's
};

/// Where a profile's numbers may come from, by the id that "from" names.
struct ProfileSource {
    std::string title;
    std::string url;
};

/// The JSON of a profile, which must be named like its file.
Result<JsonValue> readDocument(const ProfileFile& file);

/// This holds all profiles: those built in, and those of the folders given on top, where the later
/// one wins. Names are found in any case, with "_", "." and " " as good as "-", and by alias. Files
/// are read strictly, when they are first asked for. Threads may share a store; copies of it share
/// what has been read.
///     FABRICAST_ASSIGN(const ProfileStore profiles, ProfileStore::open(options.profileFolders));
///     FABRICAST_ASSIGN(const ClusterSpec cluster, profiles.cluster("dgx-h100", "-c"));
/// `where` is what an error about the name itself points at.
class ProfileStore {
public:
    static ProfileStore builtIn();
    static Result<ProfileStore> open(std::span<const std::string> folders);

    /// With its kernels: its own, those its file in kernels/ borrows, or those of a GPU of its
    /// architecture.
    [[nodiscard]] Result<GpuSpec> gpu(std::string_view name, std::string_view where = {}) const;
    [[nodiscard]] Result<NodeSpec> node(std::string_view name, std::string_view where = {}) const;
    [[nodiscard]] Result<FabricSpec> fabric(std::string_view name,
                                            std::string_view where = {}) const;
    /// A cluster, or any node: then a single one, on the fabric of its NICs.
    [[nodiscard]] Result<ClusterSpec> cluster(std::string_view name,
                                              std::string_view where = {}) const;
    /// The same of a file that lies anywhere: a "fabricast.cluster/1" or a "fabricast.node/1".
    [[nodiscard]] Result<ClusterSpec> clusterIn(std::string_view text,
                                                const std::string& source) const;
    /// One box of these GPUs, of which nothing else is known.
    [[nodiscard]] Result<ClusterSpec> clusterFrom(std::string_view gpuName,
                                                  std::int64_t gpusPerNode) const;
    /// The file of a model, for the reader of models.
    [[nodiscard]] Result<ProfileFile> model(std::string_view name,
                                            std::string_view where = {}) const;

    /// The cost model of a collective library: "nccl" is the newest known of NVIDIA's.
    [[nodiscard]] Result<NcclModel> ncclModel(std::string_view name,
                                              std::string_view where = {}) const;
    /// Those of libraries that are neither NVIDIA's nor AMD's.
    [[nodiscard]] Result<std::vector<NcclModel>> otherLibraries() const;
    /// What the software of a stack adds on the host: "torch-eager".
    [[nodiscard]] Result<SoftwareTiming> software(std::string_view name,
                                                  std::string_view where = {}) const;

    /// How fast CPUs step an optimizer: "usual".
    [[nodiscard]] Result<HostProfile> host(std::string_view name) const;

    /// GPU memory of a process in addition to its tensors: a file's, or that of a GPU ("usual" if
    /// it has none of its own). GPUs come out with theirs.
    [[nodiscard]] Result<RuntimeMemory> runtime(std::string_view name) const;
    [[nodiscard]] Result<RuntimeMemory> runtimeOf(std::string_view gpu) const;

    /// How sure forecasts of the step are: "step-time".
    [[nodiscard]] Result<StepIntervals> intervals(std::string_view name) const;

    /// The speed of the user's machines relative to these profiles: of a file, or of a GPU, without
    /// a name if there is none. GPUs and nodes come out corrected.
    [[nodiscard]] Result<MachineCorrection> correction(std::string_view name,
                                                       std::string_view where = {}) const;
    [[nodiscard]] Result<OwnSpeed> ownSpeedOf(std::string_view gpu) const;

    /// What GPUs cost at one place and date; `In`: the same of a file that lies anywhere.
    [[nodiscard]] Result<PriceProfile> price(std::string_view name,
                                             std::string_view where = {}) const;
    [[nodiscard]] Result<PriceProfile> priceIn(std::string_view text,
                                               const std::string& source) const;
    /// Where a cluster is and how it is operated.
    [[nodiscard]] Result<SiteProfile> site(std::string_view name,
                                           std::string_view where = {}) const;
    [[nodiscard]] Result<SiteProfile> siteIn(std::string_view text,
                                             const std::string& source) const;

    /// Every file of measured collectives, with the machine it was measured on: first the user's
    /// own, the newest of them first.
    [[nodiscard]] Result<std::vector<MeasuredCollectives>> measuredCollectives() const;
    [[nodiscard]] Result<MeasuredCollectives> measuredCollectives(const ProfileFile& file) const;

    /// All profiles of a kind, sorted by name.
    [[nodiscard]] std::span<const ProfileFile> files(ProfileKind kind) const;
    [[nodiscard]] Result<ProfileFile> find(ProfileKind kind,
                                           std::string_view name,
                                           std::string_view where = {}) const;
    /// Of whatever kind has the name first: cluster, node, gpu, fabric, model, kernel, …
    [[nodiscard]] Result<ProfileFile> findAny(std::string_view name,
                                              std::string_view where = {}) const;
    [[nodiscard]] Result<std::map<std::string, ProfileSource>> sources() const;

private:
    struct Alias {
        std::string name;
        std::size_t file = 0;  ///< of its kind
    };
    [[nodiscard]] Result<std::vector<Alias>> aliases(ProfileKind kind) const;
    /// What `read` makes of the file's JSON, the first time.
    template <class Read>
    auto parsed(const ProfileFile& file, const Read& read) const {
        using Parsed = typename std::invoke_result_t<Read, const JsonValue&>::value_type;
        return cache_->of<Parsed>(file.source, [&]() -> Result<Parsed> {
            FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
            return read(root);
        });
    }
    /// All files of collectives, by what they are; the measured ones as they are asked for.
    struct CollectiveFiles {
        std::vector<NcclModel> models;
        std::vector<MeasuredCollectives> measured;
    };
    [[nodiscard]] Result<CollectiveFiles> collectiveFiles() const;
    [[nodiscard]] Result<CollectiveFiles> readCollectives() const;
    [[nodiscard]] Result<MeasuredCollectives> measuredIn(const JsonValue& root,
                                                         const ProfileFile& file) const;
    [[nodiscard]] Result<const ProfileFile*> lookUp(ProfileKind kind, std::string_view name) const;
    /// A model that is the same but for its organisation, training and date; nullptr: none.
    [[nodiscard]] Result<const ProfileFile*> lookUpSpelling(std::string_view name) const;
    /// In quotes: no more than a few.
    [[nodiscard]] Result<std::string> nearGpus(std::string_view name) const;
    [[nodiscard]] Result<Error> notFound(std::span<const ProfileKind> kinds,
                                         std::string_view name,
                                         std::string_view where) const;
    [[nodiscard]] Result<std::optional<KernelProfile>> kernelsOf(const GpuSpec& gpu) const;
    [[nodiscard]] Result<std::optional<KernelProfile>> relatedKernels(const GpuSpec& gpu) const;
    [[nodiscard]] Result<KernelProfile> borrowed(const KernelFile& file, const GpuSpec& gpu) const;
    [[nodiscard]] Result<KernelProfile> completed(KernelProfile kernels, const GpuSpec& gpu) const;
    [[nodiscard]] Result<GpuSpec> gpuOf(const JsonValue& root, const std::string& name) const;
    [[nodiscard]] Result<FabricSpec> fabricOf(const JsonValue& root) const;
    [[nodiscard]] Result<NodeSpec> nodeOf(const JsonValue& root) const;
    [[nodiscard]] NodeSpec withPower(NodeSpec node) const;
    [[nodiscard]] Result<ClusterSpec> clusterOf(const JsonValue& root) const;
    [[nodiscard]] Result<ClusterSpec> oneNode(NodeSpec node) const;
    [[nodiscard]] Result<PriceProfile> priceOf(const JsonValue& root) const;
    [[nodiscard]] Result<SiteProfile> siteOf(const JsonValue& root) const;
    void add(ProfileFile file);
    Result<void> addFolder(const std::string& folder, std::size_t layer);

    std::array<std::vector<ProfileFile>, kProfileKinds.size()> files_;
    std::vector<ProfileFile> sources_;
    std::shared_ptr<ProfileCache> cache_ = std::make_shared<ProfileCache>();
};

}  // namespace fabricast
