#include "lang/service/escapes.hpp"

namespace credence::lang {

namespace {

// clang-format off
constexpr std::pair<std::string_view, std::string_view> escapes[] = {
    {"\\AA", "Å"}, {"\\AE", "Æ"}, {"\\Delta", "Δ"}, {"\\Gamma", "Γ"}, {"\\Im", "ℑ"}, {"\\Lambda", "Λ"}, {"\\O", "Ø"},
    {"\\OE", "Œ"}, {"\\Omega", "Ω"}, {"\\Phi", "Φ"}, {"\\Pi", "Π"}, {"\\Psi", "Ψ"}, {"\\Re", "ℜ"}, {"\\Rightarrow", "⇒"},
    {"\\Sigma", "Σ"}, {"\\Theta", "Θ"}, {"\\Xi", "Ξ"}, {"\\_0", "₀"}, {"\\_1", "₁"}, {"\\_2", "₂"}, {"\\_3", "₃"}, {"\\_4", "₄"},
    {"\\_5", "₅"}, {"\\_6", "₆"}, {"\\_7", "₇"}, {"\\_8", "₈"}, {"\\_9", "₉"}, {"\\aa", "å"}, {"\\ae", "æ"}, {"\\aleph", "ℵ"},
    {"\\alpha", "α"}, {"\\and", "∧"}, {"\\approx", "≈"}, {"\\bar", "̄"}, {"\\beta", "β"}, {"\\bullet", "•"}, {"\\cap", "∩"},
    {"\\cdot", "·"}, {"\\chi", "χ"}, {"\\copyright", "©"}, {"\\cube", "³"}, {"\\cup", "∪"}, {"\\dagger", "†"}, {"\\degree", "°"},
    {"\\delta", "δ"}, {"\\div", "÷"}, {"\\dot", "̇"}, {"\\dots", "…"}, {"\\downarrow", "↓"}, {"\\ell", "ℓ"}, {"\\emptyset", "∅"},
    {"\\epsilon", "ε"}, {"\\equiv", "≡"}, {"\\eta", "η"}, {"\\euro", "€"}, {"\\exists", "∃"}, {"\\forall", "∀"}, {"\\gamma", "γ"},
    {"\\ge", "≥"}, {"\\geq", "≥"}, {"\\half", "½"}, {"\\hat", "̂"}, {"\\hbar", "ℏ"}, {"\\in", "∈"}, {"\\indep", "⫫"},
    {"\\infty", "∞"}, {"\\int", "∫"}, {"\\iota", "ι"}, {"\\kappa", "κ"}, {"\\lambda", "λ"}, {"\\ldots", "…"}, {"\\le", "≤"},
    {"\\leftarrow", "←"}, {"\\leftrightarrow", "↔"}, {"\\leq", "≤"}, {"\\mapsto", "↦"}, {"\\mid", "∣"}, {"\\mu", "μ"},
    {"\\nabla", "∇"}, {"\\ne", "≠"}, {"\\neg", "¬"}, {"\\neq", "≠"}, {"\\nothing", "∅"}, {"\\notin", "∉"}, {"\\nu", "ν"},
    {"\\o", "ø"}, {"\\oe", "œ"}, {"\\omega", "ω"}, {"\\omicron", "ο"}, {"\\or", "∨"}, {"\\partial", "∂"}, {"\\perp", "⊥"},
    {"\\phi", "φ"}, {"\\pi", "π"}, {"\\pm", "±"}, {"\\pound", "£"}, {"\\prime", "′"}, {"\\prod", "∏"}, {"\\propto", "∝"},
    {"\\psi", "ψ"}, {"\\quarter", "¼"}, {"\\rho", "ρ"}, {"\\rightarrow", "→"}, {"\\section", "§"}, {"\\sigma", "σ"},
    {"\\sim", "∼"}, {"\\sqrt", "√"}, {"\\square", "²"}, {"\\ss", "ß"}, {"\\subset", "⊂"}, {"\\subseteq", "⊆"}, {"\\sum", "∑"},
    {"\\tau", "τ"}, {"\\theta", "θ"}, {"\\tilde", "̃"}, {"\\times", "×"}, {"\\to", "→"}, {"\\uparrow", "↑"}, {"\\upsilon", "υ"},
    {"\\varepsilon", "ϵ"}, {"\\varphi", "ϕ"}, {"\\varrho", "ϱ"}, {"\\varsigma", "ς"}, {"\\vartheta", "ϑ"}, {"\\xi", "ξ"},
    {"\\zeta", "ζ"},
};
// clang-format on

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> escapes_for(std::string_view typed) {
    std::vector<std::pair<std::string_view, std::string_view>> out;
    for (const auto& entry : escapes) {
        if (entry.first == typed) return {entry};
        if (entry.first.starts_with(typed)) out.push_back(entry);
    }
    return out;
}

}  // namespace credence::lang
