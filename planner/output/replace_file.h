#pragma once
#include <functional>
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
/// whatever signal arrives but SIGKILL.
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

}  // namespace fabricast
