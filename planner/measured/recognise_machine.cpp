#include "planner/measured/recognise_machine.h"

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
constexpr double kNearMemory = 0.06;

bool isNear(double found, double known) {
    return std::abs(found - known) <= kNearMemory * known;
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

bool sameMemory(Bytes found, const GpuSpec& gpu) {
    const auto& expected = gpu.reportedMemory.value ? gpu.reportedMemory : gpu.memory;
    if (found.count() == 0 || !expected.value) {
        return true;
    }
    return isNear(static_cast<double>(found.count()), static_cast<double>(expected.value->count()));
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

Result<std::optional<GpuSpec>> recogniseGpu(const ProfileStore& store,
                                            const std::string& driverName,
                                            Bytes memory,
                                            const std::string& architecture) {
    const std::set<std::string> name = nameWords(driverName);
    std::string best;
    std::pair<bool, std::size_t> least;
    for (const ProfileFile& file : store.files(ProfileKind::Gpu)) {
        FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
        FABRICAST_ASSIGN(const GpuSpec gpu, readGpuProfile(root));
        const auto more = surplus(name, nameWords(gpu.title));
        const bool same = architecture.empty() || gpu.architecture == architecture;
        if (!more || !same || !sameMemory(memory, gpu)) {
            continue;
        }
        const std::pair unlike(!saysMemoryOf(driverName, gpu), *more);
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
