#pragma once
#include "planner/base/result.h"

#include <algorithm>
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fabricast {

/// The text of a file that another one names, and the name by which it was found: it may stand in
/// a folder above.
struct NamedText {
    NamedText() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a text stands for the file that is named
    NamedText(std::string words, std::string found = {})
        : text(std::move(words)), name(std::move(found)) {}
    std::string text;
    std::string name;      ///< empty: as it is named
    std::string source{};  ///< how errors call it; empty: by its name, beside the one that names it
};

/// This reads the files of a run: those that were given together, and any other by the name that a
/// file calls it.
///     const ReadNamed read(textBeside, {{deepspeedText, "zero3.json"}});
class ReadNamed {
public:
    ReadNamed() = default;
    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, ReadNamed> &&
             std::is_invocable_r_v<Result<NamedText>, const F&, const std::string&>)
        // NOLINTNEXTLINE(google-explicit-constructor): most runs are read by their names alone
        ReadNamed(F byName, std::vector<NamedText> given = {}, std::string from = {})
        : byName_(std::move(byName)), given_(std::move(given)), from_(std::move(from)) {}

    Result<NamedText> operator()(const std::string& name) const {
        const auto same = std::ranges::find(given_, name, &NamedText::name);
        return same == given_.end() ? byName_(name) : Result<NamedText>(*same);
    }
    /// Files that were given with the first one: each is what the run reads of its kind, whatever
    /// the others call it.
    [[nodiscard]] const std::vector<NamedText>& given() const { return given_; }
    /// The framework whose file the first one is said to be; empty: as it looks.
    [[nodiscard]] const std::string& from() const { return from_; }

private:
    std::function<Result<NamedText>(const std::string& name)> byName_;
    std::vector<NamedText> given_;
    std::string from_;
};

}  // namespace fabricast
