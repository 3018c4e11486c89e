#pragma once
#include "planner/base/watch.h"

#include <QObject>
#include <QThreadPool>
#include <cstdint>
#include <functional>
#include <stop_token>

namespace fabricast {

/// Runs work beside the window, one piece at a time: newer work stops the older one, and of work
/// that waits only the newest is run. What older work still posts is dropped.
///     job.start([question](const Watch& watch, const LatestJob::Post& post) {
///         auto answer = plan(question, {}, bench, watch);
///         post([answer] { … });  // in the window's thread
///     });
class LatestJob : public QObject {
    Q_OBJECT

public:
    using Post = std::function<void(std::function<void()>)>;
    using Work = std::function<void(const Watch&, const Post&)>;

    explicit LatestJob(QObject* parent = nullptr);
    ~LatestJob() override;

    void start(Work work);
    /// Nothing of earlier work arrives after this.
    void cancel();
    [[nodiscard]] bool isRunning() const { return running_ || next_ != nullptr; }

signals:
    void runningChanged();

private:
    void launch();
    void finish();

    QThreadPool pool_;
    std::stop_source stop_;
    Work next_;
    std::uint64_t generation_ = 0;
    bool running_ = false;
};

}  // namespace fabricast
