#pragma once
// What a model does with values that its table did not have.

namespace credence::rt {

/// A predictor that judges rows with values it never saw: such a value is any value (?) and equals no other. In its rows a column's domain
/// may go on after the values of the schema.
class JudgesUnseen {
public:
    virtual ~JudgesUnseen() = default;
};

}  // namespace credence::rt
