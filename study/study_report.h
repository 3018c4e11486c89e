#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/report/report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <string>

namespace fabricast {

/// A whole study: the question, and the layouts of it that are looked at.
struct StudyReportAsk {
    Question question;
    std::optional<Question> about;   ///< one layout of it; empty: the best one
    std::optional<Question> beside;  ///< another one that it is compared with
};

/// All that commands answer about a study, in one report: the best layouts; memory, time,
/// communication and cost of the one that is looked at, and what would make it faster, which come
/// first where it is not the best; the step simulated, with its picture; how the other one
/// differs. What cannot be had is named with its
/// reason instead, but an error where there is no layout to look at.
///     FABRICAST_ASSIGN(const Report report, studyReport({.question = question}, bench, watch));
Result<Report> studyReport(const StudyReportAsk& ask, const Workbench& bench, const Watch& watch);

/// The simulated step of a layout as a trace that Perfetto and chrome://tracing open.
Result<std::string> stepTrace(const Question& about, const Workbench& bench, const Watch& watch);

}  // namespace fabricast
