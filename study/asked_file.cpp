#include "study/asked_file.h"

#include "planner/launch/import_launch.h"
#include "planner/launch/key_lines.h"
#include "planner/load/input_text.h"
#include "planner/text/text_file.h"
#include "study/launch_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kAlphas = {"lora_alpha", "--lora_alpha"};

bool isOfStarter(const std::string& path) {
    return path.find(' ') != std::string::npos || path == "script" || path.starts_with("$") ||
           path.starts_with("--deepspeed");
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

/// "datasets" of "datasets.path" in YAML. Of TOML and JSON, whose sections hold what is carried
/// over as well, the whole: "training.steps".
std::string nameOfKey(const LaunchKey& key) {
    const bool hasSections =
        key.file.ends_with(".toml") || key.file.ends_with(".json") || key.file.ends_with(".py");
    const bool isWhole = key.path.starts_with("-") || hasSections;
    return isWhole ? key.path : key.path.substr(0, key.path.find('.'));
}

/// A list of sections, whose items are "?", has no values that could be the same.
bool isCarriedOver(const LaunchKey& one, const LaunchKey& other) {
    const bool isSwitch = one.path.starts_with("-");
    const bool isRead = std::ranges::find(one.values, "?") == one.values.end();
    return one.values == other.values && isRead && (isSwitch || !one.values.empty());
}

/// What a program trains with, of which a loop's own import reads the shape alone: the learning
/// rate of its optimizer, and where its data are.
bool isOfLoop(const std::string& path) {
    constexpr std::array<std::string_view, 5> kTold = {
        ".lr", ".betas", ".eps", ".weight_decay", "load_dataset.0"};
    return std::ranges::any_of(kTold,
                               [&path](std::string_view end) { return path.ends_with(end); });
}

/// What the importer of its framework reads of one file; all of it where that refuses.
void takeUnread(OpenedFile file, const ReadNamed& read, AskedFile& asked) {
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{1}); };
    const bool isRead = importFile(file, {.read = read, .layers = layers}).has_value();
    for (const LaunchKey& key : file.keys.all()) {
        if (std::ranges::find(kAlphas, key.path) != kAlphas.end()) {
            asked.loraAlpha = wholeIn(key);
        }
        const bool isLeft = file.kind == LaunchKind::Torch ? isOfLoop(key.path) : !key.isUsed;
        if (isRead && isLeft && !isOfStarter(key.path) && !saysNo(key)) {
            asked.unread.push_back(key);
            LaunchKey& left = asked.unread.back();
            left.file = left.file.empty() ? file.keys.source() : left.file;
        }
    }
}

std::string textOfQuestion(const Question& question) {
    const std::string path = pathFrom(question.folders.typed, question.file);
    Result<InputText> read = readInputText(path, question.folders.known);
    return read ? std::move(read->text) : std::string();
}

std::string textNamed(const ReadNamed& read, const std::string& name) {
    Result<NamedText> named = read(name);
    return named ? std::move(named->text) : std::string();
}

}  // namespace

std::vector<OpenedFile> askedFiles(const Question& question) {
    if (question.file.empty() || question.file == "-") {
        return {};
    }
    const std::string path = pathFrom(question.folders.typed, question.file);
    const Result<InputText> text = readInputText(path, question.folders.known);
    if (!text || !isLaunchFile(text->text, sourceName(path), question.given.from)) {
        return {};
    }
    const ReadNamed read = launchReader(question.folders, question.given);
    Result<std::vector<OpenedFile>> opened = openLaunchFiles(text->text, sourceName(path), read);
    return opened ? *std::move(opened) : std::vector<OpenedFile>();
}

AskedFile askedFile(const Question& question) {
    AskedFile asked;
    const ReadNamed read = launchReader(question.folders, question.given);
    std::vector<OpenedFile> files = askedFiles(question);
    for (OpenedFile& one : files) {
        const std::string name = one.keys.source();
        if (hasKeyLines(name)) {
            std::string text =
                &one == &files.front() ? textOfQuestion(question) : textNamed(read, name);
            asked.texts.push_back({one.kind, name, std::move(text)});
        }
        takeUnread(std::move(one), read, asked);
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
            return same != nullptr && isCarriedOver(*same, key);
        });
        std::string name = nameOfKey(key);
        if (!isSaid && std::ranges::find(names, name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

}  // namespace fabricast
