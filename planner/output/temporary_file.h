#pragma once
#include "planner/output/signals_held.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Writes all bytes. False leaves the reason in errno.
bool writeAllTo(int descriptor, std::string_view text);

/// A new file with a name that nobody can have planted, gone with its owner unless it was renamed
/// or kept. Meanwhile the signals that end a process wait.
class TemporaryFile {
public:
    /// In the folder of `beside`, with its name and some letters; a private one is its owner's
    /// alone.
    enum class Rights { Private, OfNewFiles };
    TemporaryFile(const std::string& beside, Rights rights);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    /// False leaves the reason in errno.
    [[nodiscard]] bool open() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Takes the place of a file.
    bool moveTo(const std::string& target);
    void keep() { owned_ = false; }

private:
    SignalsHeld held_;
    std::string path_;
    int descriptor_ = -1;
    bool owned_ = false;
};

}  // namespace fabricast
