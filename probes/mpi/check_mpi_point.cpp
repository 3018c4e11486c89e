#include "probes/mpi/mpi_checks.h"
#include "probes/mpi/mpi_points.h"
#include "probes/record/known_settings.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

namespace {

/// What a setting may be; any other one is a whole number.
struct MpiWords {
    std::string_view name;
    std::string_view
        words{};  ///< with spaces between them; empty: any, each measurement has its own
};
constexpr std::array kMpiWords = {MpiWords{"op", "copy norm swiglu softmax cross_entropy add"},
                                  MpiWords{"layout", "tn nn nt"},
                                  MpiWords{"pass", "forward backward"},
                                  MpiWords{"stack", "ddp fsdp2"},
                                  MpiWords{"algorithm", "ring library"},
                                  MpiWords{"dtype"},
                                  MpiWords{"form"},
                                  MpiWords{"causal"}};

/// The numbers without which there is nothing to measure.
std::vector<std::string> neededNumbers(std::string_view what) {
    if (what == "gemm") {
        return {"m", "n", "k"};
    }
    if (what == "overlap") {
        return {"m", "n", "k", "bytes"};
    }
    if (what == "attention") {
        return {"batch", "heads", "sequence"};
    }
    if (what == "step") {
        return {"layers", "hidden", "ffn", "vocab", "sequence", "batch"};
    }
    if (what == "memory") {
        return {};
    }
    return {what == "adam" ? "parameters" : "bytes"};
}

bool isOneOf(std::string_view word, std::string_view words) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        if (words.substr(0, end) == word) {
            return true;
        }
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

Done checkMpiSetting(const Point& point, const std::string& name) {
    const auto* const word = std::ranges::find(kMpiWords, name, &MpiWords::name);
    if (word == kMpiWords.end()) {
        const Answer<std::int64_t> number = wholeOf(point, name, 1);
        return number ? Done(std::monostate()) : Done(number.trouble());
    }
    const std::string& said = point.settings.at(name);
    if (word->words.empty() || isOneOf(said, word->words)) {
        return std::monostate();
    }
    std::string why = name + "='" + said + "' is none of ";
    return Trouble{why.append(word->words)};
}

}  // namespace

Done checkMpiPoint(const Point& point) {
    if (Done known = onlyKnownSettings("fabricast-probe-mpi", point); !known) {
        return known;
    }
    for (const std::string& name : neededNumbers(point.what)) {
        if (const Answer<std::int64_t> number = wholeOf(point, name, 1); !number) {
            return number.trouble();
        }
    }
    for (const auto& [name, value] : point.settings) {
        if (Done sound = checkMpiSetting(point, name); !sound) {
            return sound;
        }
    }
    const std::string fault = point.what == "memory" ? memoryFault(point) : "";
    return fault.empty() ? Done(std::monostate()) : Trouble{fault};
}

}  // namespace fabricast::probe
