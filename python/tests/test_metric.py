# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Poses with length, from keypoints with depths and from points."""
import numpy as np
import pytest

import looptree

pytestmark = pytest.mark.skipif(not looptree.has_vision, reason="this build is without OpenCV")


def views(depth_in="both", points=False, seed=3):
    """Two views of random points: features, correspondences, the camera, match_from_query."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(3, 25, 200)
    seen = np.stack([(rng.uniform(size=200) - 0.5) * z, (rng.uniform(size=200) - 0.5) * z, z], 1)
    pose = np.eye(4)
    angle = 0.1
    pose[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0],
                    [-np.sin(angle), 0, np.cos(angle)]]
    pose[:3, 3] = [0.5, -0.1, 0.3]
    there = seen @ pose[:3, :3].T + pose[:3, 3]

    def features(p, known):
        keypoints = 400 * p[:, :2] / p[:, 2:] + [320, 240]
        depths = (p if points else p[:, 2]) if known else None
        return looptree.Features(keypoints, np.zeros((len(p), 32), np.uint8), width=640,
                                 height=480, depths=depths)

    rows = np.zeros(200, looptree.correspondence_dtype)
    rows["query"] = rows["match"] = np.arange(200)
    return (features(seen, depth_in != "match"), features(there, depth_in != "query"), rows,
            looptree.Calibration(400, 400, 320, 240), pose)


@pytest.mark.parametrize("depth_in", ["both", "query", "match"])
@pytest.mark.parametrize("points", [False, True])
def test_pose_from_depths_and_from_points(depth_in, points):
    query, match, rows, camera, pose = views(depth_in, points)
    found = looptree.metric_pose(query, match, rows, camera)
    np.testing.assert_allclose(found.match_from_query, pose, atol=1e-3)
    assert found.inliers == 200
    assert found.information.shape == (6, 6)
    np.testing.assert_allclose(found.information, found.information.T)
    assert 0 < found.sigma_m < 0.1 and 0 < found.sigma_deg < 1
    assert "sigma_m" in repr(found)


def test_no_pose_without_depth():
    query, match, rows, camera, _ = views()
    blind = looptree.Features(query.points, query.descriptors, width=640, height=480)
    assert blind.inverse_depths.size == 0
    unseen = looptree.Features(match.points, match.descriptors, width=640, height=480,
                               depths=np.full(200, np.nan))
    assert not unseen.inverse_depths.any()
    assert looptree.metric_pose(blind, unseen, rows, camera) is None
    assert looptree.metric_pose(query, match, rows[:5], camera) is None


def test_what_is_wrong_is_said():
    query, match, rows, camera, _ = views()
    with pytest.raises(looptree.InvalidArgumentError, match="one for each"):
        looptree.Features(query.points, query.descriptors, width=640, height=480, depths=[1, 2])
    with pytest.raises(looptree.InvalidArgumentError, match="depths as floats"):
        looptree.Features(query.points, query.descriptors, width=640, height=480,
                          depths=np.zeros((200, 2)))
    with pytest.raises(looptree.InvalidArgumentError, match="in their ranges"):
        looptree.metric_pose(query, match, rows, camera, keypoint_sigma_px=0)
    with pytest.raises(TypeError, match="correspondence_dtype"):
        looptree.metric_pose(query, match, np.zeros(3), camera)


def squared_error(pose, information, truth):
    """How far a pose is off, weighed with what it says of itself; 6 on average if that is honest."""
    error = np.linalg.inv(pose) @ truth
    turn = np.array([error[2, 1] - error[1, 2], error[0, 2] - error[2, 0],
                     error[1, 0] - error[0, 1]]) / 2
    e = np.concatenate([error[:3, 3], turn])
    return e @ information @ e


@pytest.mark.parametrize("camera", ["images", "stereo", "none"])
def test_a_lost_camera_gets_its_pose_and_how_sure_that_is(camera, tmp_path):
    world = looptree.open_demo_world(frames=300, width=480, height=270, depth=camera == "images",
                                     baseline_m=0.5 if camera == "stereo" else 0.0)
    assert world.depth == camera
    assert (world.inverse_depth_sigma > 0) == (camera != "none")
    orb = looptree.FeatureExtractor()
    vocabulary = looptree.box_vocabulary("orb")
    known = looptree.extract_features(world, orb, depth=camera)
    # The first round is the map. Without depth the poses of the map are its odometry.
    keywords = {} if camera == "none" else {"inverse_depth_sigma": world.inverse_depth_sigma}
    errors = []
    with looptree.Map.create(tmp_path / "round.map", vocabulary) as map:
        monday = looptree.LoopDetector.on_map(map, "monday", calibration=world.calibration)
        for frame, pose in zip(known, world.poses[:40]):
            assert frame.features.inverse_depths.any() == (camera != "none")
            monday.process(frame.features, pose=pose)
        del known
        nearest = np.linalg.norm(world.poses[100:, None, :3, 3] - world.poses[None, 5:35, :3, 3], axis=2)
        for lost in 100 + np.flatnonzero(nearest.min(axis=1) < 2.5)[:12:2]:
            features = orb.extract(world.image(lost))
            best = looptree.relocalize(map, features, calibration=world.calibration,
                                       from_odometry=camera == "none", **keywords)[0]
            if best.pose is not None:
                assert np.linalg.norm(best.pose[:3, 3] - world.poses[lost, :3, 3]) < 0.5
                errors.append(squared_error(best.pose, best.information, world.poses[lost]) / 6)
    assert len(errors) >= 4
    assert np.median(errors) < 2.5


def test_depth_that_is_not_there_is_refused():
    world = looptree.open_demo_world(frames=2, width=64, height=64)
    with pytest.raises(looptree.InvalidArgumentError, match="with depth images, found none"):
        looptree.extract_features(world, looptree.FeatureExtractor(), depth="images")
    with pytest.raises(looptree.InvalidArgumentError, match="none, images or stereo|stereo"):
        looptree.extract_features(world, looptree.FeatureExtractor(), depth="sonar")
