#include "gui/jobs/latest_job.h"

#include <QMetaObject>
#include <utility>

namespace fabricast {

LatestJob::LatestJob(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(1);
}

LatestJob::~LatestJob() {
    stop_.request_stop();
    pool_.waitForDone();
}

void LatestJob::start(Work work) {
    cancel();
    next_ = std::move(work);
    if (!running_) {
        launch();
    }
}

void LatestJob::cancel() {
    ++generation_;
    stop_.request_stop();
    stop_ = {};
    next_ = nullptr;
}

void LatestJob::launch() {
    running_ = true;
    const Post post = [this, generation = generation_](std::function<void()> deliver) {
        const auto ifLatest = [this, generation, deliver = std::move(deliver)] {
            if (generation == generation_) {
                deliver();
            }
        };
        QMetaObject::invokeMethod(this, ifLatest, Qt::QueuedConnection);
    };
    pool_.start([this, work = std::exchange(next_, nullptr), stop = stop_.get_token(), post] {
        work({.stop = stop}, post);
        QMetaObject::invokeMethod(this, &LatestJob::finish, Qt::QueuedConnection);
    });
    emit runningChanged();
}

void LatestJob::finish() {
    running_ = false;
    if (next_) {
        launch();
    } else {
        emit runningChanged();
    }
}

}  // namespace fabricast
