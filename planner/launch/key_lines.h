#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A key of a YAML or TOML file with the lines that say it: of YAML a key of the top level and all
/// below it, of TOML one key of a section, whose value may go on over lines.
struct KeyLines {
    std::string section{};  ///< of TOML: "training"
    std::string key;
    std::string lines;  ///< each with its end

    friend bool operator==(const KeyLines&, const KeyLines&) = default;
};

/// Whether a file of this name is one whose keys can be told by their lines.
bool hasKeyLines(std::string_view name);

/// All keys of a file, in its order; comments between them and tables of a list are left out.
///     keyLines("a: 1\nb:\n  c: 2\n", "x.yaml")  →  {"a", "a: 1\n"}, {"b", "b:\n  c: 2\n"}
std::vector<KeyLines> keyLines(std::string_view text, std::string_view name);

/// The file with one key as `own` says it: in place of its lines, at the end of its section, or in
/// a section of its own.
std::string withKeyLines(std::string text, std::string_view name, const KeyLines& own);

}  // namespace fabricast
