#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

/// Values as bytes, alike on every machine: the least byte first.
class Packer {
public:
    Packer& whole32(std::uint32_t value) { return bytes(value, 4); }
    Packer& whole64(std::uint64_t value) { return bytes(value, 8); }
    Packer& real(double value) { return whole64(std::bit_cast<std::uint64_t>(value)); }
    Packer& text(std::string_view value) {
        whole32(static_cast<std::uint32_t>(value.size()));
        packed_ += value;
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return packed_; }

private:
    Packer& bytes(std::uint64_t value, int count) {
        for (int byte = 0; byte < count; ++byte) {
            packed_ += static_cast<char>(value >> (8 * byte) & 0xFFU);
        }
        return *this;
    }

    std::string packed_;
};

/// Reads them back, whatever the bytes: past the end all is zero and `ok` is false.
class Unpacker {
public:
    explicit Unpacker(std::string_view packed) : rest_(packed) {}

    std::uint32_t whole32() { return static_cast<std::uint32_t>(bytes(4)); }
    std::uint64_t whole64() { return bytes(8); }
    double real() { return std::bit_cast<double>(whole64()); }
    std::string text() {
        const std::uint32_t length = whole32();
        if (length > rest_.size()) {
            ok_ = false;
            return {};
        }
        std::string value(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return value;
    }
    /// Whether all was there, and nothing more.
    [[nodiscard]] bool complete() const { return ok_ && rest_.empty(); }
    [[nodiscard]] std::size_t left() const { return rest_.size(); }
    [[nodiscard]] bool ok() const { return ok_; }

private:
    std::uint64_t bytes(std::size_t count) {
        if (rest_.size() < count) {
            ok_ = false;
            rest_ = {};
            return 0;
        }
        std::uint64_t value = 0;
        for (std::size_t byte = 0; byte < count; ++byte) {
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[byte]))
                     << (8 * byte);
        }
        rest_.remove_prefix(count);
        return value;
    }

    std::string_view rest_;
    bool ok_ = true;
};

std::string packedReals(const std::vector<double>& values);
std::vector<double> unpackedReals(std::string_view packed);
std::string packedTexts(const std::vector<std::string>& texts);
std::vector<std::string> unpackedTexts(std::string_view packed);

}  // namespace fabricast::probe
