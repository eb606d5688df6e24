#pragma once
// A weighted constraint network during a search. Costs are moved between functions, which changes the cost of no assignment, until as
// much as possible stands in one constant: a lower bound (existential directional arc consistency, de Givry, Heras, Zytnicki & Larrosa
// 2005; Sánchez, de Givry & Schiex 2008). Variables with at most two neighbours left are eliminated on the way (Larrosa 2000).

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/nets/search/cost_net.hpp"

namespace credence::rt {

/// A set of small numbers that gives its least or its largest.
class NumberSet {
public:
    explicit NumberSet(std::size_t n = 0) : words_((n + 63) / 64, 0) {}
    void insert(std::uint32_t x) { words_[x / 64] |= std::uint64_t{1} << (x % 64); }
    std::optional<std::uint32_t> take_least();
    std::optional<std::uint32_t> take_largest();
    void clear() { words_.assign(words_.size(), 0); }

private:
    std::vector<std::uint64_t> words_;
};

class SoftNet {
public:
    using Var = std::uint32_t;
    using Value = std::uint32_t;

    explicit SoftNet(const CostNet& net, const std::function<bool()>& stopped = {});

    // What stands. Marks are taken and undone like a stack.
    std::size_t size() const { return static_cast<std::size_t>(variables_.size()); }
    std::size_t mark() const { return trail_.size(); }
    void undo(std::size_t mark);

    // Decisions; the costs move at the next propagate().
    void assign(Var x, Value a);
    void remove(Var x, Value a);
    /// False where no assignment costs less than the bound.
    bool propagate();
    /// A propagation was stopped on the way: its bound holds, but the node is not a leaf.
    bool interrupted() const { return interrupted_; }
    /// Entries of tables looked at, and how many may be before a propagation is interrupted. 0: any number.
    std::size_t effort() const { return effort_; }
    void set_most_effort(std::size_t most) { most_effort_ = most; }

    Cost lower() const { return lower_; }
    Cost upper() const { return upper_; }
    void set_upper(Cost upper) { upper_ = upper; }

    bool open(Var x) const { return variables_[x].state == is_open; }
    std::span<const Value> values(Var x) const { return {values_.data() + variables_[x].first, variables_[x].count}; }
    bool has(Var x, Value a) const { return place_[variables_[x].first + a] < variables_[x].count; }
    Cost unary(Var x, Value a) const { return unary_[variables_[x].first + a]; }
    Value support(Var x) const;  ///< a value of no cost, with one in every neighbour
    double weight(Var x) const;  ///< conflicts that its functions have met
    std::size_t degree(Var x) const;
    std::size_t removed_values = 0;

    /// When no variable is open: the values of all, those eliminated chosen last to first.
    std::vector<Value> assignment() const;

private:
    enum State : std::uint32_t { is_open, is_assigned, is_eliminated };
    struct Variable {
        std::uint32_t first = 0;  // of its values in the arrays
        std::uint32_t size = 0;
        std::uint32_t count = 0;  // of the values left
        std::uint32_t state = is_open;
        Value support = 0;
    };
    struct Function {
        std::uint32_t arity = 0;
        std::uint32_t open = 0;  // variables not assigned
        std::uint32_t active = 1;
        std::uint32_t weight = 0;  // where its conflicts are counted
        Var* scope = nullptr;
        std::uint32_t* strides = nullptr;
        Cost* costs = nullptr;
        Value* hints = nullptr;  // by place and value: a configuration that cost least
        Cost** moved = nullptr;  // by place and value: what was moved out, to be subtracted
        std::size_t memory = 0;  // the arena before it
    };
    struct Arena {
        std::vector<std::unique_ptr<std::byte[]>> blocks;
        std::vector<std::unique_ptr<std::byte[]>> large;
        std::size_t used = 0;
        std::byte* take(std::size_t bytes);
        std::byte* keep(std::size_t bytes);  // for good
    };
    enum class Entry : std::uint32_t { cost, number, function, step };
    /// The functions of a variable that is to be eliminated.
    struct Bucket {
        std::vector<std::uint32_t> functions;
        Var near[2] = {};
        std::size_t count = 0;  // of the neighbours
        std::uint32_t weight = 0;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Undo {
        void* at;
        Cost old;
        Entry entry;
    };

    bool spent() const { return (most_effort_ > 0 && effort_ > most_effort_) || (stopped_ && stopped_()); }
    void save(Cost& c) { trail_.push_back({&c, c, Entry::cost}); }
    void save(std::uint32_t& n) { trail_.push_back({&n, n, Entry::number}); }

    std::uint32_t add_function(std::span<const Var> scope, std::uint32_t weight, bool at_root);
    void deactivate(Function& f);
    Cost cost2(const Function& f, Value a, Value b) const {
        const Cost c = f.costs[a * f.strides[0] + b];
        return c >= forbidden ? forbidden : c - f.moved[0][a] - f.moved[1][b];
    }
    Cost cost_at(const Function& f, std::span<const Value> value) const;  // by variable
    Cost& own(Var x, Value a) { return unary_[variables_[x].first + a]; }
    double tuples(const Function& f) const;
    void raise(Var x, Value a, Cost by);
    void neighbours_wait(Var x);
    bool settle_bounds(Var x);
    bool drop(Var x, Value a);
    void drop_dear();
    bool settle_assigned(Var x);
    bool to_binary(std::uint32_t f);
    bool to_unary(std::uint32_t f);
    bool make_consistent(std::uint32_t f);
    bool arc(std::uint32_t f, Var x);
    bool full(std::uint32_t f, Var x, Cost worth);
    bool project(Function& f, std::uint32_t place, std::span<const Cost> minima, Cost worth);
    bool existential(Var x);
    struct Axes;
    Value* hint_of(const Function& f, std::uint32_t place, Value a) const {
        return f.hints + (static_cast<std::size_t>(f.moved[place] - f.moved[0]) + a) * f.arity;
    }
    bool hint_holds(const Function& f, std::uint32_t place, Value a, bool with_unaries) const;
    void spread(const Function& f, std::uint32_t place, bool with_unaries, Axes& out) const;
    Cost least_with(const Function& f, std::uint32_t place, Value a, Axes& over) const;
    void minima(const Function& f, std::uint32_t place, bool with_unaries, std::vector<Cost>& out);
    void extend(Function& f, std::uint32_t place, std::uint32_t target, std::span<const Cost> wanted, const std::vector<char>& later);
    std::optional<Bucket> bucket_of(Var x) const;
    bool eliminate(Var x);
    std::uint32_t replace_between(Var x, Var y, std::uint32_t weight, const std::vector<Cost>& costs);
    bool conflict(std::uint32_t f);
    bool empty_queues();

    Cost lower_ = 0;
    std::function<bool()> stopped_;
    bool interrupted_ = false;
    mutable std::size_t effort_ = 0;
    std::size_t most_effort_ = 0;
    Cost upper_ = forbidden;
    Cost least_move_ = 1;
    std::vector<Variable> variables_;
    std::vector<Value> values_;         // by variable: those left first
    std::vector<std::uint32_t> place_;  // of a value among them
    std::vector<Cost> unary_;
    std::vector<std::vector<std::uint32_t>> functions_of_;
    std::deque<Function> functions_;  // stable places
    std::vector<double> weights_;
    Arena arena_;
    std::vector<Undo> trail_;
    struct Step {
        Var variable;
        std::vector<std::uint32_t> functions;
    };
    std::vector<Step> steps_;
    NumberSet arcs_, directional_, existential_, small_, assigned_, bounds_;
    bool lower_rose_ = false;
    std::vector<std::uint32_t> claimed_;  // by variable: the last check that counted its unary costs
    std::uint32_t claim_ = 0;
};

}  // namespace credence::rt
