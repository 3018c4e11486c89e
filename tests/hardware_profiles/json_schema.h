#pragma once
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace fabricast {

using nlohmann::json;

inline const std::filesystem::path kProfiles =
    std::filesystem::path(FABRICAST_SOURCE_DIR) / "hardware_profiles";

inline json readJson(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return json::parse(stream);
}

/// The violations of a schema by a document; empty if valid.
inline std::string complaints(const json& schemaText, const json& document) {
    using valijson::adapters::NlohmannJsonAdapter;
    valijson::Schema schema;
    valijson::SchemaParser parser;
    parser.populateSchema(NlohmannJsonAdapter(schemaText), schema);
    valijson::Validator validator;
    valijson::ValidationResults results;
    validator.validate(schema, NlohmannJsonAdapter(document), &results);
    std::string text;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        for (const std::string& step : error.context) {
            text += step;
        }
        text += ": " + error.description + "\n";
    }
    return text;
}

inline json schemaOf(const std::string& kind) {
    return readJson(kProfiles / "schema" / (kind + ".schema.json"));
}

}  // namespace fabricast
