#include "probes/record/probe_program.h"

#include "planner/output/destination.h"
#include "planner/output/printable_text.h"
#include "probes/record/probe_flags.h"
#include "probes/record/record_lock.h"
#include "probes/record/run_points.h"
#include "probes/record/utc_now.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace fabricast::probe {

namespace {

/// Names of files and of other hosts may hold anything.
void print(std::FILE* to, const std::string& text) {
    std::fputs(printableText(text).c_str(), to);
    std::fflush(to);
}

void clearLine(bool terminal) {
    if (terminal) {
        std::fputs("\r\033[K", stderr);
    }
}

int ended(const ProbeProgram& program, int code, const std::string& why) {
    print(stderr, (code >= kInterrupted ? "" : "error: ") + program.name + ": " + why + "\n");
    return code;
}

std::string minutesText(double seconds) {
    const auto whole = static_cast<long>(std::lround(seconds));
    return whole < 60 ? std::to_string(whole) + " s"
                      : std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

int outcomeCode(const ProbeProgram& program, const ProbeFlags& flags, const RunOutcome& outcome) {
    std::string text = std::to_string(outcome.measured) + " measured";
    const auto add = [&](std::size_t number, const char* what) {
        text += number == 0 ? "" : ", " + std::to_string(number) + " " + what;
    };
    add(outcome.known, "known");
    add(outcome.refused, "not possible here");
    add(outcome.failed, "failed");
    add(outcome.wrong, "with wrong results");
    if (outcome.interrupted) {
        const bool kept = !flags.out.empty() && outcome.measured + outcome.known > 0;
        text = "interrupted: " + text + (kept ? ", kept in " + flags.out : "");
    }
    add(outcome.left, "left");
    if (outcome.left > 0 && !flags.out.empty()) {
        text += "; the same command goes on";
    }
    if (!flags.quiet || outcome.interrupted || outcome.wrong > 0 || outcome.failed > 0) {
        print(stderr, program.name + ": " + text + "\n");
    }
    return outcome.interrupted  ? interruptedCode()
           : outcome.wrong > 0  ? kWrongResults
           : outcome.failed > 0 ? kEnvironment
                                : kDone;
}

/// One line that is written over on a terminal, a line each where it goes to a file.
RunWatch watchOf(const ProbeProgram& program, const ProbeFlags& flags) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    RunWatch watch;
    if (!flags.quiet) {
        watch.begins = [terminal](
                           const Point& point, std::size_t number, std::size_t of, double left) {
            clearLine(terminal);
            print(stderr,
                  "[" + std::to_string(number) + "/" + std::to_string(of) + "] " + textOf(point) +
                      (number > 1 ? ", " + minutesText(left) + " left" : "") +
                      (terminal ? "" : "\n"));
        };
    }
    watch.survives = program.survives;
    watch.endsInTime = program.endsInTime;
    watch.ends = [&program, clear = terminal && !flags.quiet](const Measurement& measurement) {
        clearLine(clear);
        print(stdout, (program.row ? program.row(measurement) : lineOf(measurement)) + "\n");
    };
    if (program.endsInMidPoint) {
        watch.endsInMidPoint = [&program, &flags, terminal](const RunOutcome& outcome) {
            if (program.leavesPoint) {
                program.leavesPoint();
            }
            clearLine(terminal);
            return outcomeCode(program, flags, outcome);
        };
    }
    return watch;
}

/// Trouble while others may be measuring with this one.
int failed(const ProbeProgram& program, int code, const std::string& why) {
    if (program.failed) {
        program.failed(why);
    }
    return ended(program, code, why);
}

int followAnother(const ProbeProgram& program) {
    const Done followed = program.follow();
    return followed ? kDone : ended(program, kEnvironment, followed.trouble().why);
}

/// Whether a record can be there: only rank 0, wherever it is, writes one.
Done checkPlace(const ProbeFlags& flags) {
    const std::filesystem::path folder =
        std::filesystem::path(destinationOf(flags.out).path).parent_path();
    std::error_code error;
    if (std::filesystem::is_directory(flags.out, error)) {
        return Trouble{"--out: " + flags.out + " is a folder; name a file"};
    }
    if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
        return Trouble{"--out: there is no folder " + folder.string()};
    }
    return std::monostate();
}

int measureAll(const ProbeProgram& program,
               const ProbeFlags& flags,
               const std::vector<Point>& points,
               std::chrono::steady_clock::time_point begin,
               std::span<const char* const> arguments) {
    const bool speaks = !program.speaks || program.speaks();
    if (!speaks && program.follow) {
        return followAnother(program);
    }
    const JsonLine more =
        JsonLine()
            .add("program", program.name)
            .add("begun", utcNow())
            .add("arguments", std::vector<std::string>(arguments.begin(), arguments.end()));
    const std::string path = speaks ? flags.out : "";
    const Done place = speaks ? checkPlace(flags) : Done(std::monostate());
    if (!place) {
        return failed(program, kEnvironment, place.trouble().why);
    }
    Answer<FileLock> lock = lockRecord(path);
    if (!lock) {
        return failed(program, kEnvironment, lock.trouble().why);
    }
    Answer<RecordFile> record = RecordFile::open(path, std::move(*lock), program.identity(), more);
    if (!record) {
        return failed(program, kBadInput, record.trouble().why);
    }
    limitSampling(flags.pointSeconds);
    // Taking the device is of the time, too.
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    const Answer<RunOutcome> outcome = runPoints(points,
                                                 program.measure,
                                                 flags.seconds - passed.count(),
                                                 *record,
                                                 speaks ? watchOf(program, flags) : RunWatch{});
    if (!outcome) {
        return failed(program, kEnvironment, outcome.trouble().why);
    }
    return speaks ? outcomeCode(program, flags, *outcome) : kDone;
}

/// The record is written over what the points are read from.
Done checkFiles(const ProbeFlags& flags) {
    for (const std::string& file : flags.pointFiles) {
        if (!flags.out.empty() && isSameFile(flags.out, file)) {
            return Trouble{"--out and --points name one file: " + file};
        }
    }
    return std::monostate();
}

/// Prints the points that a run would measure, unless it would refuse to.
int listPoints(const ProbeProgram& program,
               const ProbeFlags& flags,
               const std::vector<Point>& points) {
    const Done place = checkPlace(flags);
    if (!place) {
        return ended(program, kEnvironment, place.trouble().why);
    }
    std::error_code error;
    if (std::filesystem::exists(flags.out, error)) {
        const Done isFree = isRecordFree(flags.out);
        const JsonLine identity = program.isKnownUnopened ? program.identity() : JsonLine();
        const Done sound = RecordFile::check(flags.out, identity, program.name);
        if (!isFree || !sound) {
            return isFree ? ended(program, kBadInput, sound.trouble().why)
                          : ended(program, kEnvironment, isFree.trouble().why);
        }
    }
    for (const Point& point : points) {
        print(stdout, textOf(point) + "\n");
    }
    return kDone;
}

/// Those that are named, and those of a suite; quick where nothing is asked for.
Answer<std::vector<Point>> pointsOf(const ProbeProgram& program, const ProbeFlags& flags) {
    std::vector<Point> points = flags.points;
    if (points.empty() || !flags.suite.empty()) {
        const Answer<std::vector<Point>> suite =
            program.suite(flags.suite.empty() ? "quick" : flags.suite);
        if (!suite) {
            return suite.trouble();
        }
        points.insert(points.end(), suite->begin(), suite->end());
    }
    for (const Point& point : points) {
        const Done sound = program.check ? program.check(point) : Done(std::monostate());
        if (!sound) {
            return Trouble{textOf(point) + ": " + sound.trouble().why};
        }
    }
    return points;
}

/// Takes the device, measures or follows, and gives it back.
int openAndMeasure(const ProbeProgram& program,
                   const ProbeFlags& flags,
                   std::span<const char* const> arguments) {
    const auto begin = std::chrono::steady_clock::now();
    catchInterrupts();
    const Done opened = program.open();
    if (!opened) {
        return ended(
            program, interrupted() ? interruptedCode() : kEnvironment, opened.trouble().why);
    }
    const Answer<std::vector<Point>> points = pointsOf(program, flags);
    const int code = points ? measureAll(program, flags, *points, begin, arguments)
                            : failed(program, kBadInput, points.trouble().why);
    if (program.close) {
        program.close();
    }
    return code;
}

}  // namespace

namespace {

int runAsked(const ProbeProgram& program, std::span<const char* const> arguments) {
    // A limit on a file's size is a file that cannot be written.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const Answer<ProbeFlags> flags = parseProbeFlags(program, arguments);
    if (!flags) {
        return ended(program, kBadInput, flags.trouble().why);
    }
    using Ask = ProbeFlags::Ask;
    if (flags->ask == Ask::Help || flags->ask == Ask::Version) {
        print(stdout, flags->ask == Ask::Help ? probeHelp(program) : program.versions());
        return kDone;
    }
    if (flags->ask == Ask::Doctor) {
        const Answer<std::string> health = program.doctor();
        if (!health) {
            return ended(program, kEnvironment, health.trouble().why);
        }
        print(stdout, *health);
        return kDone;
    }
    const Done files = checkFiles(*flags);
    if (!files) {
        return ended(program, kBadInput, files.trouble().why);
    }
    const Answer<std::vector<Point>> points = pointsOf(program, *flags);
    if (!points) {
        return ended(program, kBadInput, points.trouble().why);
    }
    const Done ready = program.ready ? program.ready() : Done(std::monostate());
    if (!ready) {
        return ended(program, kEnvironment, ready.trouble().why);
    }
    return flags->ask == Ask::List ? listPoints(program, *flags, *points)
                                   : openAndMeasure(program, *flags, arguments);
}

}  // namespace

int runProbe(const ProbeProgram& program, std::span<const char* const> arguments) {
    const int code = runAsked(program, arguments);
    const bool isPrinted = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return isPrinted || code != kDone
               ? code
               : ended(program, kEnvironment, "standard output cannot be written");
}

}  // namespace fabricast::probe
