# looptree::graph: optimisation of pose graphs by Ceres. What of graph/ needs no Ceres (graphs, their files,
# trajectories and their errors) is part of looptree::looptree.
find_package(Ceres 2.1 REQUIRED COMPONENTS SuiteSparse)
looptree_library(looptree_graph graph LOOPTREE_GRAPH)
# No public header of ours includes Ceres', so consumers need it at link time only.
target_link_libraries(looptree_graph PUBLIC looptree::looptree PRIVATE Ceres::ceres)
target_sources(looptree_graph PRIVATE
  graph/detail/place_sessions.cpp
  graph/detail/pose_error.cpp
  graph/optimize.cpp)
