#pragma once
#include "planner/launch/python_functions.h"
#include "planner/launch/python_model_names.h"
#include "planner/launch/python_models.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Goes through a program as it runs, and keeps which of its names are models: modelsOf, whose
/// statements, values and calls are each read in a source of their own.
class ModelTracer {
public:
    ModelTracer(const PythonValues& program, const PythonCourse& course);
    PythonModels read();

private:
    struct Argument {
        std::string name;  ///< empty: by its place
        WordSpan value;
        MaybeRef ref{};
    };
    struct Around {
        std::int64_t column = 0;
        PythonCondition condition;
    };

    using Round = std::vector<MaybeRef>;  ///< by the targets of a loop

    // Statements: python_model_statements.cpp. What a body returns is of some model, or nothing.
    MaybeRef run(const WordSpan& body, ModelNames& names);
    /// What a line of this column stands no longer within.
    void leaveConditions(std::size_t outer, std::size_t at);
    void leaveBlocks(std::size_t outer, std::size_t at);
    void enterBlock(std::size_t at, const WordSpan& head);
    /// Behind the colon of "for", "if" and their like, or behind a loop that is gone through; `at`
    /// where none of them begins here.
    std::size_t headAt(std::size_t at, ModelNames& names);
    MaybeRef runSimple(WordSpan span, ModelNames& names);
    /// What accelerator.prepare(student, teacher, optimizer) gives back, each in its place; nothing
    /// of other values.
    [[nodiscard]] std::vector<MaybeRef> preparedIn(const WordSpan& value,
                                                   const ModelNames& names) const;
    /// Of "model, tokenizer = load()" and "tokenizer, model = load()".
    [[nodiscard]] std::size_t placeOfModel(const std::vector<WordSpan>& targets) const;
    void assign(const WordSpan& target,
                const MaybeRef& ref,
                const WordSpan& value,
                ModelNames& names);

    // Loops: python_model_loops.cpp.
    /// Behind the colon, or behind the body where that ran with each model of a list.
    std::size_t runLoop(std::size_t at, const WordSpan& head, ModelNames& names);
    /// What "student, teacher" of "for m in (student, teacher)" are; none of what is no list.
    [[nodiscard]] std::vector<WordSpan> listedIn(WordSpan value) const;
    /// What each target of a loop is with this item of the list.
    Round roundOf(const std::vector<WordSpan>& targets, const WordSpan& item, ModelNames& names);
    void bindRound(const std::vector<WordSpan>& targets, const Round& round, ModelNames& names);

    // Values: python_model_values.cpp.
    /// What a value is of some model; calls in it are followed.
    MaybeRef evaluate(WordSpan span, ModelNames& names);
    /// "model(x) for x in parts" is a loop.
    void enterComprehension(const WordSpan& span);
    /// "a.b(…)[…].c(…)", which begins at a name; `at` is then behind it.
    MaybeRef chain(std::size_t& at, ModelNames& names);
    /// "[-4:]" of "[-n:]", where n is a number that the program says, or gives to its function.
    [[nodiscard]] std::string subscriptOf(std::size_t bracket) const;
    std::vector<Argument> argumentsOf(std::size_t bracket, ModelNames& names);
    static const Argument* argumentFor(const std::vector<Argument>& all,
                                       std::size_t place,
                                       std::string_view name);

    // Calls: python_model_calls.cpp.
    /// What a call gives back of some model. `callee`: the words before its bracket.
    MaybeRef called(const std::string& name,
                    const MaybeRef& ref,
                    const WordSpan& callee,
                    ModelNames& names);
    MaybeRef calledOn(const ModelRef& ref, const std::string& method, std::size_t bracket);
    /// `outer`: the names around it that it sees.
    MaybeRef runFunction(const PythonFunction& function,
                         const std::vector<Argument>& arguments,
                         const ModelNames& outer);
    /// Keeps it where it is a call of a model, or a backward pass: python_model_passes.cpp.
    void addPass(const std::string& last,
                 const MaybeRef& ref,
                 const WordSpan& callee,
                 const std::vector<Argument>& arguments);
    [[nodiscard]] bool isWithoutGradients(const PythonFunction& function) const;
    /// compute_loss of the Trainer that is made, which calls its backward pass behind it.
    void runLosses();
    /// Methods with a backward pass, which objects call that are not followed.
    void runSteps();
    [[nodiscard]] bool callsBackward(const WordSpan& body) const;
    /// A function that is not the program's own.
    MaybeRef givenTo(const std::string& name,
                     const std::string& last,
                     std::size_t bracket,
                     const std::vector<Argument>& arguments);
    // What is given a model, and copies it: python_model_copies.cpp.
    /// A Trainer, or what shards or wraps a model.
    MaybeRef givenToTrainer(bool wraps, const std::vector<Argument>& arguments);
    void markSharded(const std::string& last, const std::vector<Argument>& arguments);
    /// What a class of the program's own loads or copies when it is made: a teacher, a reference.
    void makeObject(const std::string& name, std::vector<Argument> arguments);
    /// "deepcopy(model)", or what keeps an average of its weights; nothing of other calls.
    MaybeRef copyMade(const std::string& last,
                      std::size_t bracket,
                      const std::vector<Argument>& arguments);
    /// "c/d" of from_pretrained(name) in a function that is given it.
    [[nodiscard]] std::string nameGiven(const std::vector<Argument>& arguments) const;
    /// bitsandbytes puts what it quantises there.
    [[nodiscard]] bool isLoadedOnGpu(const std::vector<Argument>& arguments) const;
    [[nodiscard]] bool isTrainer(const std::string& name) const;

    // What is kept of the models: python_models.cpp.
    void addDeed(ModelDeed::Kind kind,
                 const std::string& name,
                 const ModelRef& ref,
                 std::size_t at,
                 const WordSpan& said);
    void keepNamed(const ModelNames& names);
    /// Where the program does not show when its Trainer trains: as soon as it is made.
    void leaveOutWhatFollows();

    // Words of the program: python_models.cpp too.
    [[nodiscard]] bool isDead(std::size_t at) const;
    [[nodiscard]] bool isEnd(std::size_t at) const;
    [[nodiscard]] bool isSign(std::size_t at, std::string_view sign) const;
    [[nodiscard]] std::size_t behindWord(std::size_t at) const;
    /// The first of these signs outside brackets, before the statement ends.
    [[nodiscard]] std::size_t placeOf(WordSpan span, std::string_view sign) const;
    [[nodiscard]] std::size_t endOfStatement(std::size_t at) const;
    [[nodiscard]] std::vector<WordSpan> partsOf(WordSpan span) const;
    [[nodiscard]] bool extendsTrainer(const PythonFunction& one) const;
    [[nodiscard]] std::vector<WordSpan> parametersOf(const PythonFunction& one) const;

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    std::map<std::size_t, PythonFunction> functions_;  ///< by the word that defines them
    std::map<std::string, std::size_t> byName_;
    /// Classes of the program that are Trainers, by the word that defines them.
    std::map<std::string, std::size_t> trainers_;
    std::vector<std::string> classNames_;
    std::map<std::string, std::size_t> classes_;
    std::map<std::string, std::string> numbers_;  ///< what the function that runs is given
    ModelNames attributes_;                       ///< "self.model"
    bool followsMethods_ = false;
    std::set<std::size_t> ran_;
    std::set<std::size_t> inside_;
    std::vector<Around> around_;
    std::vector<PythonBlock> blocks_;
    std::optional<std::size_t> left_;  ///< the chain of the block that ended last
    std::set<std::size_t> made_;       ///< of trainers_
    ModelNames global_;                ///< of what stands in no function
    std::int64_t loopColumn_ = 0;
    std::size_t statements_ = 0;
    bool isTraining_ = false;
    std::optional<std::size_t> deedsBefore_;  ///< of the trained model, when its Trainer is made
    std::size_t modelsBefore_ = 0;
    std::optional<std::size_t> optimized_;  ///< whose parameters an optimizer is given
    PythonModels models_;
};

}  // namespace fabricast
