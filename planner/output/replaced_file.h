#pragma once
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

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

}  // namespace fabricast
