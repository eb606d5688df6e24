// Pictures as pixels, read back: the chunks, their checksums and the colours are those of the picture.

#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <catch2/catch.hpp>

#include "runtime/plot/chart.hpp"
#include "runtime/plot/png.hpp"
#include "runtime/plot/svg.hpp"
#include "tests/support/session.hpp"

using namespace credence;
using namespace credence::rt;

namespace {

using Pixel = std::array<std::uint8_t, 3>;
constexpr Pixel white{255, 255, 255};
constexpr Pixel first_of_palette{0x00, 0x72, 0xb2};

struct Pixels {
    std::size_t width = 0, height = 0;
    std::vector<Pixel> all;  ///< row by row
    Pixel at(std::size_t x, std::size_t y) const { return all.at(y * width + x); }
    std::size_t count(Pixel p) const { return static_cast<std::size_t>(std::count(all.begin(), all.end(), p)); }
};

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < 4; ++i) out = (out << 8U) | static_cast<std::uint8_t>(bytes.at(at + i));
    return out;
}

/// The prediction of filter 4 (PNG specification, section 9.4).
int paeth(int left, int up, int corner) {
    const int p = left + up - corner;
    const int a = std::abs(p - left), b = std::abs(p - up), c = std::abs(p - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/// Eight bits of red, green and blue, no interlacing; throws on anything else and on what is damaged.
Pixels read_png(const std::string& bytes) {
    if (bytes.substr(0, 8) != "\x89PNG\r\n\x1a\n") throw std::runtime_error("no PNG");
    Pixels out;
    std::string packed;
    std::string last;
    for (std::size_t at = 8; at < bytes.size();) {
        const std::size_t size = number_at(bytes, at);
        const std::string name = bytes.substr(at + 4, 4);
        const std::string body = bytes.substr(at + 8, size);
        const auto checksum = crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + at + 4), static_cast<uInt>(size + 4));
        if (checksum != number_at(bytes, at + 8 + size)) throw std::runtime_error("the checksum of " + name);
        if (name == "IHDR") {
            out.width = number_at(body, 0);
            out.height = number_at(body, 4);
            if (body.substr(8) != std::string("\x08\x02\0\0\0", 5)) throw std::runtime_error("another form of pixels");
        }
        if (name == "IDAT") packed += body;
        last = name;
        at += size + 12;
    }
    if (last != "IEND") throw std::runtime_error("no end");
    const std::size_t row = out.width * 3;
    std::string data(out.height * (row + 1), '\0');
    auto length = static_cast<uLongf>(data.size());
    if (uncompress(reinterpret_cast<Bytef*>(data.data()), &length, reinterpret_cast<const Bytef*>(packed.data()),
                   static_cast<uLong>(packed.size())) != Z_OK ||
        length != data.size())
        throw std::runtime_error("the pixels do not unpack");
    std::vector<std::uint8_t> plain(out.height * row);
    for (std::size_t y = 0; y < out.height; ++y)
        for (std::size_t i = 0; i < row; ++i) {
            const int left = i >= 3 ? plain[y * row + i - 3] : 0;
            const int up = y > 0 ? plain[(y - 1) * row + i] : 0;
            const int corner = i >= 3 && y > 0 ? plain[(y - 1) * row + i - 3] : 0;
            const std::array<int, 5> predicted{0, left, up, (left + up) / 2, paeth(left, up, corner)};
            const int value = static_cast<std::uint8_t>(data[y * (row + 1) + 1 + i]);
            plain[y * row + i] = static_cast<std::uint8_t>(value + predicted.at(static_cast<std::uint8_t>(data[y * (row + 1)])));
        }
    for (std::size_t i = 0; i < plain.size(); i += 3) out.all.push_back({plain[i], plain[i + 1], plain[i + 2]});
    return out;
}

bool without_png(const std::string& name) {
    if (!has_png()) std::cout << "skipped, the build or the machine has no librsvg: " << name << '\n';
    return !has_png();
}

}  // namespace

TEST_CASE("a PNG has two pixels for each point, a white ground and the colours of light pages") {
    if (without_png("pixels of a PNG")) return;
    Svg svg(40, 20, "");
    svg.rect(10, 5, 20, 10, "f0");
    const auto bytes = png_of(std::move(svg).finished());
    REQUIRE(bytes);
    const Pixels pixels = read_png(*bytes);
    CHECK(pixels.width == 80);
    CHECK(pixels.height == 40);
    CHECK(pixels.count(first_of_palette) == 40 * 20);
    CHECK(pixels.count(white) == 80 * 40 - 40 * 20);
    CHECK(pixels.at(20, 10) == first_of_palette);
    CHECK(pixels.at(59, 29) == first_of_palette);
    CHECK(pixels.at(60, 30) == white);
}

TEST_CASE("a bar twice as long has twice as many pixels in a PNG") {
    if (without_png("bars of a PNG")) return;
    const auto pixels_of = [](double value) {
        const auto picture = make_picture({.title = "Größe", .body = BarChart{.labels = {"a", "b"}, .series = {{"", {value, 4}}}}});
        const auto bytes = png_of(picture->svg());
        REQUIRE(bytes);
        return read_png(*bytes);
    };
    const auto zero = pixels_of(0).count(first_of_palette);
    const auto one = pixels_of(1).count(first_of_palette);
    const auto two = pixels_of(2).count(first_of_palette);
    CHECK(pixels_of(1).width == 1280);
    CHECK(one > zero);
    CHECK(static_cast<double>(two - zero) == Approx(2.0 * static_cast<double>(one - zero)).epsilon(0.01));
}

TEST_CASE("a picture too large for two pixels a point has fewer") {
    if (without_png("large PNG")) return;
    const auto bytes = png_of("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"65534\" height=\"100\"/>");
    REQUIRE(bytes);
    const Pixels pixels = read_png(*bytes);
    CHECK(pixels.width == 32767);
    CHECK(pixels.height == 50);
}

TEST_CASE("what is no SVG gives a reason in place of a PNG") {
    const auto bytes = png_of("<svg");
    REQUIRE(!bytes);
    CHECK(bytes.fault().code == FaultCode("E-FILE"));
    CHECK(bytes.fault().message.find("PNG") != std::string::npos);
    CHECK((has_png() || bytes.fault().hint.find(".svg") != std::string::npos));
}

TEST_CASE("save writes a plot and a drawing as PNG") {
    if (without_png("save as .png")) return;
    std::string folder = (std::filesystem::temp_directory_path() / "credence-png-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    lang::Session session(test::registry(), {});
    test::Recorder output;
    test::run(session,
              "save(plot([1, 3, 2], width: 400, height: 200), \"line.png\")\nnet N { A : 0.5 ; B | A : { true: 0.1, false: 0.2 } }\n"
              "save(draw(N), \"net.png\")\n",
              output, folder);
    CHECK(output.codes() == "");
    for (const std::string name : {"line.png", "net.png"}) {
        std::ifstream file(folder + "/" + name, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        const Pixels pixels = read_png(bytes);
        CHECK(pixels.count(white) > pixels.all.size() / 2);
        CHECK(pixels.count(white) < pixels.all.size());
        if (name == "line.png") CHECK((pixels.width == 800 && pixels.height == 400));
    }
    std::filesystem::remove_all(folder);
}
