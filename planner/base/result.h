#pragma once
#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace fabricast {

/// Why something could not be done: where the problem is, why it is wrong, and what to type
/// instead.
///     return fail(Error::Code::BadInput, "plan.json:4:12", "1500 is not a multiple of 32",
///                 "use 1504");
struct Error {
    enum class Code { BadInput, NotFound, Unsupported, Environment, Internal, Stopped };

    // Out of line, for every function that can fail destroys and moves one.
    Error();
    Error(Code what, std::string at, std::string because, std::string next = {});
    ~Error();
    Error(const Error& other);
    Error& operator=(const Error& other);
    Error(Error&& other) noexcept;
    Error& operator=(Error&& other) noexcept;

    Code code = Code::BadInput;
    std::string
        where;  ///< file:line:column, a flag ("--layout"), or a key ("layout.tp"); may be empty
    std::string why;
    std::string hint;  ///< what to type next; may be empty

    /// "where: why (hint)" on one line.
    [[nodiscard]] std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;

tl::unexpected<Error> fail(Error::Code code,
                           std::string where,
                           std::string why,
                           std::string hint = {});

}  // namespace fabricast

#define FABRICAST_JOIN_(a, b) a##b
#define FABRICAST_JOIN(a, b) FABRICAST_JOIN_(a, b)
#define FABRICAST_ASSIGN_(result, lhs, expr)              \
    auto result = (expr);                                 \
    if (!result) {                                        \
        return tl::unexpected(std::move(result).error()); \
    }                                                     \
    lhs = *std::move(result)
/// `FABRICAST_ASSIGN(const Layout layout, parseLayout(text));` hands an error on to the caller.
#define FABRICAST_ASSIGN(lhs, expr) \
    FABRICAST_ASSIGN_(FABRICAST_JOIN(fabricast_result_, __LINE__), lhs, expr)
/// `FABRICAST_TRY(check(layout));` for a Result<void>.
#define FABRICAST_TRY(expr)                                              \
    do {                                                                 \
        if (auto fabricast_outcome = (expr); !fabricast_outcome) {       \
            return tl::unexpected(std::move(fabricast_outcome).error()); \
        }                                                                \
    } while (false)
