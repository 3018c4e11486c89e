#pragma once
#include "planner/output/publish_files.h"

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// Writes a file so that a reader sees the old bytes or the new ones, never a part: to a temporary
/// file in the same folder, which then takes the place of the old one with its owner, group and
/// mode. Where links lead to the file, the file is replaced, not a link. Returns why it could not,
/// or nothing.
///     if (const std::string trouble = replaceFile("plan.json", text); !trouble.empty()) { … }
///
/// Pipes, devices and open descriptors (/dev/stdout) are written to as they are; a pipe that nobody
/// reads is refused after a moment. What cannot be
/// replaced without harm (a hard link, a mount, a file of somebody else, a folder that takes no new
/// file) is written over once the temporary file is complete; if that fails, the temporary file
/// stays, and the text returned names it. In all other cases no temporary file is left behind,
/// whatever signal arrives; SIGKILL leaves one only once it is complete, or where the file system
/// has no nameless files.
///
/// `prepare` is handed the descriptor of the file that will replace the old one.
std::string replaceFile(const std::string& path,
                        std::string_view text,
                        const std::function<void(int descriptor)>& prepare = {});

/// Adds bytes to a pipe, a device or an open descriptor. Returns why it could not, or nothing.
std::string writeThrough(const std::string& path, std::string_view text);

/// Whether replaceFile would put a file in the place of this one: false for pipes, devices and
/// open descriptors.
bool isReplaceable(const std::string& path);

// The file whose place, or whose bytes, another one takes.

/// Of the file that the links of a path lead to; nothing where there is none.
std::optional<struct stat> statusOf(const std::string& path);

/// Whether a new file in its place would leave another name of it with the old bytes.
bool hasOtherNames(const struct stat& old);

/// Makes a new file that of the old one's owner and group, with its mode. False leaves the reason
/// in errno.
bool takeRights(int descriptor, const struct stat& old);

/// Over the old bytes, once the disk has room for the new ones: the file stays what it is. The last
/// part of the path is no link: one that came there meanwhile is not followed. False
/// leaves the reason in errno.
bool writeOver(const std::string& path, std::string_view text);

/// Writes all bytes. False leaves the reason in errno.
bool writeAllTo(int descriptor, std::string_view text);

/// A new file, gone with its owner unless it was renamed or kept. It has no name until it is
/// complete, so that nothing stays of it when the process is killed, and then one that nobody can
/// have planted; where the file system has no nameless files it has that from the beginning.
/// Meanwhile the signals that end a process wait.
class TemporaryFile {
public:
    /// In the folder of `beside`, named after it with some letters more; a private one is its
    /// owner's alone.
    enum class Rights { Private, OfNewFiles };
    TemporaryFile(const std::string& beside, Rights rights);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    /// False leaves the reason in errno.
    [[nodiscard]] bool open() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// Writes all of it, to the disk too, and gives it its name. False leaves the reason in errno.
    bool complete(std::string_view text);
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Once it is complete: takes the place of a file.
    bool moveTo(const std::string& target);
    void keep() { owned_ = false; }

private:
    bool openNameless();
    void openNamed();
    /// Calls a function with names until one is free; false where it fails for another reason.
    template <class Make>
    bool makeWithName(const Make& make);
    bool takeName();

    SignalsHeld held_;
    std::string start_;  ///< of its names
    std::string path_;   ///< once it has one
    unsigned mode_;
    int descriptor_ = -1;
    bool owned_ = false;  ///< the file of this name
};

}  // namespace fabricast
