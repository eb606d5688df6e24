#pragma once
// Networks in files: BIF, XMLBIF, Hugin, UAI, DSC; and as Credence source, which is only written here.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/file_path.hpp"
#include "runtime/nets/markov.hpp"
#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

struct NetRead {
    Net net;
    std::optional<MarkovNet> undirected;  ///< in place of the net, where the file has such a model
    std::vector<std::string> notes;       ///< what the user should know: rows that were normalised
};

struct NetFormat {
    std::string_view ending;                                                      ///< ".bif"
    std::string_view name;                                                        ///< "BIF"
    Result<NetRead> (*read)(std::string_view text, const std::string& fallback);  ///< null: not read here; `fallback` names a nameless net
    Result<std::string> (*write)(const Net& net);
};
std::span<const NetFormat> net_formats();
const NetFormat* find_net_format(std::string_view ending);

/// E-FORMAT with line and column; E-FILE, E-TEXT. The evidence of x.uai.evid beside x.uai becomes part of an undirected model.
Result<NetRead> read_net(const FilePath& path, const NetFormat& format);
Status write_net(const Net& net, const FilePath& path, const NetFormat& format);

// One for each file of this folder. The texts are read as UTF-8.
Result<NetRead> read_bif(std::string_view text, const std::string& fallback);
Result<std::string> write_bif(const Net& net);
Result<NetRead> read_xmlbif(std::string_view text, const std::string& fallback);
Result<std::string> write_xmlbif(const Net& net);
Result<NetRead> read_hugin(std::string_view text, const std::string& fallback);
Result<std::string> write_hugin(const Net& net);
Result<NetRead> read_dsc(std::string_view text, const std::string& fallback);
Result<std::string> write_dsc(const Net& net);
Result<NetRead> read_uai(std::string_view text, const std::string& fallback);
Result<std::string> write_uai(const Net& net);
std::string write_uai_markov(const MarkovNet& net);
/// The observations of one sample of an evidence file: pairs of variable and value.
using UaiSample = std::vector<std::pair<std::size_t, std::size_t>>;
/// At least one; a file of both dialects, with and without the number of samples. `sizes`: of the variables, where a model is known.
Result<std::vector<UaiSample>> read_uai_evidence(std::string_view text, std::optional<std::span<const std::size_t>> sizes);
/// A row for each sample, a column X0, X1, … for each variable that one of them observes; what a sample leaves open is missing.
Result<TablePtr> read_uai_samples(const FilePath& path);
Result<std::string> write_cred(const Net& net);

}  // namespace credence::rt
