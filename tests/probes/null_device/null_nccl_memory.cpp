// What the ranks share, and how numbers are added.
#include "tests/probes/null_device/null_nccl.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>

namespace fabricast::null_device {

namespace {

template <class Number>
void add(void* sum, const void* more, std::size_t count) {
    auto* const into = static_cast<char*>(sum);
    const auto* const from = static_cast<const char*>(more);
    for (std::size_t at = 0; at < count * sizeof(Number); at += sizeof(Number)) {
        Number left{};
        Number right{};
        std::memcpy(&left, into + at, sizeof left);
        std::memcpy(&right, from + at, sizeof right);
        left = static_cast<Number>(left + right);
        std::memcpy(into + at, &left, sizeof left);
    }
}

/// A 16-bit float without compiler support; of halves, normal numbers and zero.
template <bool IsBrain>
class Short {
public:
    Short() = default;
    explicit Short(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t exponent = bits >> 23U & 0xFFU;
        bits_ = static_cast<std::uint16_t>(IsBrain ? bits >> 16U
                                           : exponent == 0
                                               ? 0
                                               : (exponent - 112U) << 10U | (bits >> 13U & 0x3FFU));
    }
    explicit operator float() const {
        const std::uint32_t bits = bits_;
        return std::bit_cast<float>(IsBrain ? bits << 16U
                                    : bits == 0
                                        ? 0U
                                        : ((bits >> 10U) + 112U) << 23U | (bits & 0x3FFU) << 13U);
    }
    friend Short operator+(Short left, Short right) {
        return Short(static_cast<float>(left) + static_cast<float>(right));
    }

private:
    std::uint16_t bits_ = 0;
};

constexpr std::size_t kPageBytes = 8192;
static_assert(sizeof(RankPage) <= kPageBytes);

}  // namespace

SharedPages::SharedPages(const std::string& name, int ranks)
    : path_("/dev/shm/" + name),
      bytes_(static_cast<std::size_t>(ranks) * (kPageBytes + kAreaBytes)) {
    const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes_)) != 0) {
        return;
    }
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    memory_ = memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

SharedPages::~SharedPages() {
    forgetName();
    if (memory_ != nullptr) {
        munmap(memory_, bytes_);
    }
}

void SharedPages::forgetName() {
    if (!path_.empty()) {
        unlink(path_.c_str());
        path_.clear();
    }
}

RankPage& SharedPages::page(int rank) const {
    // A new file is all zeros, and so is a new page.
    return *reinterpret_cast<RankPage*>(memory_ + static_cast<std::size_t>(rank) * kPageBytes);
}

char* SharedPages::area(int rank) const {
    const std::size_t ranks = bytes_ / (kPageBytes + kAreaBytes);
    return memory_ + ranks * kPageBytes + static_cast<std::size_t>(rank) * kAreaBytes;
}

std::string playedFault() {
    const char* const text = std::getenv("FABRICAST_NULL_NCCL");
    return text == nullptr ? "" : text;
}

std::size_t bytesOfType(ncclDataType_t type) {
    switch (type) {
        case ncclInt8:
        case ncclUint8:
            return 1;
        case ncclFloat16:
        case ncclBfloat16:
            return 2;
        case ncclInt64:
        case ncclUint64:
        case ncclFloat64:
            return 8;
        default:
            return 4;
    }
}

bool addInto(void* sum, const void* more, std::size_t count, ncclDataType_t type) {
    switch (type) {
        case ncclInt8:
            add<std::int8_t>(sum, more, count);
            return true;
        case ncclInt32:
            add<std::int32_t>(sum, more, count);
            return true;
        case ncclFloat16:
            add<Short<false>>(sum, more, count);
            return true;
        case ncclBfloat16:
            add<Short<true>>(sum, more, count);
            return true;
        case ncclFloat32:
            add<float>(sum, more, count);
            return true;
        case ncclFloat64:
            add<double>(sum, more, count);
            return true;
        default:
            return false;
    }
}

}  // namespace fabricast::null_device
