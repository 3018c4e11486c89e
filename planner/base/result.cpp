#include "planner/base/result.h"

#include "planner/base/check.h"

#include <utility>

namespace fabricast {

Error::Error() = default;
Error::Error(Code what, std::string at, std::string because, std::string next)
    : code(what), where(std::move(at)), why(std::move(because)), hint(std::move(next)) {}
Error::~Error() = default;
Error::Error(const Error& other) = default;
Error& Error::operator=(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(Error&& other) noexcept = default;

std::string Error::text() const {
    std::string line = where.empty() ? why : where + ": " + why;
    return hint.empty() ? line : line + " (" + hint + ")";
}

tl::unexpected<Error> fail(Error::Code code, std::string where, std::string why, std::string hint) {
    return tl::unexpected(Error{code, std::move(where), std::move(why), std::move(hint)});
}

CheckFailure::CheckFailure(const char* condition, const char* file, int line)
    : std::logic_error(std::string(file) + ":" + std::to_string(line) +
                       ": check failed: " + condition) {}

}  // namespace fabricast
