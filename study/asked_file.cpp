#include "study/asked_file.h"

#include "planner/launch/import_launch.h"
#include "planner/launch/key_lines.h"
#include "planner/load/input_text.h"
#include "planner/text/text_files.h"
#include "study/launch_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kAlphas = {"lora_alpha", "--lora_alpha", "LoRAConverter.alpha"};

/// Whether a variable tells libraries of the run what to do: another script may need it too.
bool isOfLibraries(const std::string& path) {
    constexpr std::array<std::string_view, 8> kOfLibraries = {"env NCCL_",
                                                              "env NVTE_",
                                                              "env TORCH_",
                                                              "env PYTORCH_",
                                                              "env CUDA_DEVICE_",
                                                              "env OMP_",
                                                              "env UCX_",
                                                              "env FI_"};
    return std::ranges::any_of(kOfLibraries,
                               [&path](std::string_view begin) { return path.starts_with(begin); });
}

bool isOfStarter(const std::string& path) {
    const bool isLaunchers = path.find(' ') != std::string::npos && !isOfLibraries(path);
    constexpr std::array<std::string_view, 7> kStarts = {"script",
                                                         "trl",
                                                         "--config",
                                                         "num_processes",
                                                         "num_machines",
                                                         "machine_rank",
                                                         "main_process_port"};
    return isLaunchers || std::ranges::find(kStarts, path) != kStarts.end() ||
           path.starts_with("$") || path.starts_with("--deepspeed");
}

/// Whether a file that is started takes the key: it is asked about there.
bool isPassedOn(const LaunchKey& key, const std::string& source, std::span<const OpenedFile> next) {
    const auto isIt = [&](const LaunchKey& one) {
        return one.line == key.line && one.column == key.column && one.file == source;
    };
    return std::ranges::any_of(next, [&isIt](const OpenedFile& file) {
        return std::ranges::any_of(file.keys.all(), isIt);
    });
}

/// Whether it is off, or left to whoever starts the run. In a section of YAML that is not read it
/// may be on without a word, as Axolotl's gradient_checkpointing_kwargs.use_reentrant is.
bool saysNo(const LaunchKey& key, const std::string& file) {
    const bool isYaml = file.ends_with(".yaml") || file.ends_with(".yml");
    if (isYaml && key.path.find('.') != std::string::npos) {
        return false;
    }
    static constexpr std::array<std::string_view, 7> kNo = {
        "", "false", "False", "null", "None", "no", "auto"};
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

/// Of a map in a list the list: "datasets" of "datasets[0].path"; of a variable its name.
std::string nameOfKey(const LaunchKey& key) {
    const std::string name = key.path.substr(0, key.path.find('['));
    return name.substr(name.rfind(' ') + 1);
}

/// "lora_alpha" of a script's "--lora-alpha": one name for keys of files and arguments.
std::string plainName(const std::string& path) {
    std::string name = path.starts_with("--") ? path.substr(2) : path;
    std::ranges::replace(name, '-', '_');
    return name;
}

/// A list of sections, whose items are "?", has no values that could be the same.
bool isCarriedOver(const LaunchKey& one, const LaunchKey& other) {
    const bool isSwitch = one.path.starts_with("-");
    const bool isRead = std::ranges::find(one.values, "?") == one.values.end();
    const auto isOn = [](const LaunchKey& key) {
        return key.values.empty() ||
               (key.values.size() == 1 && asSwitch(key.values.front()).value_or(false));
    };
    return (isSwitch && isOn(one) && isOn(other)) ||
           (one.values == other.values && isRead && (isSwitch || !one.values.empty()));
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
void takeUnread(OpenedFile file,
                std::span<const OpenedFile> next,
                const ReadNamed& read,
                AskedFile& asked) {
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{1}); };
    const bool isRead = importFile(file, {.read = read, .layers = layers}).has_value();
    for (const LaunchKey& key : file.keys.all()) {
        if (std::ranges::find(kAlphas, key.path) != kAlphas.end()) {
            asked.loraAlpha = wholeIn(key);
        }
        const bool isLeft = file.kind == LaunchKind::Torch
                                ? isOfLoop(key.path)
                                : !key.isUsed && !isPassedOn(key, file.keys.source(), next);
        if (isRead && isLeft && !isOfStarter(key.path) && !saysNo(key, file.keys.source())) {
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
    const std::vector<OpenedFile> files = askedFiles(question);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const OpenedFile& one = files[i];
        const std::string name = one.keys.source();
        if (hasKeyLines(name)) {
            std::string text =
                &one == &files.front() ? textOfQuestion(question) : textNamed(read, name);
            asked.texts.push_back({one.kind, name, std::move(text)});
        }
        asked.hasOtherKeys = asked.hasOtherKeys || one.words != MegatronWords::Arguments;
        takeUnread(one, std::span<const OpenedFile>(files).subspan(i + 1), read, asked);
    }
    return asked;
}

std::vector<std::string> leftBehind(const AskedFile& file, const std::vector<LaunchFile>& files) {
    std::multimap<std::string, LaunchKey> written;
    for (const LaunchFile& one : files) {
        const Result<OpenedFile> opened = openLaunchFile(one.text, one.name);
        for (const LaunchKey& key : opened ? opened->keys.all() : std::vector<LaunchKey>()) {
            written.emplace(plainName(key.path), key);
        }
    }
    std::vector<std::string> names;
    for (const LaunchKey& key : file.unread) {
        const auto [first, last] = written.equal_range(plainName(key.path));
        const bool isSaid = std::any_of(
            first, last, [&key](const auto& one) { return isCarriedOver(one.second, key); });
        std::string name = nameOfKey(key);
        if (!isSaid && std::ranges::find(names, name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

}  // namespace fabricast
