// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "python/src/vision/extractor.hpp"

#include "python/src/features.hpp"

namespace looptree::python {

void bind_extractor(py::module_& m) {
  using Class = py::class_<FeatureExtractor, std::shared_ptr<FeatureExtractor>>;
  Class(m, "FeatureExtractor", R"(Image -> keypoints and descriptors, spread over the image.

The same image gives the same features, to the bit, on one machine and OpenCV version. extract() may
run from several threads at once.)")
      .def(py::init([](const std::string& kind, std::size_t max_features, int fast_threshold,
                       const std::string& network) {
             ExtractorOptions options{FeatureKind::orb, max_features, fast_threshold, network};
             set_features(options, kind);
             return std::shared_ptr<FeatureExtractor>(make_extractor(options));
           }),
           py::arg("kind") = "orb", py::kw_only(), py::arg("max_features") = 1500,
           py::arg("fast_threshold") = 12, py::arg("network") = "",
           "kind: 'orb', 'brief', 'akaze', 'sift', 'learned' or the path of a "
           "model, 'MODEL.onnx'. max_features: at most so many per "
           "image. "
           "fast_threshold: how distinct a corner is, in grey levels; ORB and BRIEF only. "
           "network: a file of weights for learned features, '' for those in the box.")
      .def(
          "extract",
          [](const FeatureExtractor& extractor, const py::object& pixels) {
            const Image image = image_of(pixels);
            return unlocked([&] { return std::make_shared<Features>(extractor.extract(image)); });
          },
          py::arg("image"), "The features of a grey image, uint8 of shape (height, width).")
      .def_property_readonly("descriptor_type",
                             [](const FeatureExtractor& e) {
                               return e.descriptor_type() == DescriptorType::binary ? "binary"
                                                                                    : "real";
                             })
      .def_property_readonly("descriptor_width", &FeatureExtractor::descriptor_width,
                             "Bytes or floats per descriptor.")
      .def("__repr__", [](const py::object& self) {
        return repr_fields(self, {"descriptor_type", "descriptor_width"});
      });
}

}  // namespace looptree::python
