#pragma once
#include "planner/base/nearest_name.h"
#include "planner/base/result.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// What was wrong with the value of a flag, in our own words.
class FlagError : public CLI::ParseError {
public:
    explicit FlagError(fabricast::Error error)
        : ParseError("FlagError", error.why, CLI::ExitCodes::ValidationError),
          error_(std::move(error)) {}
    [[nodiscard]] const fabricast::Error& error() const { return error_; }

private:
    fabricast::Error error_;
};

template <class T>
struct Choice {
    std::string_view name;
    T value;
};

/// A flag that takes one of a few words. `choices` outlives the program's parsing.
///     addChoice<Format>(app, "-f,--format", options.format, kFormats);
template <class T>
CLI::Option* addChoice(CLI::App& app,
                       const std::string& flags,
                       T& value,
                       std::span<const Choice<T>> choices) {
    const std::string shown = flags.substr(flags.find("--"));
    const auto pick = [&value, choices, shown](const std::string& typed) {
        std::vector<std::string_view> names;
        for (const Choice<T>& choice : choices) {
            if (choice.name == typed) {
                value = choice.value;
                return;
            }
            names.push_back(choice.name);
        }
        throw FlagError({Error::Code::BadInput,
                         shown,
                         "cannot be \"" + typed + "\"",
                         suggestName(typed, names)});
    };
    return app.add_option_function<std::string>(flags, pick)->option_text("WORD");
}

/// A flag that takes a whole number from `least` to `most`.
CLI::Option* addWhole(CLI::App& app,
                      const std::string& flags,
                      std::int64_t& value,
                      std::pair<std::int64_t, std::int64_t> range);

}  // namespace fabricast
