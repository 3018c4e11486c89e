#include "planner/models/model_file.h"

#include "planner/models/hf_config.h"
#include "planner/output/printable_text.h"
#include "planner/spec/check_settings.h"

#include <array>
#include <filesystem>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kSchema = "fabricast.model/1";
constexpr std::array<std::string_view, 7> kProfileKeys{
    "schema", "name", "aliases", "source", "published_parameters", "config", "shape"};
constexpr std::size_t kLongestName = 100;
constexpr std::array<std::string_view, 2> kPublishedKeys{"value", "source"};

/// "my-llama" for my-llama/config.json and for my-llama.json.
std::string nameOfFile(const std::string& source) {
    const std::filesystem::path path(source);
    const bool isGeneric = path.filename() == "config.json" && path.has_parent_path();
    const std::string name =
        isGeneric ? path.parent_path().filename().string() : path.stem().string();
    return name.empty() || name == "." || name == ".." ? "model" : printableLine(name);
}

Result<ModelProfile> readPublished(ModelProfile profile, const JsonValue& root) {
    const JsonValue* published = root.find("published_parameters");
    if (published == nullptr || published->is(JsonValue::Kind::Null)) {
        return profile;
    }
    FABRICAST_TRY(published->onlyKeys(kPublishedKeys));
    FABRICAST_ASSIGN(const JsonValue* value, published->require("value"));
    FABRICAST_ASSIGN(
        profile.publishedParameters,
        value->integer({.least = 1, .most = static_cast<std::int64_t>(kMostModelParameters)}));
    FABRICAST_ASSIGN(profile.publishedSource, published->textOr("source", ""));
    return profile;
}

Result<ModelSpec> readSpec(const JsonValue& root) {
    const JsonValue* config = root.find("config");
    const JsonValue* shape = root.find("shape");
    if ((config == nullptr) == (shape == nullptr)) {
        return tl::unexpected(root.problem(R"(needs either "config" or "shape")",
                                           "\"config\" holds a Hugging Face config.json"));
    }
    return config != nullptr ? readHfConfig(*config) : readModelShape(*shape);
}

Result<ModelProfile> readProfile(const JsonValue& root, const std::string& source) {
    FABRICAST_TRY(root.onlyKeys(kProfileKeys));
    ModelProfile profile;
    FABRICAST_ASSIGN(profile.model, readSpec(root));
    FABRICAST_ASSIGN(profile.model.name, root.textOr("name", nameOfFile(source)));
    if (const JsonValue* said = root.find("name");
        said != nullptr &&
        (profile.model.name.empty() || profile.model.name.size() > kLongestName ||
         printableLine(profile.model.name) != profile.model.name)) {
        return tl::unexpected(said->problem("must have 1 to 100 letters, on one line"));
    }
    FABRICAST_ASSIGN(profile.source, root.textOr("source", ""));
    if (const JsonValue* aliases = root.find("aliases")) {
        FABRICAST_TRY(aliases->expect(JsonValue::Kind::Array));
        for (const JsonValue& item : aliases->items()) {
            FABRICAST_ASSIGN(std::string alias, item.text());
            profile.aliases.push_back(std::move(alias));
        }
    }
    return readPublished(std::move(profile), root);
}

}  // namespace

Result<ModelProfile> parseModelProfile(std::string_view text, const std::string& source) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    return readModelProfile(root, source);
}

Result<ModelProfile> readModelProfile(const JsonValue& root, const std::string& source) {
    if (const JsonValue* schema = root.find("schema")) {
        FABRICAST_ASSIGN(const std::string said, schema->text());
        if (said != kSchema) {
            return tl::unexpected(
                schema->problem("is " + schema->shown() + ", which is not a model",
                                "a model is \"" + std::string(kSchema) + "\""));
        }
        return readProfile(root, source);
    }
    ModelProfile profile;
    FABRICAST_ASSIGN(profile.model, readHfConfig(root));
    profile.model.name = nameOfFile(source);
    return profile;
}

bool isModelFile(const JsonValue& root) {
    if (!root.is(JsonValue::Kind::Object)) {
        return false;
    }
    const JsonValue* const schema = root.find("schema");
    return schema == nullptr
               ? root.find("model_type") != nullptr || root.find("architectures") != nullptr
               : schema->text().value_or("") == kSchema;
}

Result<ModelSpec> parseModel(std::string_view text, const std::string& source) {
    FABRICAST_ASSIGN(ModelProfile profile, parseModelProfile(text, source));
    return std::move(profile.model);
}

}  // namespace fabricast
