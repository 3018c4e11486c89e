#pragma once
#include "planner/base/result.h"

#include <QLockFile>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <string>

namespace fabricast {

/// This keeps what a window has not saved, for the window after a crash. Each window has a file of
/// its own in the folder, and a lock that ends with its process.
///     Recovery recovery(folder);
///     recovery.keep(text);                       // after each change
///     for (const QString& file : recovery.left()) { … recovery.discard(file); }
class Recovery {
public:
    explicit Recovery(const QString& folder);
    ~Recovery();
    Recovery(const Recovery&) = delete;
    Recovery& operator=(const Recovery&) = delete;

    Result<void> keep(const std::string& text);
    /// It is saved: nothing is to be recovered.
    void forget();
    /// Files of windows that are no more, newest first, without those that another has claimed.
    [[nodiscard]] QStringList left() const;
    /// One of these for this window alone, which offers it; false where another was first.
    bool claim(const QString& file);
    void discard(const QString& file);

private:
    QString folder_;
    QString file_;  ///< of this window
    std::unique_ptr<QLockFile> lock_;
    std::map<QString, std::unique_ptr<QLockFile>> claimed_;
};

}  // namespace fabricast
