#pragma once
// The cells of a function while it runs, in room on the stack.

#include <cstddef>
#include <new>

#include "lang/eval/cell.hpp"

namespace credence::lang {

class CellFrame {
public:
    CellFrame(void* room, std::size_t size) : cells_(static_cast<Cell*>(room)), size_(size) {
        for (std::size_t i = 0; i < size_; ++i) new (cells_ + i) Cell();
    }
    CellFrame(const CellFrame&) = delete;
    CellFrame& operator=(const CellFrame&) = delete;
    ~CellFrame() {
        for (std::size_t i = 0; i < size_; ++i) cells_[i].~Cell();
    }
    Cell* cells() { return cells_; }

private:
    Cell* cells_;
    std::size_t size_;
};

}  // namespace credence::lang
