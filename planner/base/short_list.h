#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace fabricast {

/// A list of plain values that is nearly always short: up to N lie inside it, and nothing is
/// allocated for them. More move to the heap, all together.
///     ShortList<int> weights{gate, up};
template <typename T, std::size_t N = 4>
class ShortList {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    ShortList() = default;
    ShortList(std::initializer_list<T> values) : ShortList(values.begin(), values.end()) {}
    template <std::forward_iterator Iterator>
    ShortList(Iterator first, Iterator last) {
        append(first, last);
    }
    ShortList(const ShortList& other) {
        if (other.heap_) {
            append(other.begin(), other.end());
        } else {
            inside_ = other.inside_;
            size_ = other.size_;
        }
    }
    ShortList(ShortList&& other) noexcept { take(other); }
    ShortList& operator=(ShortList other) noexcept {
        take(other);
        return *this;
    }
    ~ShortList() = default;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] T* begin() { return heap_ ? heap_.get() : inside_.data(); }
    [[nodiscard]] T* end() { return begin() + size_; }
    [[nodiscard]] const T* begin() const { return heap_ ? heap_.get() : inside_.data(); }
    [[nodiscard]] const T* end() const { return begin() + size_; }
    [[nodiscard]] T& operator[](std::size_t at) { return begin()[at]; }
    [[nodiscard]] const T& operator[](std::size_t at) const { return begin()[at]; }
    [[nodiscard]] const T& front() const { return *begin(); }
    [[nodiscard]] const T& back() const { return *(end() - 1); }
    bool operator==(const ShortList& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

    void push_back(T value) {
        makeRoom(size_ + 1);
        begin()[size_++] = value;
    }
    template <std::forward_iterator Iterator>
    void append(Iterator first, Iterator last) {
        const auto count = static_cast<std::size_t>(std::distance(first, last));
        makeRoom(size_ + count);
        std::copy(first, last, end());
        size_ += count;
    }
    void clear() { size_ = 0; }

private:
    void makeRoom(std::size_t wanted) {
        if (wanted <= room_) {
            return;
        }
        const std::size_t room = std::max(wanted, 2 * room_);
        std::unique_ptr<T[]> larger(new T[room]);
        std::copy(begin(), end(), larger.get());
        heap_ = std::move(larger);
        room_ = room;
    }
    /// The other is left empty.
    void take(ShortList& other) {
        heap_ = std::move(other.heap_);
        inside_ = other.inside_;
        size_ = std::exchange(other.size_, 0);
        room_ = std::exchange(other.room_, N);
    }

    std::unique_ptr<T[]> heap_;
    std::size_t size_ = 0;
    std::size_t room_ = N;
    std::array<T, N> inside_{};
};

}  // namespace fabricast
