#include "planner/measured/plain_values.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricast {
namespace {

using PickleValue = PlainValues::Value;
using PickleKind = PlainValues::Kind;

/// Python puts a thousand values on the stack before it hands them to a list.
constexpr std::size_t kMostStack = std::size_t{1} << 20;
constexpr std::size_t kMostMemo = std::size_t{16} << 20;

/// One pass over the opcodes, by a stack of values and one of marks.
class PickleReader {
public:
    PickleReader(std::string_view bytes, const std::string& source)
        : bytes_(bytes), source_(source), values_(bytes) {}

    Result<PlainValues> read() {
        while (!isDone_) {
            opcode_ = at_;
            FABRICAST_ASSIGN(const std::uint64_t code, number(1));
            FABRICAST_TRY(step(static_cast<unsigned char>(code)));
            if (stack_.size() > kMostStack) {
                return problem("more values at once than a snapshot has");
            }
        }
        if (stack_.size() != 1) {
            return problem("an end before the whole is built");
        }
        values_.root = stack_.back();
        return std::move(values_);
    }

private:
    [[nodiscard]] tl::unexpected<Error> problem(const std::string& what) const {
        return fail(Error::Code::BadInput,
                    source_,
                    fmt::format("{} at byte {} of a pickle", what, opcode_),
                    "a file of torch.cuda.memory._dump_snapshot, whole and as it was written");
    }

    /// So many bytes, the least first.
    Result<std::uint64_t> number(std::size_t size) {
        if (bytes_.size() - at_ < size) {
            return problem("cut off");
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            value |= std::uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
        }
        at_ += size;
        return value;
    }

    void push(PickleKind kind, std::int64_t content) {
        stack_.push_back({.kind = kind, .content = content});
    }

    /// A whole number of so many bytes with its sign; what 64 bits do not hold is no size.
    Result<void> pushInteger(std::uint64_t size) {
        if (size > 8) {
            if (bytes_.size() - at_ < size) {
                return problem("cut off");
            }
            at_ += size;
            push(PickleKind::Null, 0);
            return {};
        }
        FABRICAST_ASSIGN(std::uint64_t value, number(size));
        if (size > 0 && size < 8 && (value >> (8 * size - 1)) != 0) {
            value |= ~std::uint64_t{0} << (8 * size);
        }
        push(PickleKind::Integer, static_cast<std::int64_t>(value));
        return {};
    }

    Result<void> pushText(std::size_t ofLength) {
        FABRICAST_ASSIGN(const std::uint64_t size, number(ofLength));
        if (bytes_.size() - at_ < size || size > UINT32_MAX) {
            return problem("cut off");
        }
        stack_.push_back({.kind = PickleKind::Text,
                          .size = static_cast<std::uint32_t>(size),
                          .content = static_cast<std::int64_t>(at_)});
        at_ += size;
        return {};
    }

    Result<void> pushWhole(PickleKind kind) {
        FABRICAST_ASSIGN(const PickleValue whole, values_.add(kind, source_));
        stack_.push_back(whole);
        return {};
    }

    /// The last values of the stack go to the list or map before them, or to a new one.
    Result<void> fill(PickleKind kind, std::size_t first, bool isNew) {
        const bool isThere =
            first <= stack_.size() && (isNew || (first > 0 && stack_[first - 1].kind == kind));
        const std::size_t count = isThere ? stack_.size() - first : 0;
        if (!isThere || (kind == PickleKind::Map && count % 2 != 0)) {
            return problem("parts without their whole");
        }
        PickleValue whole{};
        if (isNew) {
            FABRICAST_ASSIGN(whole, values_.add(kind, source_));
        } else {
            whole = stack_[first - 1];
        }
        FABRICAST_TRY(values_.append(whole, std::span(stack_).subspan(first), source_));
        stack_.resize(first);
        if (isNew) {
            stack_.push_back(whole);
        }
        return {};
    }

    Result<void> fillLast(PickleKind kind, std::size_t count, bool isNew) {
        return count > stack_.size() ? Result<void>(problem("parts without their whole"))
                                     : fill(kind, stack_.size() - count, isNew);
    }

    Result<void> fillMarked(PickleKind kind, bool isNew) {
        if (marks_.empty()) {
            return problem("parts without their whole");
        }
        const std::size_t first = marks_.back();
        marks_.pop_back();
        return fill(kind, first, isNew);
    }

    /// Places are given one after another, so none is beyond the bytes before it.
    Result<void> keep(std::uint64_t place) {
        if (stack_.empty() || place >= std::min(at_, kMostMemo)) {
            return problem("a place to keep that no snapshot has");
        }
        memo_.resize(std::max<std::size_t>(memo_.size(), place + 1));
        memo_[place] = stack_.back();
        return {};
    }

    Result<void> keepAt(std::size_t size) {
        FABRICAST_ASSIGN(const std::uint64_t place, number(size));
        return keep(place);
    }

    Result<void> again(std::size_t size) {
        FABRICAST_ASSIGN(const std::uint64_t place, number(size));
        if (place >= memo_.size()) {
            return problem("a value that was not kept");
        }
        stack_.push_back(memo_[place]);
        return {};
    }

    Result<void> skip(std::size_t size) {
        FABRICAST_TRY(number(size));
        return {};
    }

    Result<void> stepOfValue(unsigned char code) {
        switch (code) {
            case 'N':
                push(PickleKind::Null, 0);
                return {};
            case 0x88:
            case 0x89:
                push(PickleKind::Boolean, code == 0x88 ? 1 : 0);
                return {};
            case 'K':  // without a sign
            case 'M': {
                FABRICAST_ASSIGN(const std::uint64_t value, number(code == 'K' ? 1 : 2));
                push(PickleKind::Integer, static_cast<std::int64_t>(value));
                return {};
            }
            case 'J':
                return pushInteger(4);
            case 0x8a:
            case 0x8b: {
                FABRICAST_ASSIGN(const std::uint64_t size, number(code == 0x8a ? 1 : 4));
                return pushInteger(size);
            }
            case 'G':
                push(PickleKind::Real, 0);
                return skip(8);
            case 0x8c:
            case 'C':
            case 'U':
                return pushText(1);
            case 'X':
            case 'B':
            case 'T':
                return pushText(4);
            case 0x8d:
            case 0x8e:
                return pushText(8);
            default:
                return problem(fmt::format(
                    "opcode 0x{:02x}, which no snapshot has and which is not executed,", code));
        }
    }

    Result<void> step(unsigned char code) {
        switch (code) {
            case 0x80:
                return skip(1);
            case 0x95:
                return skip(8);
            case '.':
                isDone_ = true;
                return {};
            case '(':
                marks_.push_back(stack_.size());
                return marks_.size() > kMostStack
                           ? Result<void>(problem("more levels than a snapshot has"))
                           : Result<void>();
            case ']':
            case ')':
                return pushWhole(PickleKind::List);
            case '}':
                return pushWhole(PickleKind::Map);
            case 'a':
                return fillLast(PickleKind::List, 1, false);
            case 'e':
                return fillMarked(PickleKind::List, false);
            case 't':
            case 'l':
                return fillMarked(PickleKind::List, true);
            case 0x85:
            case 0x86:
            case 0x87:
                return fillLast(PickleKind::List, code - 0x84U, true);
            case 's':
                return fillLast(PickleKind::Map, 2, false);
            case 'u':
                return fillMarked(PickleKind::Map, false);
            case 'd':
                return fillMarked(PickleKind::Map, true);
            case 0x94:
                return keep(memo_.size());
            case 'q':
                return keepAt(1);
            case 'r':
                return keepAt(4);
            case 'h':
                return again(1);
            case 'j':
                return again(4);
            default:
                return stepOfValue(code);
        }
    }

    std::string_view bytes_;
    const std::string& source_;
    PlainValues values_;
    std::vector<PickleValue> stack_;
    std::vector<std::size_t> marks_;
    std::vector<PickleValue> memo_;
    std::size_t at_ = 0;
    std::size_t opcode_ = 0;
    bool isDone_ = false;
};

}  // namespace

Result<PlainValues> readPickle(std::string_view bytes, const std::string& source) {
    return PickleReader(bytes, source).read();
}

}  // namespace fabricast
