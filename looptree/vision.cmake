# looptree::vision: features, detect and dataset, as far as they need OpenCV.
find_package(OpenCV 4.5 REQUIRED COMPONENTS core imgproc imgcodecs videoio features2d calib3d dnn)
looptree_library(looptree_vision vision LOOPTREE_VISION)
looptree_precompile(looptree_vision <opencv2/core.hpp>)
# No public header of ours includes OpenCV's, so consumers need it at link time only.
target_include_directories(looptree_vision SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
target_link_libraries(looptree_vision PUBLIC looptree::looptree PRIVATE ${OpenCV_LIBS})
target_sources(looptree_vision PRIVATE
  dataset/calibration_file.cpp
  dataset/demo_world.cpp
  dataset/export_kitti.cpp
  dataset/feature_stream.cpp
  dataset/live.cpp
  dataset/live_camera.cpp
  dataset/open.cpp
  dataset/sequence.cpp
  dataset/bags/byte_source.cpp
  dataset/bags/chunked_bag.cpp
  dataset/bags/db3.cpp
  dataset/bags/decompress.cpp
  dataset/bags/mcap.cpp
  dataset/bags/open_bag.cpp
  dataset/bags/ros1_bag.cpp
  dataset/bags/ros_messages.cpp
  dataset/detail/deep_image.cpp
  dataset/detail/image_splitter.cpp
  dataset/detail/settings_text.cpp
  dataset/detail/sources.cpp
  dataset/detail/text.cpp
  dataset/detail/world/city.cpp
  dataset/detail/world/paint.cpp
  dataset/detail/world/renderer.cpp
  dataset/detail/world/texture.cpp
  dataset/detail/world/weather.cpp
  dataset/readers/holidays.cpp
  dataset/readers/image_file.cpp
  dataset/readers/images.cpp
  dataset/readers/kitti.cpp
  dataset/readers/oxford.cpp
  dataset/readers/tum.cpp
  dataset/readers/ukbench.cpp
  dataset/readers/video.cpp
  detect/detection.cpp
  detect/detector_memory.cpp
  detect/choice.cpp
  detect/closure_pose.cpp
  detect/detail/epipolar.cpp
  detect/detail/point_pose.cpp
  detect/evidence.cpp
  detect/loop_detector.cpp
  detect/metric_pose.cpp
  detect/odometry_depth.cpp
  detect/verification.cpp
  features/opencv/cv_orb.cpp
  features/opencv/extractor.cpp
  features/opencv/onnx.cpp
  features/opencv/detail/adapters.cpp
  features/opencv/detail/brief.cpp
  features/opencv/detail/onnx_input.cpp
  features/opencv/detail/onnx_outputs.cpp)
# Chunks of bags.
target_link_libraries(looptree_vision PRIVATE lz4 zstd bz2)
if(LOOPTREE_BUILD_STORE)
  target_link_libraries(looptree_vision PUBLIC looptree::store PRIVATE SQLite::SQLite3)
  target_compile_definitions(looptree_vision PRIVATE LOOPTREE_WITH_SQLITE)
  target_sources(looptree_vision PRIVATE detect/frame_pairs.cpp detect/map_detector.cpp
                 detect/relocalize.cpp)
endif()
