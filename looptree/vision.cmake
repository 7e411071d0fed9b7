# looptree::vision: features, detect and dataset, as far as they need OpenCV.
find_package(OpenCV 4.5 REQUIRED COMPONENTS core imgproc imgcodecs videoio features2d calib3d)
add_library(looptree_vision)
add_library(looptree::vision ALIAS looptree_vision)
looptree_compile_options(looptree_vision)
set_target_properties(looptree_vision PROPERTIES
  EXPORT_NAME vision VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
generate_export_header(looptree_vision EXPORT_MACRO_NAME LOOPTREE_VISION_EXPORT
                       EXPORT_FILE_NAME ${PROJECT_BINARY_DIR}/include/looptree/vision_export.hpp)
if(NOT BUILD_SHARED_LIBS)
  target_compile_definitions(looptree_vision PUBLIC LOOPTREE_VISION_STATIC_DEFINE)
endif()
# No public header of ours includes OpenCV's, so consumers need it at link time only.
target_include_directories(looptree_vision SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
target_link_libraries(looptree_vision PUBLIC looptree::looptree PRIVATE ${OpenCV_LIBS})
set_property(GLOBAL APPEND PROPERTY LOOPTREE_EXPORTED looptree_vision)
target_sources(looptree_vision PRIVATE
  dataset/demo_world.cpp
  dataset/detail/city.cpp
  dataset/detail/paint.cpp
  dataset/detail/renderer.cpp
  dataset/detail/sources.cpp
  dataset/detail/text.cpp
  dataset/detail/texture.cpp
  dataset/export_kitti.cpp
  dataset/feature_stream.cpp
  dataset/holidays.cpp
  dataset/image_file.cpp
  dataset/images.cpp
  dataset/kitti.cpp
  dataset/open.cpp
  dataset/oxford.cpp
  dataset/sequence.cpp
  dataset/tum.cpp
  dataset/ukbench.cpp
  dataset/video.cpp
  detect/detector_memory.cpp
  detect/loop_detector.cpp
  detect/verification.cpp
  features/opencv/cv_orb.cpp
  features/opencv/detail/adapters.cpp
  features/opencv/detail/brief.cpp
  features/opencv/extractor.cpp)
if(LOOPTREE_BUILD_STORE)
  target_link_libraries(looptree_vision PUBLIC looptree::store)
  target_sources(looptree_vision PRIVATE detect/map_detector.cpp detect/relocalize.cpp)
endif()
