#include "probes/host/library_versions.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

namespace fabricast::probe {

namespace {

namespace fs = std::filesystem;

/// A library is taken out again; what it says of itself needs no GPU.
template <class Ask>
std::optional<std::string> versionIn(const std::string& path, const Ask& ask) {
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
        return std::nullopt;
    }
    std::optional<std::string> version = ask(library);
    dlclose(library);
    return version;
}

template <class Function>
Function functionOf(void* library, const char* name) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
    return reinterpret_cast<Function>(dlsym(library, name));
}

std::optional<std::string> askNccl(void* library) {
    int code = 0;
    const auto ask = functionOf<int (*)(int*)>(library, "ncclGetVersion");
    return ask != nullptr && ask(&code) == 0 ? std::optional(ncclCodeText(code)) : std::nullopt;
}

std::optional<std::string> askRuntime(void* library) {
    int code = 0;
    const auto ask = functionOf<int (*)(int*)>(library, "cudaRuntimeGetVersion");
    return ask != nullptr && ask(&code) == 0 ? std::optional(runtimeVersionText(code))
                                             : std::nullopt;
}

std::optional<std::string> askCudnn(void* library) {
    const auto ask = functionOf<std::size_t (*)()>(library, "cudnnGetVersion");
    return ask != nullptr ? std::optional(dnnVersionText(static_cast<int>(ask()))) : std::nullopt;
}

void addFolder(const char* variable, std::vector<fs::path>& folders) {
    const char* const value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') {
        folders.push_back(fs::path(value) / "lib64");
        folders.push_back(fs::path(value) / "lib");
    }
}

/// site-packages/nvidia/*/lib of the virtual environment.
void addWheels(std::vector<fs::path>& folders) {
    const char* const root = std::getenv("VIRTUAL_ENV");  // NOLINT(concurrency-mt-unsafe)
    if (root == nullptr || *root == '\0') {
        return;
    }
    std::error_code error;
    for (const auto& python : fs::directory_iterator(fs::path(root) / "lib", error)) {
        const fs::path packages = python.path() / "site-packages" / "nvidia";
        for (const auto& package : fs::directory_iterator(packages, error)) {
            folders.push_back(package.path() / "lib");
        }
    }
}

std::vector<fs::path> searchedFolders() {
    std::vector<fs::path> folders = {""};  // as the loader looks
    addFolder("NCCL_HOME", folders);
    addFolder("CUDA_HOME", folders);
    folders.emplace_back("/usr/local/cuda/lib64");
    addWheels(folders);
    return folders;
}

}  // namespace

std::string ncclCodeText(int code) {
    // Before 2.9 a version had one digit for the minor number.
    const int major = code < 10'000 ? code / 1000 : code / 10'000;
    const int minor = code < 10'000 ? code % 1000 / 100 : code % 10'000 / 100;
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(code % 100);
}

std::string runtimeVersionText(int code) {
    return std::to_string(code / 1000) + "." + std::to_string(code % 1000 / 10);
}

std::string dnnVersionText(int code) {
    // From 9 on the major number has four digits behind it, before three.
    const bool isNew = code >= 10'000;
    const int major = isNew ? code / 10'000 : code / 1000;
    const int minor = isNew ? code % 10'000 / 100 : code % 1000 / 100;
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(code % 100);
}

std::map<std::string, std::string> libraryVersions() {
    using Ask = std::optional<std::string> (*)(void*);
    struct Wanted {
        const char* name;
        std::vector<const char*> files;
        Ask ask;
    };
    const std::vector<Wanted> wanted = {
        {"cudart", {"libcudart.so.13", "libcudart.so.12"}, &askRuntime},
        {"nccl", {"libnccl.so.2"}, &askNccl},
        {"cudnn", {"libcudnn.so.9", "libcudnn.so.8"}, &askCudnn}};
    std::map<std::string, std::string> versions;
    const std::vector<fs::path> folders = searchedFolders();
    for (const Wanted& library : wanted) {
        for (const fs::path& folder : folders) {
            for (const char* file : library.files) {
                const auto version = versionIn((folder / file).string(), library.ask);
                if (version && !versions.contains(library.name)) {
                    versions[library.name] = *version;
                }
            }
        }
    }
    return versions;
}

}  // namespace fabricast::probe
