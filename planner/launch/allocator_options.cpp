#include "planner/launch/allocator_options.h"

#include "planner/base/nearest_name.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace fabricast {
namespace {

enum class OptionKind { Switch, Number, Power, Fraction, Backend, Rounding, Other };

/// What PyTorch 2.15 takes: c10/core/AllocatorConfig.cpp and c10/cuda/CUDAAllocatorConfig.cpp, each
/// tried against torch._C._accelerator_setAllocatorSettings.
struct KnownOption {
    std::string_view name;
    OptionKind kind = OptionKind::Other;
    double least = 0.0;
    double most = std::numeric_limits<double>::infinity();
};
constexpr double kLargeSegmentMb = 20.0;  // a segment of the large pool
constexpr std::array kKnownOptions = {
    KnownOption{"expandable_segments", OptionKind::Switch},
    KnownOption{"max_split_size_mb", OptionKind::Number, kLargeSegmentMb},
    KnownOption{"garbage_collection_threshold", OptionKind::Fraction},
    KnownOption{"roundup_power2_divisions", OptionKind::Rounding, 1.0},
    KnownOption{"backend", OptionKind::Backend},
    KnownOption{"max_non_split_rounding_mb", OptionKind::Number, kLargeSegmentMb},
    KnownOption{"large_segment_size_mb", OptionKind::Number, 11.0},
    KnownOption{"per_process_memory_fraction", OptionKind::Number, 0.0, 1.0},
    KnownOption{"release_lock_on_cudamalloc", OptionKind::Switch},
    KnownOption{"release_lock_on_hipmalloc", OptionKind::Switch},
    KnownOption{"graph_capture_record_stream_reuse", OptionKind::Switch},
    KnownOption{"throw_on_cudamalloc_oom", OptionKind::Switch},
    KnownOption{"pinned_use_background_threads", OptionKind::Switch},
    KnownOption{"pinned_use_cuda_host_register", OptionKind::Switch},
    KnownOption{"pinned_use_hip_host_register", OptionKind::Switch},
    KnownOption{"pinned_free_catch_all", OptionKind::Switch},
    KnownOption{"pinned_num_register_threads", OptionKind::Power, 1.0, 128.0},
    KnownOption{"pinned_reserve_segment_size_mb", OptionKind::Number, 1.0},
    KnownOption{"pinned_max_round_threshold_mb", OptionKind::Number},
    KnownOption{"pinned_max_cached_size_mb", OptionKind::Number},
    KnownOption{"expandable_segments_reserve"},
    KnownOption{"expandable_segments_reserve_by_class"}};

std::string shortNumber(double number) {
    return std::to_string(static_cast<std::int64_t>(number));
}

bool isPowerOfTwo(double number) {
    constexpr double kMost = 1e15;  // whole in a double
    return number >= 1.0 && number < kMost && std::floor(number) == number &&
           std::has_single_bit(static_cast<std::uint64_t>(number));
}

/// A number that is too small, too large or none as one that is not.
std::string mendedNumber(const KnownOption& known, const std::string& value) {
    const std::optional<double> number = leadingNumber(value);
    const bool isPower = known.kind == OptionKind::Power || known.kind == OptionKind::Rounding;
    const bool wraps = value.starts_with('-') && !isPower;  // as text without a sign it is huge
    if (number && (wraps || (*number >= known.least && *number <= known.most)) &&
        (!isPower || isPowerOfTwo(*number))) {
        return "";
    }
    const std::string what = isPower ? "a power of two behind " : "a number behind ";
    const std::string from = ":, from " + shortNumber(known.least) + " on";
    return what + std::string(known.name) +
           (std::isinf(known.most)
                ? from
                : ":, " + shortNumber(known.least) + " to " + shortNumber(known.most)) +
           "; or leave it out";
}

std::string mendedValue(const KnownOption& known, const std::string& value) {
    const std::string name(known.name);
    switch (known.kind) {
        case OptionKind::Switch: {
            const bool isNo = value == "false" || value == "0" || value == "no" || value == "off";
            return value == "True" || value == "False" ? "" : name + (isNo ? ":False" : ":True");
        }
        case OptionKind::Fraction: {
            const std::optional<double> number = leadingNumber(value);
            return number && *number > 0.0 && *number < 1.0 ? "" : name + ":0.8";
        }
        case OptionKind::Backend:
            return value == "native" || value == "cudaMallocAsync" ? "" : name + ":native";
        case OptionKind::Rounding:
            return value.starts_with('[') && value.ends_with(']') ? "" : mendedNumber(known, value);
        case OptionKind::Number:
        case OptionKind::Power:
            return mendedNumber(known, value);
        case OptionKind::Other:
            break;
    }
    return value.empty() ? "a value behind " + name + ":" : "";
}

constexpr std::array<std::string_view, 3> kVariables = {
    "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF"};

}  // namespace

std::vector<AllocatorOption> allocatorOptions(std::string_view text) {
    std::vector<AllocatorOption> options(1);
    int depth = 0;
    for (const char one : text) {
        depth += one == '[' ? 1 : one == ']' ? -1 : 0;
        AllocatorOption& last = options.back();
        if (one == ',' && depth == 0) {
            options.emplace_back();
        } else if (one == ':' && !last.hasColon) {
            last.hasColon = true;
        } else if (one != ' ') {
            (last.hasColon ? last.value : last.name) += one;
        }
    }
    if (options.back().text().empty()) {
        options.pop_back();
    }
    return options;
}

std::optional<double> leadingNumber(std::string_view value) {
    double number = 0.0;
    const bool isSigned = value.starts_with('+');
    const char* const begin = value.data() + (isSigned ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, value.data() + value.size(), number);
    return error == std::errc() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string mendedOption(const AllocatorOption& option) {
    if (option.text().find_first_of("$`") != std::string::npos) {
        return "";
    }
    if (option.text().empty()) {
        return "one comma between two options";
    }
    const auto* const known = std::ranges::find(kKnownOptions, option.name, &KnownOption::name);
    if (known != kKnownOptions.end()) {
        return mendedValue(*known, option.value);
    }
    const std::size_t equals = option.name.find('=');
    if (equals != std::string::npos) {
        return option.name.substr(0, equals) + ":" + option.name.substr(equals + 1);
    }
    std::vector<std::string_view> names;
    for (const KnownOption& one : kKnownOptions) {
        names.push_back(one.name);
    }
    return suggestName(option.name, names);
}

const LaunchKey* variableOf(const LaunchKeys& keys, std::string_view name) {
    for (const std::string_view before : {std::string_view("env "), kUsualVariable}) {
        const LaunchKey* const key = keys.find(std::string(before) + std::string(name));
        if (key != nullptr && key->values.size() == 1) {
            return key;
        }
    }
    return nullptr;
}

const LaunchKey* allocatorVariable(const LaunchKeys& keys) {
    for (const std::string_view name : kVariables) {
        if (const LaunchKey* const key = variableOf(keys, name)) {
            return key;
        }
    }
    return nullptr;
}

std::string variableName(const LaunchKey& key) {
    return key.path.substr(key.path.rfind(' ') + 1);
}

}  // namespace fabricast
