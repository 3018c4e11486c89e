#include "planner/evidence/borrow_kernels.h"
#include "planner/profiles/profile_store.h"
#include "planner/text/text_files.h"
#include "probes/fit/cpu_fit.h"
#include "probes/fit/fit_kernels.h"
#include "probes/fit/fit_record.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/kernel_json.h"
#include "probes/fit/possible_kernels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kHelp =
    R"(fabricast-fit: measured kernel times in, a kernel profile out

  fabricast-fit --gpu NAME TABLE.csv ... [--out FILE]
  fabricast-fit --cpu-cluster NAME --out DIR RECORD.jsonl ...

  --gpu NAME           the GPU that was measured, as a file of gpus/ calls it
  --like NAME          a GPU whose kernels to start from, where it has none of its own
  --rows NAME          the tables' rows of this GPU are used instead; repeatable
  --source TEXT        only rows whose source begins so
  --from TEXT          an id of sources.json or a title: where the measurements come from
  --cached SIZE        bytes below which memory-bound rows are left out: the cache serves them
  --profile-dir DIR    profiles of your own; repeatable
  --out FILE           where the profile goes; without it, standard output
  --cpu-cluster NAME   make a folder of profiles of what fabricast-probe-mpi recorded;
                       fabricast --profile-dir DIR explain -c NAME uses it

  fabricast-fit record FILE.jsonl ... --name NAME --out DIR [--machine NAME] [--gpu NAME] [--force]

Record files of the probes in, a folder of profiles out: kernels, and the collectives of
the cluster or node profile --machine. What was not measured stays as the GPU's profile
has it.

The tables' columns say what they are; CONTRIBUTING.md lists them. Residuals of the
rows that were held out go to standard error.
)";

struct FitArguments {
    std::string gpu;
    std::string like;
    std::vector<std::string> rows;
    std::vector<std::string> folders;
    std::vector<std::string> tables;
    std::string out;
    std::string cached;
    std::string cpuCluster;
    FitOptions options;
};

Result<FitArguments> readFitArguments(std::span<const std::string> arguments) {
    FitArguments read;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string& flag = arguments[at];
        if (!flag.starts_with("--")) {
            read.tables.push_back(flag);
            continue;
        }
        const std::array<std::pair<std::string_view, std::string*>, 7> texts = {
            {{"--gpu", &read.gpu},
             {"--like", &read.like},
             {"--source", &read.options.source},
             {"--from", &read.options.from},
             {"--cached", &read.cached},
             {"--cpu-cluster", &read.cpuCluster},
             {"--out", &read.out}}};
        const std::array<std::pair<std::string_view, std::vector<std::string>*>, 2> lists = {
            {{"--rows", &read.rows}, {"--profile-dir", &read.folders}}};
        const auto* const text =
            std::ranges::find(texts, flag, &decltype(texts)::value_type::first);
        const auto* const list =
            std::ranges::find(lists, flag, &decltype(lists)::value_type::first);
        if (text == texts.end() && list == lists.end()) {
            return fail(Error::Code::BadInput, flag, "is no flag", "fabricast-fit --help");
        }
        if (++at == arguments.size()) {
            return fail(Error::Code::BadInput, flag, "needs a value", "fabricast-fit --help");
        }
        if (text != texts.end()) {
            *text->second = arguments[at];
        } else {
            list->second->push_back(arguments[at]);
        }
    }
    if (!read.cpuCluster.empty() && !read.out.empty() && !read.tables.empty()) {
        return read;
    }
    if (!read.cpuCluster.empty()) {
        return fail(Error::Code::BadInput,
                    read.out.empty() ? "--out" : "RECORD.jsonl",
                    "is missing",
                    "fabricast-fit --cpu-cluster lab --out my_profiles run.jsonl");
    }
    if (read.gpu.empty() || read.tables.empty()) {
        return fail(Error::Code::BadInput,
                    read.gpu.empty() ? "--gpu" : "TABLE.csv",
                    "is missing",
                    "fabricast-fit --gpu h100-sxm5-80gb gemm.csv");
    }
    return read;
}

Result<void> readSize(const std::string& text, double& bytes) {
    if (text.empty()) {
        return {};
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error != std::errc() || end != text.data() + text.size() || !(bytes >= 0)) {
        return fail(Error::Code::BadInput, "--cached", "is no number of bytes", "--cached 2e8");
    }
    return {};
}

/// Tables call a GPU by any of its names.
template <class Row>
void keepRowsOf(const ProfileStore& store,
                const std::vector<std::string>& gpus,
                std::vector<Row>& rows) {
    std::map<std::string, bool> known;
    std::erase_if(rows, [&](const Row& row) {
        const auto found = known.find(row.gpu);
        if (found != known.end()) {
            return !found->second;
        }
        const Result<ProfileFile> file = store.find(ProfileKind::Gpu, row.gpu);
        const std::string name = file ? file->name : row.gpu;
        const bool isOurs = std::ranges::find(gpus, name) != gpus.end();
        known[row.gpu] = isOurs;
        return !isOurs;
    });
}

void keepRowsOf(const ProfileStore& store,
                const std::vector<std::string>& gpus,
                MeasuredTables& tables) {
    keepRowsOf(store, gpus, tables.gemms);
    keepRowsOf(store, gpus, tables.attentions);
    keepRowsOf(store, gpus, tables.experts);
    keepRowsOf(store, gpus, tables.memories);
}

/// Each row on the GPU that it is of.
Result<void> checkPossibleRows(const ProfileStore& store,
                               const std::vector<std::string>& gpus,
                               const MeasuredTables& tables,
                               double cached) {
    for (const std::string& name : gpus) {
        MeasuredTables rows = tables;
        keepRowsOf(store, {name}, rows);
        FABRICAST_ASSIGN(const GpuSpec gpu, store.gpu(name));
        FABRICAST_TRY(checkPossibleKernels(rows, gpu, cached));
    }
    return {};
}

Result<MeasuredTables> readTables(const FitArguments& arguments,
                                  const ProfileStore& store,
                                  const std::string& gpu) {
    MeasuredTables tables;
    for (const std::string& path : arguments.tables) {
        FABRICAST_ASSIGN(const std::string text, readTextFile(path));
        FABRICAST_TRY(addMeasuredTable(text, sourceName(path), tables));
    }
    std::vector<std::string> gpus = {gpu};
    if (!arguments.rows.empty()) {
        gpus.clear();
        for (const std::string& name : arguments.rows) {
            FABRICAST_ASSIGN(const ProfileFile file, store.find(ProfileKind::Gpu, name, "--rows"));
            gpus.push_back(file.name);
        }
    }
    keepRowsOf(store, gpus, tables);
    FABRICAST_TRY(checkPossibleRows(store, gpus, tables, arguments.options.leastMemoryBytes));
    return tables;
}

/// The GPU's kernels as they are known, or another's with this GPU's peaks.
Result<KernelProfile> startOf(const ProfileStore& store,
                              const GpuSpec& gpu,
                              const std::string& like) {
    if (like.empty()) {
        if (!gpu.kernels) {
            return fail(Error::Code::NotFound,
                        "--gpu",
                        "no GPU of the architecture " + gpu.architecture + " has kernels yet",
                        "--like h100-sxm5-80gb starts from another's");
        }
        return *gpu.kernels;
    }
    FABRICAST_ASSIGN(const GpuSpec donor, store.gpu(like, "--like"));
    if (!donor.kernels) {
        return fail(Error::Code::NotFound, "--like", donor.name + " has no kernels itself");
    }
    return completeKernels(borrowKernels(*donor.kernels, gpu, {}), gpu);
}

Result<FitAnswer> fitCpuCluster(const FitArguments& said) {
    FABRICAST_ASSIGN(const MergedMeasurements record, readMeasurements(said.tables));
    FABRICAST_ASSIGN(const CpuProfile profile, cpuProfile(record, said.cpuCluster));
    FABRICAST_TRY(writeProfile(profile.files, said.out, {}, "--out"));
    return FitAnswer{.profile = {}, .report = profile.report};
}

}  // namespace

std::string_view fitHelp() {
    return kHelp;
}

Result<FitAnswer> runFit(std::span<const std::string> arguments) {
    if (!arguments.empty() && arguments.front() == "record") {
        return runRecordFit(arguments.subspan(1));
    }
    FABRICAST_ASSIGN(FitArguments said, readFitArguments(arguments));
    if (!said.cpuCluster.empty()) {
        return fitCpuCluster(said);
    }
    FABRICAST_TRY(readSize(said.cached, said.options.leastMemoryBytes));
    FABRICAST_ASSIGN(const ProfileStore store, ProfileStore::open(said.folders));
    FABRICAST_ASSIGN(const GpuSpec gpu, store.gpu(said.gpu, "--gpu"));
    FABRICAST_ASSIGN(const KernelProfile start, startOf(store, gpu, said.like));
    FABRICAST_ASSIGN(const MeasuredTables tables, readTables(said, store, gpu.name));
    FABRICAST_ASSIGN(const FittedKernels fitted, fitKernels(start, tables, said.options));
    FitAnswer answer{kernelJson(fitted, "Kernels of the " + gpu.title), fitted.report};
    if (!said.out.empty()) {
        FABRICAST_TRY(writeTextFile(said.out, answer.profile));
        answer.profile.clear();
    }
    return answer;
}

}  // namespace fabricast
