# looptree::graph: optimisation of pose graphs by Ceres. What of graph/ needs no Ceres (graphs, their files,
# trajectories and their errors) is part of looptree::looptree.
find_package(Ceres 2.1 REQUIRED COMPONENTS SuiteSparse)
add_library(looptree_graph)
add_library(looptree::graph ALIAS looptree_graph)
looptree_compile_options(looptree_graph)
set_target_properties(looptree_graph PROPERTIES
  EXPORT_NAME graph VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
generate_export_header(looptree_graph EXPORT_MACRO_NAME LOOPTREE_GRAPH_EXPORT
                       EXPORT_FILE_NAME ${PROJECT_BINARY_DIR}/include/looptree/graph_export.hpp)
if(NOT BUILD_SHARED_LIBS)
  target_compile_definitions(looptree_graph PUBLIC LOOPTREE_GRAPH_STATIC_DEFINE)
endif()
# No public header of ours includes Ceres', so consumers need it at link time only.
target_link_libraries(looptree_graph PUBLIC looptree::looptree PRIVATE Ceres::ceres)
set_property(GLOBAL APPEND PROPERTY LOOPTREE_EXPORTED looptree_graph)
target_sources(looptree_graph PRIVATE
  graph/detail/place_sessions.cpp
  graph/detail/pose_error.cpp
  graph/optimize.cpp)
