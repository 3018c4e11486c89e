#include "planner/launch/opened_file.h"

#include "planner/launch/deepspeed_names.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/possible_lengths.h"
#include "planner/launch/python_reading.h"
#include "planner/launch/python_start.h"
#include "planner/launch/started_program.h"
#include "planner/launch/torchtitan_keys.h"
#include "planner/launch/torchtune.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostLaunchBytes = std::size_t{1} << 20;

/// How errors call a file that another one names.
std::string besideOf(const std::string& source, const std::string& name) {
    const std::string beside = source.substr(0, source.find_last_of('/') + 1) + name;
    return name.starts_with("/")     ? name
           : name.starts_with("../") ? std::filesystem::path(beside).lexically_normal().string()
                                     : beside;
}

/// `starter`: the script that starts a program; null where none does.
Result<OpenedFile> openKeys(FileForm form,
                            std::string_view text,
                            const std::string& source,
                            const LaunchKeys* starter) {
    if (text.size() > kMostLaunchBytes) {
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(kMostLaunchBytes);
        return fail(Error::Code::BadInput,
                    source + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')),
                    "is longer than a launch file: 1 MiB, which ends in this line",
                    "the file that starts the training");
    }
    if (form == FileForm::Toml) {
        FABRICAST_ASSIGN(LaunchKeys keys, readTomlKeys(text, source));
        return OpenedFile{LaunchKind::Titan, std::move(keys)};
    }
    if (form == FileForm::Json) {
        FABRICAST_ASSIGN(const LaunchKeys keys, readJsonKeys(text, source));
        return OpenedFile{LaunchKind::Deepspeed, deepspeedKeysOf(keys)};
    }
    if (form == FileForm::Yaml) {
        FABRICAST_ASSIGN(LaunchKeys keys, readYamlKeys(text, source));
        return yamlFile(std::move(keys));
    }
    if (form == FileForm::Python) {
        PythonStart start = starter == nullptr ? PythonStart() : pythonStartOf(*starter);
        FABRICAST_ASSIGN(LaunchKeys keys, readPythonKeys(text, source, std::move(start)));
        return pythonFile(std::move(keys));
    }
    FABRICAST_ASSIGN(LaunchKeys keys, readShellKeys(text, source));
    return scriptFile(std::move(keys));
}

/// What is typed behind a TOML of torchtitan wins over it.
void addArguments(const OpenedFile& script, OpenedFile& named) {
    if (script.kind != LaunchKind::Script || named.kind != LaunchKind::Titan) {
        return;
    }
    LaunchKeys arguments(named.keys.source());
    arguments.append(script.keys, {"--", "activation-checkpoint:", "activation_checkpoint:"});
    named.keys.append(titanKeysOf(arguments), {""});
}

/// What is typed beside TRL's file of arguments wins over it.
void addTyped(const OpenedFile& script, OpenedFile& named) {
    if (script.namedBy == kConfigOfTrl && named.kind == LaunchKind::Trainer) {
        named.keys = trlArgumentsOver(named.keys, script.keys);
        nameOther(named, {"--deepspeed", kConfigOfAccelerate});
    }
}

/// And what is typed of a recipe of torchtune over its config.
Result<void> addTuned(const OpenedFile& script, OpenedFile& named) {
    if (script.kind == LaunchKind::Script && named.kind == LaunchKind::Tune) {
        FABRICAST_ASSIGN(named.keys, tunedConfig(named.keys, script.keys));
    }
    return {};
}

/// So does what is typed behind Axolotl's.
void addOverrides(const OpenedFile& script, OpenedFile& named) {
    if (script.kind == LaunchKind::Script && named.kind == LaunchKind::Axolotl) {
        named.keys.append(axolotlArguments(script.keys), {""});
        nameOther(named, {"deepspeed"});
    }
}

/// What is typed behind accelerate launch wins over Accelerate's file.
Result<void> addLaunchArguments(const OpenedFile& starter, OpenedFile& named) {
    if (named.kind == LaunchKind::Accelerate) {
        FABRICAST_ASSIGN(const LaunchKeys typed, accelerateArguments(starter.keys));
        named.keys.append(typed, {""});
        nameOther(named, {"deepspeed_config.deepspeed_config_file"});
    }
    return {};
}

/// What starts a script or a program is said of it, too: ranks, and the environment, but for what
/// it sets itself.
void addStart(const OpenedFile& script, OpenedFile& named) {
    const bool isStarted = script.namedBy == "starts" || namesProgram(script);
    if (script.kind != LaunchKind::Script || !isStarted) {
        return;
    }
    LaunchKeys start(script.keys.source());
    for (const LaunchKey& key : script.keys.all()) {
        const bool isSetAgain =
            key.path.starts_with("env ") && named.keys.find(key.path) != nullptr;
        if (!isSetAgain) {
            start.add(key);
        }
    }
    named.keys.append(start, {"torchrun ", "sbatch ", "srun ", "mpirun ", "env "});
}

/// A file that says nothing is none: whatever it is for, it is not done.
Result<OpenedFile> openForm(FileForm form,
                            std::string_view text,
                            const std::string& source,
                            const LaunchKeys* starter = nullptr) {
    FABRICAST_ASSIGN(OpenedFile file, openKeys(form, text, source, starter));
    return file.keys.all().empty()
               ? Result<OpenedFile>(fail(Error::Code::BadInput, source, "says nothing"))
               : Result<OpenedFile>(std::move(file));
}

/// "--config: " of a key that names a file; nothing of a command that starts it.
std::string namedWords(const std::string& path) {
    const std::string name = path.substr(path.rfind(' ') + 1);
    return name == "script" || name == "starts" ? "" : name + ": ";
}

/// What is said behind the key that names a file, and so without it.
std::string whyNotOpened(const OpenedFile& file, const Error& error) {
    const std::string before = namedWords(file.namedBy);
    return error.why.starts_with(before) ? error.why.substr(before.size()) : error.text();
}

/// What a Trainer's --fsdp_config says, as "--fsdp_config.activation_checkpointing"; nothing where
/// it is not there, which the import says. A program's dictionary is among its keys already.
void appendFsdpConfig(OpenedFile& file, const ReadNamed& read) {
    const std::string argument = "--fsdp_config";
    const std::string text = file.keys.text(argument).value_or("");
    if (file.kind != LaunchKind::Trainer || text.empty() || text.starts_with("$")) {
        return;
    }
    const bool isTyped = text.starts_with("{");
    const LaunchKey argumentKey = *file.keys.find(argument);
    const Result<NamedText> named = isTyped ? Result<NamedText>(NamedText(text, file.keys.source()))
                                            : readNamedText(file.keys, argumentKey, text, read);
    const Result<LaunchKeys> config =
        named ? readJsonKeys(named->text, named->name) : tl::unexpected(named.error());
    if (!config) {
        return;
    }
    for (LaunchKey key : config->all()) {
        key.path = argument + "." + key.path;
        key.file = isTyped ? "" : named->name;
        key.line = isTyped ? argumentKey.line : key.line;
        key.column = isTyped ? argumentKey.column : key.column;
        file.keys.add(std::move(key));
    }
}

}  // namespace

Result<NamedText> readNamedText(const LaunchKeys& keys,
                                const LaunchKey& key,
                                const std::string& name,
                                const ReadNamed& read) {
    Result<NamedText> text = read(name);
    if (text) {
        text->name = text->name.empty() ? name : text->name;
        return text;
    }
    const Error& error = text.error();
    return fail(
        error.code,
        keys.where(key),
        namedWords(key.path) + error.where + " " + error.why,
        "a file that is there; it is looked for in the folder of the file that starts the run, "
        "and in those above");
}

bool isLaunchFile(std::string_view text, const std::string& source, std::string_view from) {
    return formOf(text, source, from) != FileForm::Scenario;
}

Result<OpenedFile> openLaunchFile(std::string_view text,
                                  const std::string& source,
                                  std::string_view from) {
    FABRICAST_ASSIGN(OpenedFile file, openForm(formOf(text, source, from), text, source));
    FABRICAST_TRY(checkFramework(file, from));
    return file;
}

Result<OpenedFile> openFirst(std::string_view text,
                             const std::string& source,
                             const ReadNamed& read) {
    FABRICAST_ASSIGN(OpenedFile file, openLaunchFile(text, source, read.from()));
    takeGiven(read.given(), file);
    nameProgram(file, read);
    return file;
}

bool namesProgram(const OpenedFile& file) {
    return file.namedBy == "script" && file.names.ends_with(".py");
}

Result<OpenedFile> openNamed(const OpenedFile& file, const ReadNamed& read) {
    const std::optional<std::string> ofTrl = trlAccelerateConfig(file.names);
    if (!ofTrl && isOfTrlsConfigs(file.names)) {
        return file.keys.refuse(*file.keys.find(file.namedBy),
                                file.names + ": TRL has no such file",
                                "--accelerate_config " + trlConfigNames() + ", or a YAML file");
    }
    FABRICAST_TRY(checkTuneConfig(file.keys));
    FABRICAST_ASSIGN(
        const NamedText there,
        ofTrl ? Result<NamedText>(NamedText(*ofTrl, file.names))
              : readNamedText(file.keys, *file.keys.find(file.namedBy), file.names, read));
    const std::string& text = there.text;
    const std::string source = ofTrl                   ? file.names
                               : !there.source.empty() ? there.source
                                                       : besideOf(file.keys.source(), there.name);
    const FileForm form = formOf(text, source);
    if (form == FileForm::Shell && file.namedBy != "starts") {
        return fail(Error::Code::BadInput, source, "is another script");
    }
    FABRICAST_ASSIGN(OpenedFile named,
                     openForm(form == FileForm::Scenario ? FileForm::Json : form,
                              text,
                              source,
                              file.kind == LaunchKind::Script ? &file.keys : nullptr));
    if (file.namedBy == "starts" && named.namedBy == "starts") {
        return named.keys.refuse(*named.keys.find("starts"),
                                 "a script again, as " + file.keys.source() + " does",
                                 "give the script that starts the training");
    }
    addArguments(file, named);
    addTyped(file, named);
    addOverrides(file, named);
    FABRICAST_TRY(addTuned(file, named));
    FABRICAST_TRY(addLaunchArguments(file, named));
    addStart(file, named);
    addProgramsArguments(file, named);
    addTypedLengths(file, named);
    takeGiven(read.given(), named);
    nameProgram(named, read);
    return named;
}

std::optional<OpenedFile> programBeside(const OpenedFile& script,
                                        const OpenedFile& named,
                                        const ReadNamed& read) {
    OpenedFile start{LaunchKind::Script, script.keys};
    start.names = script.keys.has("script") ? script.keys.find("script")->values.front() : "";
    start.namedBy = "script";
    const bool isProgram = script.keys.source().ends_with(".py");
    if (named.kind != LaunchKind::Accelerate || isProgram || !namesProgram(start)) {
        return std::nullopt;
    }
    Result<OpenedFile> program = openNamed(start, read);
    if (!program || program->kind != LaunchKind::Trainer) {
        return std::nullopt;
    }
    if (!program->keys.text("--deepspeed")) {
        program->names = script.names;
        program->namedBy = script.namedBy;
    } else {
        LaunchKeys processes(named.keys.source());
        for (LaunchKey key : named.keys.all()) {
            if (key.path == "num_processes" && !program->keys.has("torchrun --num_processes")) {
                key.path = "torchrun --num_processes";
                processes.add(std::move(key));
            }
        }
        program->keys.append(processes, {""});
    }
    return *std::move(program);
}

Result<std::vector<OpenedFile>> openLaunchFiles(std::string_view text,
                                                const std::string& source,
                                                const ReadNamed& read) {
    std::vector<OpenedFile> files;
    FABRICAST_ASSIGN(OpenedFile first, openFirst(text, source, read));
    files.push_back(std::move(first));
    constexpr std::size_t kMostFiles = 5;
    while (!files.back().names.empty() && files.size() < kMostFiles) {
        Result<OpenedFile> named = openNamed(files.back(), read);
        if (!named && namesProgram(files.back())) {
            files.back().names.clear();
            break;
        }
        if (!named) {
            files.back().notOpened = whyNotOpened(files.back(), named.error());
            break;
        }
        const std::filesystem::path path(named->keys.source());
        for (const OpenedFile& one : files) {
            if (std::filesystem::path(one.keys.source()).lexically_normal() ==
                path.lexically_normal()) {
                return fail(Error::Code::BadInput, one.keys.source(), "names itself");
            }
        }
        files.push_back(*std::move(named));
    }
    for (std::size_t i = 0; i + 1 < files.size(); ++i) {
        if (std::optional<OpenedFile> program = programBeside(files[i], files[i + 1], read)) {
            files.push_back(*std::move(program));
            break;
        }
    }
    for (OpenedFile& one : files) {
        appendFsdpConfig(one, read);
    }
    return files;
}

}  // namespace fabricast
