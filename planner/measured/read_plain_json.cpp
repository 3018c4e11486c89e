#include "planner/measured/plain_values.h"

#include <algorithm>
#include <charconv>

namespace fabricast {
namespace {

using PlainValue = PlainValues::Value;
using PlainKind = PlainValues::Kind;

class PlainJsonReader {
public:
    PlainJsonReader(std::string_view text, const std::string& source)
        : text_(text), source_(source), values_(text) {}

    Result<PlainValues> read() {
        FABRICAST_ASSIGN(values_.root, value(0));
        passSpaces();
        if (at_ != text_.size()) {
            return problem();
        }
        return std::move(values_);
    }

private:
    [[nodiscard]] tl::unexpected<Error> problem() const {
        return fail(Error::Code::BadInput,
                    source_,
                    "is not valid JSON at byte " + std::to_string(at_),
                    "json.dump(torch.cuda.memory._snapshot(), file), whole");
    }

    void passSpaces() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    [[nodiscard]] bool takes(std::string_view word) {
        const bool isThere = text_.substr(at_).starts_with(word);
        at_ += isThere ? word.size() : 0;
        return isThere;
    }

    Result<PlainValue> number() {
        std::int64_t whole = 0;
        const char* const first = text_.data() + at_;
        const char* const last = text_.data() + text_.size();
        const auto [end, error] = std::from_chars(first, last, whole);
        const std::size_t past =
            std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
        if (past == at_) {
            return problem();
        }
        const bool isWhole = error == std::errc{} && end == text_.data() + past;
        at_ = past;
        return PlainValue{.kind = isWhole ? PlainKind::Integer : PlainKind::Real,
                          .content = isWhole ? whole : 0};
    }

    Result<PlainValue> quoted() {
        const std::size_t begin = ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            at_ += text_[at_] == '\\' ? 2U : 1U;
        }
        if (at_ >= text_.size() || at_ - begin > UINT32_MAX) {
            return problem();
        }
        return PlainValue{.kind = PlainKind::Text,
                          .size = static_cast<std::uint32_t>(at_++ - begin),
                          .content = static_cast<std::int64_t>(begin)};
    }

    /// A list, or a map with its keys.
    Result<PlainValue> whole(bool isMap, int depth) {
        ++at_;
        FABRICAST_ASSIGN(const PlainValue made,
                         values_.add(isMap ? PlainKind::Map : PlainKind::List, source_));
        const std::string_view end = isMap ? "}" : "]";
        passSpaces();
        for (bool isOver = takes(end); !isOver;) {
            passSpaces();
            if (isMap) {
                FABRICAST_TRY(addKey(made));
            }
            FABRICAST_ASSIGN(const PlainValue one, value(depth + 1));
            FABRICAST_TRY(values_.append(made, std::span(&one, 1), source_));
            passSpaces();
            isOver = takes(end);
            if (!isOver && !takes(",")) {
                return problem();
            }
        }
        return made;
    }

    Result<void> addKey(PlainValue map) {
        if (at_ >= text_.size() || text_[at_] != '"') {
            return problem();
        }
        FABRICAST_ASSIGN(const PlainValue key, quoted());
        passSpaces();
        return takes(":") ? values_.append(map, std::span(&key, 1), source_)
                          : Result<void>(problem());
    }

    Result<PlainValue> value(int depth) {
        constexpr int kMostDepth = 64;
        passSpaces();
        if (at_ >= text_.size() || depth > kMostDepth) {
            return problem();
        }
        const char first = text_[at_];
        if (first == '{' || first == '[') {
            return whole(first == '{', depth);
        }
        if (first == '"') {
            return quoted();
        }
        const bool isTrue = takes("true");
        if (isTrue || takes("false")) {
            return PlainValue{.kind = PlainKind::Boolean, .content = isTrue ? 1 : 0};
        }
        return takes("null") || takes("NaN") ? Result<PlainValue>(PlainValue{}) : number();
    }

    std::string_view text_;
    const std::string& source_;
    PlainValues values_;
    std::size_t at_ = 0;
};

}  // namespace

Result<PlainValues> readPlainJson(std::string_view text, const std::string& source) {
    return PlainJsonReader(text, source).read();
}

}  // namespace fabricast
