#include "planner/base/grouped.h"
#include "planner/memory/device/replay.h"
#include "planner/result/memory_names.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kMostParts = 12;  ///< storages of the same name and size are one part

/// Alike storages: how they are called, how large one is, and how many there are.
struct Alike {
    std::string_view what;
    std::int64_t bytes = 0;
    std::int64_t count = 0;
};

using LiveByKind =
    std::map<MemoryKind, std::map<std::pair<std::string_view, std::int64_t>, std::int64_t>>;

LiveByKind liveAtPeak(const Device& device) {
    std::vector<DeviceEvent> alive;  // by storage
    const auto end = device.events().begin() + static_cast<std::ptrdiff_t>(device.peakEvent());
    for (auto event = device.events().begin(); event != end; ++event) {
        const auto at = static_cast<std::size_t>(event->storage);
        if (at >= alive.size()) {
            alive.resize(2 * at + 1);
        }
        if (event->bytes == kRenamed) {
            alive[at].kind = event->kind;
        } else {
            alive[at] = *event;
        }
    }
    LiveByKind kinds;
    for (const DeviceEvent& event : alive) {
        if (event.bytes > 0) {
            ++kinds[event.kind][{event.what, event.bytes}];
        }
    }
    return kinds;
}

std::string formulaOf(std::vector<Alike> parts) {
    std::sort(parts.begin(), parts.end(), [](const Alike& a, const Alike& b) {
        return std::tuple(-a.bytes * a.count, a.what, a.bytes) <
               std::tuple(-b.bytes * b.count, b.what, b.bytes);
    });
    std::string text;
    std::int64_t others = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Alike& part = parts[i];
        if (i >= kMostParts) {
            others += part.bytes * part.count;
            continue;
        }
        text += (text.empty() ? "" : " + ") + grouped(part.count) + " x " + grouped(part.bytes) +
                " B " + std::string(part.what.empty() ? "other" : part.what);
    }
    return others > 0 ? text + " + " + grouped(others) + " B in smaller tensors" : text;
}

}  // namespace

std::vector<Term> peakTerms(const Device& device, const std::string& source) {
    std::vector<Term> terms;
    for (const auto& [kind, alike] : liveAtPeak(device)) {
        std::vector<Alike> parts;
        std::int64_t sum = 0;
        for (const auto& [key, count] : alike) {
            parts.push_back({key.first, key.second, count});
            sum += key.second * count;
        }
        terms.push_back(
            {std::string(nameOf(kind)), Bytes(sum), formulaOf(std::move(parts)), source});
    }
    return terms;
}

}  // namespace fabricast
