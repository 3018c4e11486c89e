#include "planner/output/printable_text.h"
#include "planner/text/text_files.h"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <utility>

namespace fabricast {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

struct KeptFiles {
    std::mutex mutex;
    int keepers = 0;
    std::map<FileIdentity, std::string> paths;  ///< as first read
};

KeptFiles& keptFiles() {
    static KeptFiles kept;
    return kept;
}

FileIdentity identityOf(const struct stat& status) {
    return {status.st_dev, status.st_ino};
}

}  // namespace

FilesRead::FilesRead() {
    KeptFiles& kept = keptFiles();
    const std::lock_guard lock(kept.mutex);
    ++kept.keepers;
}

FilesRead::~FilesRead() {
    KeptFiles& kept = keptFiles();
    const std::lock_guard lock(kept.mutex);
    if (--kept.keepers == 0) {
        kept.paths.clear();
    }
}

void keepRead(int descriptor, const std::string& path) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    KeptFiles& kept = keptFiles();
    const std::lock_guard lock(kept.mutex);
    if (kept.keepers > 0) {
        kept.paths.emplace(identityOf(status), path);
    }
}

Result<void> checkNotRead(const std::string& place) {
    struct stat status {};
    if (::stat(place.c_str(), &status) != 0) {
        return {};
    }
    KeptFiles& kept = keptFiles();
    const std::lock_guard lock(kept.mutex);
    const auto found = kept.paths.find(identityOf(status));
    return found == kept.paths.end()
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      printableLine(place),
                      "is also an input, which was read as " + printableLine(found->second),
                      "write to another file");
}

}  // namespace fabricast
