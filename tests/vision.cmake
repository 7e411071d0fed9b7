# Tests of what needs OpenCV.
find_package(OpenCV 4.5 REQUIRED COMPONENTS core videoio)
looptree_test(extractor_test features/extractor_test.cpp LIBS looptree::vision)
looptree_test(readers_test dataset/readers_test.cpp LIBS looptree::vision ${OpenCV_LIBS})
target_include_directories(readers_test SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
looptree_test(demo_world_test dataset/demo_world_test.cpp LIBS looptree::vision)
