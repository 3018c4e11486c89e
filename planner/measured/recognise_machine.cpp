#include "planner/measured/recognise_machine.h"

#include "planner/base/quantity_text.h"
#include "planner/base/small_letters.h"
#include "planner/profiles/read_profile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// Words of a driver's name that no title need have.
constexpr std::array<std::string_view, 5> kIdleWords = {
    "nvidia", "tesla", "generation", "edition", "amd"};

/// "80gb", "hbm3": memory, which is compared as a number.
bool isMemoryWord(const std::string& word) {
    return word.starts_with("hbm") ||
           (word.ends_with("gb") && std::isdigit(static_cast<unsigned char>(word.front())) != 0);
}

std::set<std::string> allWords(const std::string& name) {
    std::set<std::string> words;
    std::string word;
    const auto take = [&] {
        if (!word.empty()) {
            words.insert(word);
        }
        word.clear();
    };
    for (const char letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        if (std::isalnum(byte) != 0) {
            word += smallLetter(letter);
        } else {
            take();
        }
    }
    take();
    return words;
}

std::set<std::string> nameWords(const std::string& name) {
    std::set<std::string> words = allWords(name);
    std::erase_if(words, [](const std::string& word) {
        return std::ranges::find(kIdleWords, word) != kIdleWords.end() || isMemoryWord(word);
    });
    return words;
}

/// NVML leaves out what the driver keeps; the data sheet does not.
constexpr double kNearGpu = 0.06;

bool isNear(double found, double known) {
    return std::abs(found - known) <= kNearGpu * known;
}

/// A name with "80gb" is of no GPU with other memory.
bool saysMemoryOf(const std::string& driverName, const GpuSpec& gpu) {
    if (!gpu.memory.value) {
        return true;
    }
    constexpr double kGigabyte = 1e9;
    return std::ranges::all_of(allWords(driverName), [&](const std::string& word) {
        double gigabytes = 0.0;
        const auto [end, fault] =
            std::from_chars(word.data(), word.data() + word.size(), gigabytes);
        return fault != std::errc() || std::string_view(end, word.data() + word.size()) != "gb" ||
               isNear(gigabytes * kGigabyte, static_cast<double>(gpu.memory.value->count()));
    });
}

/// The number of additional words of the title; nothing if it lacks one of the name's.
std::optional<std::size_t> surplus(const std::set<std::string>& name,
                                   const std::set<std::string>& title) {
    if (name.empty() || !std::ranges::includes(title, name)) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(std::ranges::count_if(title, [&](const std::string& word) {
        return !name.contains(word) && !word.starts_with("sxm");
    }));
}

/// Those of a profile that come from no data sheet and no GPU may be others.
bool sameMultiprocessors(std::int64_t found, const GpuSpec& gpu) {
    const Sourced<std::int64_t>& known = gpu.multiprocessors;
    return found == 0 || !known.value || known.source == Source::Assumed ||
           isNear(static_cast<double>(found), static_cast<double>(*known.value));
}

std::optional<Bytes> memoryOf(const GpuSpec& gpu) {
    return gpu.reportedMemory.value ? gpu.reportedMemory.value : gpu.memory.value;
}

bool sameMemory(Bytes found, const GpuSpec& gpu) {
    const std::optional<Bytes> expected = memoryOf(gpu);
    return found.count() == 0 || !expected ||
           isNear(static_cast<double>(found.count()), static_cast<double>(expected->count()));
}

bool sameArchitecture(const std::string& found, const GpuSpec& gpu) {
    return found.empty() || gpu.architecture == found;
}

std::string nicsText(std::int64_t count, double gigabits) {
    return std::to_string(count) + (count == 1 ? " NIC of " : " NICs of ") +
           std::to_string(static_cast<std::int64_t>(std::lround(gigabits))) + " Gb/s";
}

std::string gigabytesText(double bytes) {
    return std::to_string(std::lround(bytes / 1e9)) + " GB of host memory";
}

/// The ports that a cluster's traffic would take: the fastest, and all as fast.
std::pair<std::int64_t, double> fastestPorts(const MachineInventory& machine) {
    double most = 0.0;
    for (const MachineInventory::Port& port : machine.ports) {
        most = std::max(most, port.gigabits);
    }
    const auto count = std::ranges::count_if(
        machine.ports, [most](const auto& port) { return most > 0 && port.gigabits >= most; });
    return {static_cast<std::int64_t>(count), most};
}

LikelyNode compared(const NodeSpec& node, const MachineInventory& machine) {
    LikelyNode likely{.name = node.name, .title = node.title};
    likely.same.push_back(std::to_string(node.gpus) + (node.gpus == 1 ? " GPU" : " GPUs"));
    const auto [count, gigabits] = fastestPorts(machine);
    if (count > 0 && node.nics.value && node.nicBandwidth.value) {
        constexpr double kGigabit = 1e9 / 8;
        const double expected = node.nicBandwidth.value->count() / kGigabit;
        const bool same = *node.nics.value == count && std::abs(expected - gigabits) < 1.0;
        const std::string found = nicsText(count, gigabits);
        (same ? likely.same : likely.unlike)
            .push_back(same ? found : found + ", not " + nicsText(*node.nics.value, expected));
    }
    if (machine.memory.count() > 0 && node.hostMemory.value) {
        // What the firmware keeps is missing from what the kernel counts.
        constexpr double kNear = 0.1;
        const auto expected = static_cast<double>(node.hostMemory.value->count());
        const bool same =
            std::abs(static_cast<double>(machine.memory.count()) - expected) <= kNear * expected;
        const std::string found = gigabytesText(static_cast<double>(machine.memory.count()));
        (same ? likely.same : likely.unlike)
            .push_back(same ? found : found + ", not " + gigabytesText(expected));
    }
    return likely;
}

}  // namespace

Result<std::optional<GpuSpec>> recogniseGpu(const ProfileStore& store, const SeenGpu& seen) {
    const std::set<std::string> name = nameWords(seen.name);
    std::string best;
    std::pair<bool, std::size_t> least;
    for (const ProfileFile& file : store.files(ProfileKind::Gpu)) {
        FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
        FABRICAST_ASSIGN(const GpuSpec gpu, readGpuProfile(root));
        const auto more = surplus(name, nameWords(gpu.title));
        if (!more || !sameArchitecture(seen.architecture, gpu) || !sameMemory(seen.memory, gpu) ||
            !sameMultiprocessors(seen.multiprocessors, gpu)) {
            continue;
        }
        const std::pair unlike(!saysMemoryOf(seen.name, gpu), *more);
        if (best.empty() || unlike < least) {
            least = unlike;
            best = file.name;
        }
    }
    if (best.empty()) {
        return std::optional<GpuSpec>();
    }
    FABRICAST_ASSIGN(GpuSpec gpu, store.gpu(best));
    return std::optional(std::move(gpu));
}

SeenGpu seenGpu(const MachineInventory::Gpu& gpu) {
    return {.name = gpu.name, .memory = gpu.memory, .architecture = gpu.architecture};
}

std::string unlikeGpu(const GpuSpec& gpu, const SeenGpu& seen) {
    std::string text;
    const auto add = [&](const std::string& found, const std::string& known) {
        text.append(text.empty() ? "" : " and ").append(found).append(", not ").append(known);
    };
    if (!sameMemory(seen.memory, gpu)) {
        add(shortText(seen.memory) + " of memory", shortText(*memoryOf(gpu)));
    }
    if (!sameArchitecture(seen.architecture, gpu)) {
        add(seen.architecture, gpu.architecture);
    }
    if (!sameMultiprocessors(seen.multiprocessors, gpu)) {
        add(std::to_string(seen.multiprocessors) + " multiprocessors",
            std::to_string(*gpu.multiprocessors.value));
    }
    return text;
}

Result<std::string> unknownGpuBecause(const ProfileStore& store, const SeenGpu& seen) {
    FABRICAST_ASSIGN(const std::optional<GpuSpec> named, recogniseGpu(store, {.name = seen.name}));
    return named ? "by its name it is " + named->name + ", but it has " + unlikeGpu(*named, seen)
                 : "none has this name";
}

bool mayBeNamed(const GpuSpec& gpu, const std::string& driverName) {
    return saysMemoryOf(driverName, gpu) &&
           surplus(nameWords(driverName), nameWords(gpu.title)).has_value();
}

Result<std::vector<LikelyNode>> likelyNodes(const ProfileStore& store,
                                            const MachineInventory& machine,
                                            const GpuSpec& gpu) {
    std::vector<LikelyNode> nodes;
    for (const ProfileFile& file : store.files(ProfileKind::Node)) {
        FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
        FABRICAST_ASSIGN(const NodeProfile profile, readNodeProfile(root));
        if (profile.node.gpus != static_cast<std::int64_t>(machine.gpus.size())) {
            continue;
        }
        FABRICAST_ASSIGN(const ProfileFile named, store.find(ProfileKind::Gpu, profile.gpu.name));
        if (named.name == gpu.name) {
            nodes.push_back(compared(profile.node, machine));
        }
    }
    std::ranges::stable_sort(nodes, {}, [](const LikelyNode& node) {
        return std::tuple(node.unlike.size(), -static_cast<std::int64_t>(node.same.size()));
    });
    return nodes;
}

}  // namespace fabricast
