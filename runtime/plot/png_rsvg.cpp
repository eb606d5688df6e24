// PNG by librsvg and cairo. The library is opened when the first picture is written: linked, it and the 47 libraries behind it cost every
// start of the program 16 ms (Debian 12, 50 starts), eight times an empty program's.

#include "runtime/plot/png.hpp"

#include <librsvg/rsvg.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "runtime/core/opened_library.hpp"

namespace credence::rt {

namespace {

constexpr double pixels_for_a_point = 2;
constexpr double most_pixels = 1e8;
constexpr double most_on_a_side = 32767;  // cairo's limit

#ifdef __APPLE__
constexpr const char* library_name = "librsvg-2.2.dylib";
#else
constexpr const char* library_name = "librsvg-2.so.2";
#endif

/// The functions needed, of librsvg and of the libraries behind it, which a search of its handle reaches too.
struct RsvgLibrary {
    decltype(&::rsvg_handle_new_from_data) handle_new_from_data = nullptr;
    decltype(&::rsvg_handle_get_intrinsic_size_in_pixels) get_size = nullptr;
    decltype(&::rsvg_handle_render_document) render_document = nullptr;
    decltype(&::g_object_unref) object_unref = nullptr;
    decltype(&::g_error_free) error_free = nullptr;
    decltype(&::cairo_image_surface_create) surface_create = nullptr;
    decltype(&::cairo_surface_destroy) surface_destroy = nullptr;
    decltype(&::cairo_surface_write_to_png_stream) write_to_png_stream = nullptr;
    decltype(&::cairo_create) create = nullptr;
    decltype(&::cairo_destroy) destroy = nullptr;
    decltype(&::cairo_status) status = nullptr;
    decltype(&::cairo_status_to_string) status_to_string = nullptr;
    decltype(&::cairo_set_source_rgb) set_source_rgb = nullptr;
    decltype(&::cairo_paint) paint = nullptr;
    std::string missing;  ///< why it cannot be used, in the words of the loader
};

RsvgLibrary opened_library() {
    RsvgLibrary out;
    OpenedLibrary library(library_name);
    library.find("rsvg_handle_new_from_data", out.handle_new_from_data);
    library.find("rsvg_handle_get_intrinsic_size_in_pixels", out.get_size);
    library.find("rsvg_handle_render_document", out.render_document);
    library.find("g_object_unref", out.object_unref);
    library.find("g_error_free", out.error_free);
    library.find("cairo_image_surface_create", out.surface_create);
    library.find("cairo_surface_destroy", out.surface_destroy);
    library.find("cairo_surface_write_to_png_stream", out.write_to_png_stream);
    library.find("cairo_create", out.create);
    library.find("cairo_destroy", out.destroy);
    library.find("cairo_status", out.status);
    library.find("cairo_status_to_string", out.status_to_string);
    library.find("cairo_set_source_rgb", out.set_source_rgb);
    library.find("cairo_paint", out.paint);
    out.missing = library.missing();
    return out;
}

const RsvgLibrary& rsvg() {
    static const RsvgLibrary library = opened_library();
    return library;
}

Fault not_drawn(std::string_view reason) { return {.code = "E-FILE", .message = fmt::format("the PNG could not be drawn: {}", reason)}; }

Fault not_drawn(GError* error) {
    if (!error) return not_drawn("librsvg gives no reason");
    Fault fault = not_drawn(error->message);
    rsvg().error_free(error);
    return fault;
}

cairo_status_t append(void* out, const unsigned char* bytes, unsigned int size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

bool has_png() { return rsvg().missing.empty(); }

Result<std::string> png_of(std::string_view svg) {
    const RsvgLibrary& lib = rsvg();
    if (!lib.missing.empty())
        return Fault{.code = "E-FILE",
                     .message = fmt::format("PNG needs librsvg, which cannot be opened: {}", lib.missing),
                     .hint = "save as .svg; or install librsvg2-2 (Debian's name)"};
    const auto unref = [&](RsvgHandle* handle) { lib.object_unref(handle); };
    const auto destroy_surface = [&](cairo_surface_t* surface) { lib.surface_destroy(surface); };
    const auto destroy_context = [&](cairo_t* context) { lib.destroy(context); };

    GError* error = nullptr;
    const std::unique_ptr<RsvgHandle, decltype(unref)> handle(
        lib.handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error), unref);
    if (!handle) return not_drawn(error);
    double width = 0;
    double height = 0;
    if (!lib.get_size(handle.get(), &width, &height) || width <= 0 || height <= 0) return not_drawn("the picture has no size");
    const double scale =
        std::min({pixels_for_a_point, std::sqrt(most_pixels / (width * height)), most_on_a_side / width, most_on_a_side / height});
    const RsvgRectangle page{
        .x = 0, .y = 0, .width = std::max(1.0, std::floor(width * scale)), .height = std::max(1.0, std::floor(height * scale))};

    const std::unique_ptr<cairo_surface_t, decltype(destroy_surface)> surface(
        lib.surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(page.width), static_cast<int>(page.height)), destroy_surface);
    const std::unique_ptr<cairo_t, decltype(destroy_context)> context(lib.create(surface.get()), destroy_context);
    lib.set_source_rgb(context.get(), 1, 1, 1);
    lib.paint(context.get());
    if (const auto status = lib.status(context.get()); status != CAIRO_STATUS_SUCCESS) return not_drawn(lib.status_to_string(status));
    if (!lib.render_document(handle.get(), context.get(), &page, &error)) return not_drawn(error);
    std::string out;
    if (const auto status = lib.write_to_png_stream(surface.get(), append, &out); status != CAIRO_STATUS_SUCCESS)
        return not_drawn(lib.status_to_string(status));
    return out;
}

}  // namespace credence::rt
