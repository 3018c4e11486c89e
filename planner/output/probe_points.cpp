#include "planner/output/probe_points.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace fabricast {
namespace {

constexpr std::string_view kCuda = "fabricast-probe-cuda";
constexpr std::string_view kHost = "fabricast-probe-host";
constexpr std::string_view kMpi = "fabricast-probe-mpi";
constexpr std::string_view kNccl = "fabricast-probe-nccl";
constexpr std::string_view kLogs = "nccl-tests";

constexpr std::string_view kOverMpi = "bytes ranks stride nodes algorithm dtype";
constexpr std::string_view kOverNccl = "bytes ranks nodes stride dtype groups";
constexpr std::string_view kInLogs = "bytes ranks nodes dtype";

constexpr std::array kProbePoints = {
    ProbePoint{kCuda, "gemm", "dtype m n k layout accumulate fast_accum"},
    ProbePoint{kCuda, "grouped_gemm", "experts tokens how dtype n k layout accumulate fast_accum"},
    ProbePoint{kCuda, "attention", "pass dtype batch heads kv_heads sequence dim causal"},
    ProbePoint{kCuda, "memory", "op=copy bytes"},
    ProbePoint{kCuda, "memory", "op=rope rows width dim"},
    ProbePoint{kCuda, "memory", "op rows width"},
    ProbePoint{kCuda, "adam", "parameters form"},
    ProbePoint{kCuda, "transfer", "kind bytes"},
    ProbePoint{kCuda, "launch", "kind"},
    ProbePoint{kCuda, "footprint", "of"},
    ProbePoint{kCuda, "overlap", "dtype m n k layout accumulate fast_accum ctas"},
    ProbePoint{kCuda, "sustained", "dtype m n k layout accumulate fast_accum seconds"},
    ProbePoint{kCuda, "plain", "of=copy bytes"},
    ProbePoint{kCuda, "plain", "of=gemm dtype m n k layout accumulate fast_accum"},
    ProbePoint{kHost, "memory", "op threads bytes"},
    ProbePoint{kHost, "cpu_adam", "threads parameters"},
    ProbePoint{kHost, "disk", "kind path bytes"},
    ProbePoint{kMpi, "all_reduce", kOverMpi},
    ProbePoint{kMpi, "all_gather", kOverMpi},
    ProbePoint{kMpi, "reduce_scatter", kOverMpi},
    ProbePoint{kMpi, "all_to_all", kOverMpi},
    ProbePoint{kMpi, "broadcast", kOverMpi},
    ProbePoint{kMpi, "send_recv", kOverMpi},
    ProbePoint{kMpi, "gemm", "m n k ranks stride nodes layout dtype"},
    ProbePoint{kMpi,
               "attention",
               "batch heads sequence kv_heads dim ranks stride nodes pass dtype causal"},
    ProbePoint{kMpi, "memory", "op bytes rows columns ranks stride nodes"},
    ProbePoint{kMpi, "adam", "parameters form ranks stride nodes"},
    ProbePoint{kMpi, "overlap", "m n k bytes ranks stride nodes dtype"},
    ProbePoint{kMpi, "step", "layers hidden ffn vocab sequence batch ranks stride nodes stack"},
    ProbePoint{kNccl, "all_reduce", kOverNccl},
    ProbePoint{kNccl, "all_gather", kOverNccl},
    ProbePoint{kNccl, "reduce_scatter", kOverNccl},
    ProbePoint{kNccl, "all_to_all", kOverNccl},
    ProbePoint{kNccl, "broadcast", kOverNccl},
    ProbePoint{kNccl, "send_recv", kOverNccl},
    ProbePoint{kNccl, "footprint", "of"},
    ProbePoint{kLogs, "all_reduce", kInLogs},
    ProbePoint{kLogs, "all_gather", kInLogs},
    ProbePoint{kLogs, "reduce_scatter", kInLogs},
    ProbePoint{kLogs, "all_to_all", kInLogs},
    ProbePoint{kLogs, "broadcast", kInLogs},
    ProbePoint{kLogs, "send_recv", kInLogs},
    ProbePoint{kLogs, "reduce", kInLogs}};

std::vector<std::string_view> wordsIn(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// Whether the settings have the values that this kind is of.
bool isOf(const ProbePoint& kind, const std::map<std::string, std::string>& settings) {
    return std::ranges::all_of(wordsIn(kind.settings), [&](std::string_view word) {
        const std::size_t equals = word.find('=');
        const auto said = settings.find(std::string(word.substr(0, equals)));
        return equals == std::string_view::npos ||
               (said != settings.end() && said->second == word.substr(equals + 1));
    });
}

}  // namespace

std::vector<std::string_view> ProbePoint::settingNames() const {
    std::vector<std::string_view> names = wordsIn(settings);
    for (std::string_view& name : names) {
        name = name.substr(0, name.find('='));
    }
    return names;
}

bool ProbePoint::has(std::string_view setting) const {
    const std::vector<std::string_view> names = settingNames();
    return std::ranges::find(names, setting) != names.end();
}

std::span<const ProbePoint> probePoints() {
    return kProbePoints;
}

const ProbePoint* probePoint(std::string_view program,
                             std::string_view what,
                             const std::map<std::string, std::string>& settings) {
    const auto* const found = std::ranges::find_if(kProbePoints, [&](const ProbePoint& kind) {
        return kind.program == program && kind.what == what && isOf(kind, settings);
    });
    return found == kProbePoints.end() ? nullptr : found;
}

}  // namespace fabricast
