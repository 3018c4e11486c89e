#include "planner/measured/memory_readers.h"
#include "planner/measured/message_sizes.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fabricast {
namespace {

struct SmiGpu {
    Bytes used;
    Bytes total;
    std::optional<Bytes> largest{};  ///< of its processes
};

/// "23100MiB / 24564MiB" of each GPU, in the order of their numbers.
std::vector<SmiGpu> gpusOfTable(std::string_view text) {
    constexpr std::string_view kOf = "mib/";
    std::vector<SmiGpu> gpus;
    for (std::size_t at = text.find(kOf); at != std::string_view::npos;
         at = text.find(kOf, at + 1)) {
        const std::optional<Bytes> used = sizeEndingAt(text, at + kOf.size() - 1);
        const std::optional<Bytes> total = sizeAtFront(text.substr(at + kOf.size()));
        if (used && total && *used <= *total) {
            gpus.push_back({*used, *total});
        }
    }
    return gpus;
}

/// "|    0   N/A  N/A      5555      C   python      22600MiB |" of each process.
void addProcesses(std::string_view text, std::vector<SmiGpu>& gpus) {
    constexpr std::string_view kEnd = "mib|";
    for (std::size_t at = text.find(kEnd); at != std::string_view::npos;
         at = text.find(kEnd, at + 1)) {
        const std::size_t begin = text.rfind('|', at);
        const std::optional<Bytes> held = sizeEndingAt(text, at + kEnd.size() - 1);
        if (begin == std::string_view::npos || !held) {
            continue;
        }
        const std::string_view digits = text.substr(begin + 1, 3);
        const double number = numberAtFront(digits).value_or(-1.0);
        if (number >= 0.0 && number < static_cast<double>(gpus.size())) {
            std::optional<Bytes>& largest = gpus[static_cast<std::size_t>(number)].largest;
            largest = std::max(largest.value_or(*held), *held);
        }
    }
}

}  // namespace

MemoryMessage readNvidiaSmi(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::NvidiaSmi};
    const std::size_t processes = std::min(placeOf(text, "processes:"), text.size());
    std::vector<SmiGpu> gpus = gpusOfTable(text.substr(0, processes));
    if (gpus.empty()) {
        return message;
    }
    addProcesses(text.substr(processes), gpus);
    const auto fullest =
        std::ranges::max_element(gpus, {}, [](const SmiGpu& gpu) { return gpu.used / gpu.total; });
    message.capacity = fullest->total;
    message.free = fullest->total - fullest->used;
    message.inUse = fullest->largest;
    message.gpu = fullest - gpus.begin();
    message.others = gpus.size() - 1;
    return message;
}

}  // namespace fabricast
