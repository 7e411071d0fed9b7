# looptree::graph: pose graphs, their files and their optimisation by Ceres, errors of trajectories. What of graph/ needs
# neither Ceres nor Eigen, the trajectories' files, is part of looptree::looptree.
find_package(Ceres 2.1 REQUIRED COMPONENTS SuiteSparse)
looptree_library(looptree_graph graph LOOPTREE_GRAPH)
# No public header of ours includes Ceres', so consumers need it at link time only.
target_link_libraries(looptree_graph PUBLIC looptree::looptree PRIVATE Ceres::ceres)
target_sources(looptree_graph PRIVATE
  graph/detail/place_sessions.cpp
  graph/detail/pose_error.cpp
  graph/detail/quiet_ceres.cpp
  graph/detail/sparseness.cpp
  graph/graph_files.cpp
  graph/optimize.cpp
  graph/pose_graph.cpp
  graph/read_g2o.cpp
  graph/trajectory_error.cpp)
