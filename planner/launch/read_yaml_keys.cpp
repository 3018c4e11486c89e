#include "planner/launch/launch_keys.h"

#include <yaml-cpp/yaml.h>

#include <map>
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
        const std::map<std::string, YAML::Mark> last = lastOfEach(map);
        for (const auto& member : map) {
            if (isMerge(member.first)) {
                continue;
            }
            FABRICAST_ASSIGN(const std::string name, scalarOf(member.first));
            const std::string path = section + name;
            const auto holds = last.find(name);
            if (holds != last.end() && !isAt(member.first, holds->second)) {
                addRepeated(map, member.first, path, holds->second);
                continue;
            }
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
            FABRICAST_TRY(addItems(member.second, path, level + 1));
        }
        return {};
    }

    [[nodiscard]] std::string whereOf(const YAML::Node& node) const {
        return keys_.source() + ":" + std::to_string(node.Mark().line + 1) + ":" +
               std::to_string(node.Mark().column + 1);
    }

private:
    /// The keys of each map in a list: "datasets[0].path".
    Result<void> addItems(const YAML::Node& list, const std::string& path, int level) {
        for (std::size_t i = 0; list.IsSequence() && i < list.size(); ++i) {
            if (list[i].IsMap()) {
                FABRICAST_TRY(add(list[i], path + "[" + std::to_string(i) + "].", level));
            }
        }
        return {};
    }

    static constexpr const char* kMerge = "<<";

    static bool isMerge(const YAML::Node& key) { return key.IsScalar() && key.Scalar() == kMerge; }

    static bool isAt(const YAML::Node& node, const YAML::Mark& place) {
        return node.Mark().pos == place.pos;
    }

    /// The keys of a map by their names; of one that stands there twice the last.
    static std::map<std::string, YAML::Mark> lastOfEach(const YAML::Node& map) {
        std::map<std::string, YAML::Mark> last;  // a node that is assigned changes the document
        for (const auto& member : map) {
            if (member.first.IsScalar() && !isMerge(member.first)) {
                last.insert_or_assign(member.first.Scalar(), member.first.Mark());
            }
        }
        return last;
    }

    void addRepeated(const YAML::Node& map,
                     const YAML::Node& first,
                     const std::string& path,
                     const YAML::Mark& holds) {
        std::vector<YAML::Node> values;  // of this one, and of the last
        for (const auto& member : map) {
            if (isAt(member.first, first.Mark()) || isAt(member.first, holds)) {
                values.push_back(member.second);
            }
        }
        const bool isSame = values.front().IsScalar() && values.back().IsScalar() &&
                            values.front().Scalar() == values.back().Scalar();
        keys_.addRepeated({.first = {.path = path,
                                     .values = {},
                                     .line = first.Mark().line + 1,
                                     .column = first.Mark().column + 1},
                           .holds = holds.line + 1,
                           .isSection = values.front().IsMap(),
                           .isSame = isSame});
    }

    /// What "<<: *usual" takes from another map, or from several; the map's own keys win.
    Result<void> addMerged(const YAML::Node& map, const std::string& section, int level) {
        for (const auto& member : map) {
            if (!isMerge(member.first)) {
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
            key.isQuoted = value.IsScalar() && value.Tag() == "!";
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
