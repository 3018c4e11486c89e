#pragma once
#include <span>
#include <string_view>

namespace fabricast {

/// How torchtitan calls a built-in model: its folder and flavor in 0.2.2, and its config's name in
/// 0.3.0; empty: it has none.
struct KnownTitanModel {
    std::string_view name;
    std::string_view folder;
    std::string_view flavor;
    std::string_view config;
};

std::span<const KnownTitanModel> knownTitanModels();

/// What a folder of torchtitan/models has: flavors of 0.2.2, and configs of 0.3.0. Empty: the
/// release has no such folder.
struct TitanFolder {
    std::string_view name;
    std::span<const std::string_view> flavors;
    std::span<const std::string_view> configs;
};

std::span<const TitanFolder> titanFolders();

}  // namespace fabricast
