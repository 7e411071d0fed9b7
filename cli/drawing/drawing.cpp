// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/drawing.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cli/page/embed.hpp"

namespace looptree::cli {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

std::string hex(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

std::string svg_of(const Drawing::Line& line) {
  std::string points;
  for (const auto& [x, y] : line.points) points += fmt::format("{:.1f},{:.1f} ", x, y);
  const Stroke& stroke = line.stroke;
  if (stroke.is_area) {
    return fmt::format("<polygon points=\"{}\" fill=\"{}\" opacity=\"{:g}\"/>\n", points,
                       hex(stroke.colour), stroke.opacity);
  }
  std::string dash;
  for (const double length : stroke.dash) dash += fmt::format("{:g} ", length);
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"{}{} "
      "stroke-linejoin=\"round\"/>\n",
      points, hex(stroke.colour), stroke.width,
      stroke.opacity < 1 ? fmt::format(" opacity=\"{:g}\"", stroke.opacity) : "",
      dash.empty() ? "" : " stroke-dasharray=\"" + dash + '"');
}

std::string svg_of(const Drawing::Text& text) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  const std::string place =
      text.upwards
          ? fmt::format("transform=\"translate({:.1f} {:.1f}) rotate(-90)\"", text.x, text.y)
          : fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", text.x, text.y);
  return fmt::format("<text {} font-size=\"{:g}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n",
                     place, text.size, kAnchors[static_cast<int>(text.anchor)], hex(text.colour),
                     text.bold ? " font-weight=\"bold\"" : "", escaped(text.text));
}

std::string pdf_colour(const Colour& colour, const char* command) {
  return fmt::format("{:.3f} {:.3f} {:.3f} {}\n", colour[0] / 255.0, colour[1] / 255.0,
                     colour[2] / 255.0, command);
}

/// The content of the page, and what it refers to.
class PdfPage {
 public:
  explicit PdfPage(const Drawing& drawing) : height_(drawing.height()) {
    for (const Drawing::Item& item : drawing.items()) {
      std::visit([this](const auto& one) { add(one); }, item);
    }
  }

  std::string content;
  std::vector<double> opacities;                  ///< by number of their state, G0, G1, ...
  std::vector<const Drawing::Picture*> pictures;  ///< I0, I1, ...

 private:
  double up(double y) const { return height_ - y; }

  void path(const std::vector<std::pair<double, double>>& points) {
    const char* command = "m";
    for (const auto& [x, y] : points) {
      content += fmt::format("{:.2f} {:.2f} {}\n", x, up(y), command);
      command = "l";
    }
  }

  void set_opacity(double opacity) {
    std::size_t state = 0;
    while (state < opacities.size() && opacities[state] != opacity) ++state;
    if (state == opacities.size()) opacities.push_back(opacity);
    content += fmt::format("/G{} gs\n", state);
  }

  void add(const Drawing::Line& line) {
    const Stroke& stroke = line.stroke;
    if (line.points.size() < 2) return;
    content += "q 1 j 1 J\n";
    if (stroke.opacity < 1) set_opacity(stroke.opacity);
    if (stroke.is_area) {
      content += pdf_colour(stroke.colour, "rg");
      path(line.points);
      content += "h f Q\n";
      return;
    }
    std::string dash;
    for (const double length : stroke.dash) dash += fmt::format("{:g} ", length);
    content +=
        pdf_colour(stroke.colour, "RG") + fmt::format("{:g} w [{}] 0 d\n", stroke.width, dash);
    path(line.points);
    content += "S Q\n";
  }

  /// Four curves, as near to a circle as anybody can see.
  void add(const Drawing::Circle& circle) {
    const double r = circle.radius;
    const double k = 0.5523 * r;
    const double x = circle.x;
    const double y = up(circle.y);
    content += pdf_colour(circle.fill, "rg");
    content += fmt::format(
        "{:.2f} {:.2f} m {:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {:.2f} c {:.2f} {:.2f} {:.2f} {:.2f} "
        "{:.2f} {:.2f} c {:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {:.2f} c {:.2f} {:.2f} {:.2f} {:.2f} "
        "{:.2f} {:.2f} c f\n",
        x + r, y, x + r, y + k, x + k, y + r, x, y + r, x - k, y + r, x - r, y + k, x - r, y, x - r,
        y - k, x - k, y - r, x, y - r, x + k, y - r, x + r, y - k, x + r, y);
  }

  void add(const Drawing::Text& text) {
    std::string letters;
    for (const char letter : text.text) {
      const bool plain = letter >= 32 && letter < 127;
      // The bytes of a letter beyond ASCII that follow its first are left out.
      if (!plain && (static_cast<unsigned char>(letter) & 0xC0) == 0x80) continue;
      if (letter == '(' || letter == ')' || letter == '\\') letters += '\\';
      letters += plain ? letter : '?';
    }
    const double whole = text_width(text.text, text.size);
    const double back = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? 0.5 : 1;
    const double x = text.upwards ? text.x : text.x - back * whole;
    const double y = text.upwards ? up(text.y) - back * whole : up(text.y);
    content += pdf_colour(text.colour, "rg") +
               fmt::format("BT /{} {:g} Tf {} {:.2f} {:.2f} Tm ({}) Tj ET\n", text.bold ? "B" : "F",
                           text.size, text.upwards ? "0 1 -1 0" : "1 0 0 1", x, y, letters);
  }

  void add(const Drawing::Picture& picture) {
    content +=
        fmt::format("q {:.2f} 0 0 {:.2f} {:.2f} {:.2f} cm /I{} Do Q\n", picture.width,
                    picture.height, picture.x, up(picture.y + picture.height), pictures.size());
    pictures.push_back(&picture);
  }

  double height_;
};

}  // namespace

std::string to_svg(const Drawing& drawing) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      drawing.width(), drawing.height());
  for (const Drawing::Item& item : drawing.items()) {
    svg += std::visit(
        Overloaded{[](const Drawing::Line& line) { return svg_of(line); },
                   [](const Drawing::Text& text) { return svg_of(text); },
                   [](const Drawing::Circle& circle) {
                     return fmt::format(
                         "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", circle.x,
                         circle.y, circle.radius, hex(circle.fill));
                   },
                   [](const Drawing::Picture& picture) {
                     return fmt::format(
                         "<image x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" "
                         "href=\"data:image/jpeg;base64,{}\"/>\n",
                         picture.x, picture.y, picture.width, picture.height, base64(picture.jpeg));
                   }},
        item);
  }
  return svg + "</svg>\n";
}

std::string to_pdf(const Drawing& drawing) {
  const PdfPage page(drawing);
  std::string states;
  for (std::size_t i = 0; i < page.opacities.size(); ++i) {
    states += fmt::format("/G{} << /CA {:g} /ca {:g} >> ", i, page.opacities[i], page.opacities[i]);
  }
  std::string images;
  for (std::size_t i = 0; i < page.pictures.size(); ++i) {
    images += fmt::format("/I{} {} 0 R ", i, 7 + i);
  }
  std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:g} {:g}] /Contents 4 0 R "
                  "/Resources << /Font << /F 5 0 R /B 6 0 R >> /ExtGState << {}>> /XObject << {}>> "
                  ">> >>",
                  drawing.width(), drawing.height(), states, images),
      fmt::format("<< /Length {} >>\nstream\n{}endstream", page.content.size(), page.content),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>"};
  for (const Drawing::Picture* picture : page.pictures) {
    objects.push_back(
        fmt::format("<< /Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace "
                    "/DeviceGray /BitsPerComponent 8 /Filter /DCTDecode /Length {} >>\nstream\n",
                    picture->columns, picture->rows, picture->jpeg.size()) +
        std::string(picture->jpeg.begin(), picture->jpeg.end()) + "\nendstream");
  }
  std::string pdf = "%PDF-1.4\n";
  std::string table = fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    table += fmt::format("{:010} 00000 n \n", pdf.size());
    pdf += fmt::format("{} 0 obj\n", i + 1) + objects[i] + "\nendobj\n";
  }
  return pdf + table +
         fmt::format("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n",
                     objects.size() + 1, pdf.size());
}

double text_width(const std::string& text, double size) {
  // Thousandths of the size, from the blank on.
  constexpr int kWidths[] = {
      278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,  //
      556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,  //
      1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,  //
      667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,  //
      333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,  //
      556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
  double width = 0;
  for (const char letter : text) {
    if (letter >= 32 && letter < 127) {
      width += kWidths[letter - 32];
    } else if ((static_cast<unsigned char>(letter) & 0xC0) != 0x80) {
      width += 556;
    }
  }
  return width * size / 1000;
}

std::vector<double> axis_marks(double low, double high, int count) {
  const double raw = std::max(high - low, 1e-12) / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= raw * 0.999) step = factor * power;
  }
  std::vector<double> marks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
    marks.push_back(k * step + 0.0);  // no negative zero
  }
  return marks;
}

}  // namespace looptree::cli
