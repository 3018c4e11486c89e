#include "study/asked_file.h"

#include "planner/launch/import_launch.h"
#include "planner/load/input_text.h"
#include "planner/text/text_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kAlphas = {"lora_alpha", "--lora_alpha"};

bool isOfStarter(const std::string& path) {
    return path.find(' ') != std::string::npos || path == "script" || path.starts_with("$");
}

bool saysNo(const LaunchKey& key) {
    static constexpr std::array<std::string_view, 6> kNo = {
        "", "false", "False", "null", "None", "no"};
    return !key.values.empty() && std::ranges::all_of(key.values, [](const std::string& value) {
        return std::ranges::find(kNo, value) != kNo.end();
    });
}

std::optional<std::int64_t> wholeIn(const LaunchKey& key) {
    const std::string text = key.values.empty() ? "" : key.values.front();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

/// "datasets" of "datasets.path" in YAML; sections of TOML and JSON are said.
std::string nameOfKey(const LaunchKey& key) {
    const bool isArgument = key.path.starts_with("-");
    return isArgument ? key.path : key.path.substr(0, key.path.find('.'));
}

/// What the importer of its framework reads of one file; all of it where that refuses.
void takeUnread(OpenedFile file, const ReadNamed& read, AskedFile& asked) {
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{1}); };
    const bool isRead = importFile(file, {.read = read, .layers = layers}).has_value();
    for (const LaunchKey& key : file.keys.all()) {
        if (std::ranges::find(kAlphas, key.path) != kAlphas.end()) {
            asked.loraAlpha = wholeIn(key);
        }
        if (isRead && !key.isUsed && !isOfStarter(key.path) && !saysNo(key)) {
            asked.unread.push_back(key);
        }
    }
}

}  // namespace

AskedFile askedFile(const Question& question) {
    AskedFile asked;
    const Folders& folders = question.folders;
    if (question.file.empty() || question.file == "-") {
        return asked;
    }
    const std::string path = pathFrom(folders.typed, question.file);
    const Result<InputText> text = readInputText(path, folders.known);
    if (!text || !isLaunchFile(text->text, sourceName(path))) {
        return asked;
    }
    const ReadNamed read = [&folders](const std::string& name) -> Result<NamedText> {
        FABRICAST_ASSIGN(
            InputText named,
            readInputText(pathFrom(folders.file, nameSeenFrom(folders.file, name, folders.known)),
                          folders.known));
        return NamedText(std::move(named.text), name);
    };
    Result<std::vector<OpenedFile>> opened = openLaunchFiles(text->text, sourceName(path), read);
    if (opened) {
        for (OpenedFile& one : *opened) {
            takeUnread(std::move(one), read, asked);
        }
    }
    return asked;
}

std::vector<std::string> leftBehind(const AskedFile& file, const std::vector<LaunchFile>& files) {
    std::vector<LaunchKeys> written;
    for (const LaunchFile& one : files) {
        if (Result<OpenedFile> opened = openLaunchFile(one.text, one.name)) {
            written.push_back(std::move(opened->keys));
        }
    }
    std::vector<std::string> names;
    for (const LaunchKey& key : file.unread) {
        const bool isSaid = std::ranges::any_of(written, [&key](const LaunchKeys& keys) {
            const LaunchKey* const same = keys.find(key.path);
            return same != nullptr && same->values == key.values;
        });
        std::string name = nameOfKey(key);
        if (!isSaid && std::ranges::find(names, name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

}  // namespace fabricast
