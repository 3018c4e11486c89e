#pragma once
#include "planner/base/result.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// This reads the keys of a Hugging Face config.json as the configuration classes do: a key may go
/// by several names, and an absent key means the default of the class, which null does not.
///     FABRICAST_ASSIGN(model.hidden, config.size({"n_embd", "hidden_size"}, 768));
class HfReader {
public:
    using Names = std::initializer_list<std::string_view>;

    /// `outer` is the config of the multimodal model around a nested text_config, or nullptr.
    HfReader(const JsonValue& config, const JsonValue* outer) : config_(&config), outer_(outer) {}

    [[nodiscard]] const JsonValue& config() const { return *config_; }
    [[nodiscard]] bool has(std::string_view key) const;  ///< and it is not null
    /// At the first of the keys that the config has, or at the config as a whole.
    [[nodiscard]] Error problem(Names keys, std::string_view why, std::string hint = {}) const;

    /// At least 1. Null is an error.
    [[nodiscard]] Result<std::int64_t> size(Names names, std::int64_t absent) const;
    /// At least 0. Null is an error.
    [[nodiscard]] Result<std::int64_t> count(Names names, std::int64_t absent) const;
    // The same with null as the class reads it.
    [[nodiscard]] Result<std::int64_t> sizeOrNull(Names names,
                                                  std::int64_t absent,
                                                  std::int64_t whenNull) const;
    [[nodiscard]] Result<std::int64_t> countOrNull(Names names,
                                                   std::int64_t absent,
                                                   std::int64_t whenNull) const;
    [[nodiscard]] Result<bool> flag(std::string_view key, bool absent) const;
    /// The same where a number will do too: Python's truth.
    [[nodiscard]] Result<bool> truth(std::string_view key, bool absent) const;
    /// tie_word_embeddings may be outside the text_config only.
    [[nodiscard]] Result<bool> tied(bool absent) const;
    /// Whole numbers, one for each item; null is absent.
    [[nodiscard]] Result<std::vector<std::int64_t>> countList(std::string_view key) const;
    /// A list of layer numbers as one flag per layer; numbers beyond the last layer name none.
    [[nodiscard]] Result<std::vector<bool>> layerFlags(std::string_view key,
                                                       std::int64_t layers) const;

private:
    struct Unsaid {
        std::int64_t absent;
        std::int64_t null;
    };
    [[nodiscard]] Result<std::int64_t> orNull(Names names,
                                              JsonValue::Range range,
                                              Unsaid unsaid) const;
    /// The one value under any of the names, or nullptr; two that differ are an error.
    [[nodiscard]] Result<const JsonValue*> find(Names names) const;

    const JsonValue* config_;
    const JsonValue* outer_;
};

}  // namespace fabricast
