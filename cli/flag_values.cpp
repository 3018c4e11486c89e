#include "cli/flag_values.h"

#include <charconv>
#include <system_error>

namespace fabricast {

CLI::Option* addWhole(CLI::App& app,
                      const std::string& flags,
                      std::int64_t& value,
                      std::pair<std::int64_t, std::int64_t> range) {
    const std::string shown = flags.substr(flags.find("--"));
    const auto read = [&value, range, shown](const std::string& typed) {
        std::int64_t number = 0;
        const auto end = std::from_chars(typed.data(), typed.data() + typed.size(), number);
        const bool whole = end.ec == std::errc() && end.ptr == typed.data() + typed.size();
        if (!whole || number < range.first || number > range.second) {
            throw FlagError({Error::Code::BadInput,
                             shown,
                             "must be a whole number from " + std::to_string(range.first) + " to " +
                                 std::to_string(range.second) + ", not \"" + typed + "\"",
                             {}});
        }
        value = number;
    };
    return app.add_option_function<std::string>(flags, read)->option_text("N");
}

}  // namespace fabricast
