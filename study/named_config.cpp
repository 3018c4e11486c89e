#include "study/named_config.h"

#include "planner/text/text_files.h"

#include <filesystem>
#include <limits>

namespace fabricast {
namespace {

/// "meta-llama/Llama-3.1-8B" of the address of its config.json on the Hub.
std::string hubName(const std::string& source) {
    const std::string_view host = "https://huggingface.co/";
    if (!source.starts_with(host)) {
        return "";
    }
    const std::size_t owner = source.find('/', host.size());
    const std::size_t end = source.find('/', owner == std::string::npos ? owner : owner + 1);
    return source.substr(host.size(), end == std::string::npos ? end : end - host.size());
}

/// "owner/name", as the Hub has it.
bool isHubName(const std::string& name) {
    return name.find('/') != std::string::npos && name.find('/') == name.rfind('/') &&
           !name.starts_with("/") && !name.starts_with(".");
}

const JsonValue* memberOf(const JsonValue* value, const char* key) {
    return value != nullptr && value->is(JsonValue::Kind::Object) ? value->find(key) : nullptr;
}

std::string textOrNothing(const JsonValue* value) {
    return value == nullptr ? "" : value->text().value_or("");
}

}  // namespace

std::string NamedConfig::text(std::initializer_list<const char*> path) const {
    const JsonValue* value = config ? &*config : nullptr;
    for (const char* const key : path) {
        value = memberOf(value, key);
    }
    return textOrNothing(value);
}

std::optional<double> NamedConfig::number(const char* key) const {
    constexpr double kMost = std::numeric_limits<double>::max();
    const JsonValue* const value = memberOf(config ? &*config : nullptr, key);
    const Result<double> number =
        value == nullptr ? Result<double>(fail(Error::Code::NotFound, key, "is not there"))
                         : value->number(-kMost, kMost);
    return number ? std::optional(*number) : std::nullopt;
}

NamedConfig namedConfig(const Question& question, const Workbench& bench) {
    const std::string name = textOrNothing(question.root.find("model"));
    if (name.empty() || name == "-") {
        return {};
    }
    if (const Result<ProfileFile> file = bench.profiles().model(name, ""); file) {
        const Result<JsonValue> profile = parseJson(file->text, file->source);
        const JsonValue* const config = profile ? memberOf(&*profile, "config") : nullptr;
        return config == nullptr
                   ? NamedConfig{}
                   : NamedConfig{
                         isHubName(name) ? name : hubName(textOrNothing(profile->find("source"))),
                         *config};
    }
    const std::filesystem::path path(name);
    const bool isFile = path.extension() == ".json";
    const std::string place = isFile ? name : (path / "config.json").string();
    const Result<std::string> text = readTextFile(pathFrom(question.folders.file, place));
    const Result<JsonValue> root =
        text ? parseJson(*text, place) : Result<JsonValue>(tl::unexpected(text.error()));
    return {isFile ? path.parent_path().string() : name,
            root ? std::optional(*root) : std::nullopt};
}

}  // namespace fabricast
