#include "gui/document/recovery.h"

#include "planner/output/replace_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>

namespace fabricast {
namespace {

QString lockOf(const QString& file) {
    return file + ".lock";
}

/// A lock that is given back only where its process has ended.
std::unique_ptr<QLockFile> lockFor(const QString& file) {
    auto lock = std::make_unique<QLockFile>(lockOf(file));
    lock->setStaleLockTime(0);
    return lock->tryLock(0) ? std::move(lock) : nullptr;
}

}  // namespace

Recovery::Recovery(const QString& folder) : folder_(folder) {
    QDir().mkpath(folder);
    constexpr int kMostWindows = 1000;
    for (int number = 1; number <= kMostWindows && !lock_; ++number) {
        file_ = QDir(folder).filePath(QString("study-%1.json").arg(number));
        lock_ = QFile::exists(file_) ? nullptr : lockFor(file_);
    }
}

Recovery::~Recovery() = default;

Result<void> Recovery::keep(const std::string& text) {
    const std::string trouble =
        lock_ ? replaceFile(file_.toStdString(), text) : "another window has the folder";
    return trouble.empty() ? Result<void>()
                           : fail(Error::Code::Environment, file_.toStdString(), trouble);
}

void Recovery::forget() {
    QFile::remove(file_);
}

QStringList Recovery::left() const {
    QStringList files;
    const QFileInfoList all =
        QDir(folder_).entryInfoList({"study-*.json"}, QDir::Files, QDir::Time);
    for (const QFileInfo& one : all) {
        const QString file = one.filePath();
        if (file != file_ && (claimed_.contains(file) || lockFor(file) != nullptr)) {
            files << file;
        }
    }
    return files;
}

bool Recovery::claim(const QString& file) {
    if (claimed_.contains(file)) {
        return true;
    }
    std::unique_ptr<QLockFile> lock = lockFor(file);
    if (lock == nullptr || !QFile::exists(file)) {
        return false;
    }
    claimed_[file] = std::move(lock);
    return true;
}

void Recovery::discard(const QString& file) {
    QFile::remove(file);
    claimed_.erase(file);
}

}  // namespace fabricast
