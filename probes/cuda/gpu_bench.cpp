#include "probes/cuda/gpu_bench.h"

#include "probes/record/known_settings.h"

#include <algorithm>
#include <span>

namespace fabricast::probe {

namespace {

std::string gibText(double bytes) {
    const double tenths = bytes / 1024.0 / 1024.0 / 1024.0 * 10.0;
    const auto whole = static_cast<long long>(tenths);
    return std::to_string(whole / 10) + "." + std::to_string(whole % 10) + " GiB";
}

std::string listed(std::span<const char* const> words) {
    std::string text;
    for (const char* word : words) {
        text += (text.empty() ? "" : ", ") + std::string(word);
    }
    return text;
}

}  // namespace

Answer<const LtHome*> GpuBench::lt() {
    if (!lt_) {
        Answer<LtHome> home = openLt();
        if (!home) {
            return home.trouble();
        }
        lt_ = std::move(*home);
    }
    return &*lt_;
}

std::string GpuBench::tooLarge(double bytes) {
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
        return "";
    }
    // Some is left for what libraries load when they are first used.
    constexpr double kLeft = 512.0 * 1024 * 1024;
    const double usable = std::max(static_cast<double>(free) - kLeft, 0.0);
    return bytes <= usable
               ? ""
               : "needs " + gibText(bytes) + " of GPU memory, " + gibText(usable) + " are free";
}

Measurement refusedPoint(const Point& point, std::string why) {
    Measurement refused;
    refused.point = point;
    refused.refused = std::move(why);
    return refused;
}

Done onlySettings(const Point& point) {
    return onlyKnownSettings("fabricast-probe-cuda", point);
}

Answer<std::int64_t> sizeOf(const Point& point, const std::string& name, std::int64_t most) {
    const Answer<std::int64_t> size = wholeOf(point, name, 1);
    if (size && *size > most) {
        return Trouble{name + "=" + std::to_string(*size) + " is more than " +
                       std::to_string(most)};
    }
    return size;
}

Answer<std::string> choiceOf(const Point& point,
                             const std::string& name,
                             std::initializer_list<const char*> words,
                             bool needed) {
    const auto given = point.settings.find(name);
    if (given == point.settings.end() && !needed) {
        return std::string(*words.begin());
    }
    const std::string value = given == point.settings.end() ? "" : given->second;
    for (const char* word : words) {
        if (value == word) {
            return value;
        }
    }
    return Trouble{name + " must be one of " + listed(std::span(words.begin(), words.size())) +
                   (value.empty() ? "" : ", not '" + value + "'")};
}

}  // namespace fabricast::probe
