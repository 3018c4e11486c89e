#include "planner/launch/launch_keys.h"

#include <yaml-cpp/yaml.h>

#include <set>
#include <utility>

namespace fabricast {
namespace {

/// Walks a document; an alias is walked each time it stands there, so what is walked is limited.
class YamlWalk {
public:
    YamlWalk(LaunchKeys& keys, std::string_view text) : keys_(keys), text_(text) {}

    Result<void> add(const YAML::Node& map, const std::string& section, int level) {
        FABRICAST_TRY(addMerged(map, section, level));
        for (const auto& member : map) {
            if (member.first.IsScalar() && member.first.Scalar() == kMerge) {
                continue;
            }
            FABRICAST_ASSIGN(const std::string name, scalarOf(member.first));
            const std::string path = section + name;
            if (++walked_ > kMostLaunchKeys || level > kMostLaunchLevels) {
                return fail(Error::Code::BadInput,
                            whereOf(member.first),
                            "more keys or levels than a launch file has");
            }
            if (member.second.IsNull()) {
                continue;  // as if it were not there
            }
            if (member.second.IsMap()) {
                FABRICAST_TRY(add(member.second, path + ".", level + 1));
                continue;
            }
            LaunchKey key{.path = path,
                          .values = {},
                          .line = member.first.Mark().line + 1,
                          .column = member.first.Mark().column + 1};
            FABRICAST_TRY(addValues(member.second, key));
            keys_.add(std::move(key));
        }
        return {};
    }

    [[nodiscard]] std::string whereOf(const YAML::Node& node) const {
        return keys_.source() + ":" + std::to_string(node.Mark().line + 1) + ":" +
               std::to_string(node.Mark().column + 1);
    }

private:
    static constexpr const char* kMerge = "<<";

    /// What "<<: *usual" takes from another map, or from several; the map's own keys win.
    Result<void> addMerged(const YAML::Node& map, const std::string& section, int level) {
        for (const auto& member : map) {
            if (!member.first.IsScalar() || member.first.Scalar() != kMerge) {
                continue;
            }
            if (level > kMostLaunchLevels) {
                return fail(Error::Code::BadInput,
                            whereOf(member.first),
                            "more levels than a launch file has");
            }
            const YAML::Node taken = member.second;
            for (std::size_t i = taken.IsSequence() ? taken.size() : 0; i > 0; --i) {
                if (taken[i - 1].IsMap()) {  // the first of several wins
                    FABRICAST_TRY(add(taken[i - 1], section, level + 1));
                }
            }
            if (taken.IsMap()) {
                FABRICAST_TRY(add(taken, section, level + 1));
            }
        }
        return {};
    }

    Result<std::string> scalarOf(const YAML::Node& node) {
        FABRICAST_TRY(checkQuotes(node));
        return node.IsScalar() ? node.Scalar() : node.IsNull() ? "null" : "?";
    }

    /// To yaml-cpp the end of the file ends a text in quotes as well. An alias is checked once.
    Result<void> checkQuotes(const YAML::Node& node) {
        const int begin = node.Mark().pos;
        if (!node.IsScalar() || node.Tag() != "!" || begin < 0 || !checked_.insert(begin).second) {
            return {};
        }
        auto at = static_cast<std::size_t>(begin);
        const char quote = at < text_.size() ? text_[at] : ' ';
        if (quote != '"' && quote != '\'') {
            return {};
        }
        for (++at; at < text_.size() && text_[at] != quote; ++at) {
            const bool isEscaped = quote == '"' && text_[at] == '\\';
            at += isEscaped ? 1 : 0;
        }
        return at < text_.size()
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          whereOf(node),
                          std::string("a text that began with ") + quote + " does not end",
                          std::string("another ") + quote + " where it ends");
    }

    Result<void> addValues(const YAML::Node& value, LaunchKey& key) {
        if (!value.IsSequence()) {
            FABRICAST_ASSIGN(std::string one, scalarOf(value));
            key.values.push_back(std::move(one));
            return {};
        }
        for (const YAML::Node& item : value) {
            if (++walked_ > kMostLaunchKeys) {
                return fail(
                    Error::Code::BadInput, whereOf(value), "more items than a launch file has");
            }
            FABRICAST_ASSIGN(std::string one, scalarOf(item));
            key.values.push_back(std::move(one));
        }
        return {};
    }

    LaunchKeys& keys_;
    std::string_view text_;
    std::set<int> checked_;
    std::size_t walked_ = 0;
};

}  // namespace

Result<LaunchKeys> readYamlKeys(std::string_view text, const std::string& source) {
    LaunchKeys keys(source);
    try {
        const YAML::Node root = YAML::Load(std::string(text));
        YamlWalk walk(keys, text);
        if (!root.IsMap()) {
            return fail(Error::Code::BadInput,
                        source + ":1:1",
                        "is no YAML of keys and values",
                        "base_model: meta-llama/Llama-3.1-8B");
        }
        FABRICAST_TRY(walk.add(root, "", 0));
    } catch (const YAML::Exception& error) {
        return fail(Error::Code::BadInput,
                    source + ":" + std::to_string(error.mark.line + 1) + ":" +
                        std::to_string(error.mark.column + 1),
                    error.msg,
                    "key: value on each line, with spaces before those of a part");
    }
    return keys;
}

}  // namespace fabricast
