#include "planner/measured/plain_values.h"

namespace fabricast {
namespace {

constexpr std::size_t kMostWholes = std::size_t{16} << 20;
constexpr std::size_t kMostParts = std::size_t{64} << 20;

tl::unexpected<Error> tooMany(const std::string& source) {
    return fail(Error::Code::BadInput,
                source,
                "has more values than are read of a snapshot",
                "a shorter history: torch.cuda.memory._record_memory_history(max_entries=100000)");
}

}  // namespace

Result<PlainValues::Value> PlainValues::add(Kind kind, const std::string& source) {
    if (wholes_.size() == kMostWholes) {
        return tooMany(source);
    }
    wholes_.emplace_back();
    return Value{.kind = kind, .content = static_cast<std::int64_t>(wholes_.size() - 1)};
}

Result<void> PlainValues::append(Value whole,
                                 std::span<const Value> parts,
                                 const std::string& source) {
    count_ += parts.size();
    if (count_ > kMostParts) {
        return tooMany(source);
    }
    std::vector<Value>& held = wholes_[static_cast<std::size_t>(whole.content)];
    held.insert(held.end(), parts.begin(), parts.end());
    return {};
}

std::span<const PlainValues::Value> PlainValues::parts(Value whole) const {
    const bool isWhole = whole.kind == Kind::List || whole.kind == Kind::Map;
    return isWhole ? std::span<const Value>(wholes_[static_cast<std::size_t>(whole.content)])
                   : std::span<const Value>();
}

std::string_view PlainValues::text(Value value) const {
    return value.kind == Kind::Text
               ? bytes_.substr(static_cast<std::size_t>(value.content), value.size)
               : std::string_view();
}

std::optional<std::int64_t> PlainValues::integer(Value value) {
    return value.kind == Kind::Integer ? std::optional(value.content) : std::nullopt;
}

}  // namespace fabricast
