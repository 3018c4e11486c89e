#include "planner/launch/opened_framework.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// The key by which a file of one kind names one of another.
struct NamingKey {
    LaunchKind of;
    LaunchKind other;
    std::string_view key;
};
constexpr std::array kNamingKeys = {
    NamingKey{LaunchKind::Axolotl, LaunchKind::Deepspeed, "deepspeed"},
    NamingKey{
        LaunchKind::Accelerate, LaunchKind::Deepspeed, "deepspeed_config.deepspeed_config_file"},
    NamingKey{LaunchKind::Trainer, LaunchKind::Deepspeed, "--deepspeed"},
    NamingKey{LaunchKind::Trainer, LaunchKind::Accelerate, kConfigOfAccelerate},
    NamingKey{LaunchKind::Script, LaunchKind::Deepspeed, "--deepspeed_config"},
    NamingKey{LaunchKind::Script, LaunchKind::Accelerate, kConfigOfAccelerate},
    NamingKey{LaunchKind::Script, LaunchKind::Titan, "--job.config_file"},
    NamingKey{LaunchKind::Script, LaunchKind::Tune, "--config"},
    NamingKey{LaunchKind::Script, LaunchKind::Axolotl, "script"},
    NamingKey{LaunchKind::Script, LaunchKind::Torch, "script"},
    NamingKey{LaunchKind::Script, LaunchKind::Trainer, "script"},
    NamingKey{LaunchKind::Script, LaunchKind::Script, "starts"}};

/// Whether Accelerate's file starts its ranks with DeepSpeed: it is then what names DeepSpeed's.
bool startsDeepspeed(const LaunchKeys& keys) {
    const LaunchKey* const type = keys.find("distributed_type");
    return type != nullptr && type->values == std::vector<std::string>{"DEEPSPEED"};
}

/// The key that names it; nothing where a file of that kind reads no such file.
std::string_view keyFor(const OpenedFile& file,
                        const OpenedFile& other,
                        const std::vector<OpenedFile>& given) {
    const auto naming = std::ranges::find_if(kNamingKeys, [&](const NamingKey& one) {
        return one.of == file.kind && one.other == other.kind;
    });
    const bool isOfLauncher =
        other.kind == LaunchKind::Deepspeed && file.kind != LaunchKind::Accelerate &&
        std::ranges::any_of(given, [](const OpenedFile& one) { return startsDeepspeed(one.keys); });
    const bool readsNone = file.kind == LaunchKind::Accelerate && !startsDeepspeed(file.keys);
    return naming == kNamingKeys.end() || isOfLauncher || readsNone ? "" : naming->key;
}

bool isSameName(const std::string& one, const std::string& other) {
    return std::filesystem::path(one).filename() == std::filesystem::path(other).filename();
}

/// The key as its users write it: accelerate's --config_file.
std::string writtenName(std::string_view path) {
    return std::string(path.substr(path.rfind(' ') + 1));
}

/// Names the other file, as if it were written there.
void nameGiven(std::string_view path, const std::string& name, OpenedFile& file) {
    const LaunchKey* const said = file.keys.find(path);
    const bool says = said != nullptr && said->values.size() == 1 && !said->values.front().empty();
    if (!says || !isSameName(said->values.front(), name)) {
        file.taken.push_back(name + " is read as " + writtenName(path) + " of " +
                             file.keys.source() + ", which " +
                             (says ? "names " + said->values.front() : "does not name it"));
    }
    if (said == nullptr) {
        file.keys.add(
            {.path = std::string(path), .values = {}, .line = 1, .column = 1, .file = name});
    }
    file.keys.say(path, name);
    nameOther(file, {path});
}

}  // namespace

void takeGiven(const std::vector<NamedText>& given, OpenedFile& file) {
    std::vector<OpenedFile> opened;
    std::vector<std::string> names;
    for (const NamedText& one : given) {
        if (Result<OpenedFile> other = openLaunchFile(one.text, one.name)) {
            opened.push_back(std::move(*other));
            names.push_back(one.name);
        }
    }
    for (std::size_t i = 0; i < opened.size(); ++i) {
        const std::string_view key = keyFor(file, opened[i], opened);
        if (!key.empty()) {
            nameGiven(key, names[i], file);
        }
    }
}

}  // namespace fabricast
