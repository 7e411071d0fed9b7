# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
import csv
import pathlib
import re
import subprocess
import threading

import numpy as np
import pytest

import looptree
from conftest import tool

if not looptree.has_vision:
    pytest.skip("built without OpenCV", allow_module_level=True)


WORLD = []


@pytest.fixture(scope="module")
def sequence(world):
    WORLD[:] = [world]
    return looptree.open_sequence(world)


@pytest.fixture(scope="module")
def features(sequence):
    frames = list(looptree.extract_features(sequence, looptree.FeatureExtractor(max_features=800)))
    assert [frame.number for frame in frames] == list(range(len(sequence)))
    assert all(frame.error is None for frame in frames)
    return [frame.features for frame in frames]


@pytest.fixture(scope="module")
def vocabulary(features):
    return looptree.train_vocabulary([each.descriptors for each in features[::6]], depth=4)


def test_sequences(sequence, world):
    assert sequence.format == "kitti" and len(sequence) == 300 and sequence.is_route
    assert sequence.poses.shape == (300, 4, 4) and sequence.times_s.shape == (300,)
    assert sequence.labels is None and sequence.loops is None and len(sequence.names) == 300
    assert isinstance(sequence.calibration, looptree.Calibration)
    first = [frame for frame, _ in zip(sequence, range(3))]
    again = [frame for frame, _ in zip(sequence, range(3))]
    assert [frame.number for frame in first] == [0, 1, 2]
    assert all((a.image == b.image).all() for a, b in zip(first, again))
    assert first[0].image.shape == (270, 480) and first[0].image.dtype == np.uint8
    assert (first[2].pose == sequence.poses[2]).all() and first[1].label is None
    assert (looptree.read_image(world / "image_0" / "000002.png") == first[2].image).all()
    with pytest.raises(FileNotFoundError):
        looptree.open_sequence(world / "nothing")
    with pytest.raises(looptree.InvalidArgumentError):
        sequence.image(300)


def test_the_world_is_the_command_lines(sequence):
    rendered = looptree.open_demo_world(frames=300, width=480, height=270)
    assert (rendered.image(123) == sequence.image(123)).all()


def test_images_and_features_give_the_same_detections(sequence, features, vocabulary):
    extractor = looptree.FeatureExtractor(max_features=800)
    from_images = looptree.LoopDetector(vocabulary, extractor, exclude_recent=50)
    from_features = looptree.LoopDetector(vocabulary, exclude_recent=50)
    for number in range(0, 300, 10):
        a = from_images.process(sequence.image(number))
        b = from_features.process(features[number])
        assert (a.decision, a.frame, a.match, a.score) == (b.decision, b.frame, b.match, b.score)
    assert len(from_images) == 30


def test_closures_are_found_and_right(sequence, features, vocabulary):
    detector = looptree.LoopDetector(vocabulary, exclude_recent=50, calibration=sequence.calibration)
    truth = looptree.evaluate.GroundTruth.by_poses(sequence.poses)
    closures = []
    for each in features:
        detection = detector.process(each)
        if detection.is_closure:
            closures.append((detection.frame, detection.match))
            assert detection.decision == "closure" and detection.explain()
            inliers = detection.verification.inliers
            assert len(inliers) >= 25 and inliers.dtype == looptree.correspondence_dtype
            pose = detection.verification.match_from_query
            if pose is not None:
                assert np.allclose(pose.rotation @ pose.rotation.T, np.eye(3), atol=1e-6)
        assert detection.times.total_ms >= detection.times.query_ms >= 0
    assert len(closures) > 50
    assert all(truth.is_right(query, match) for query, match in closures)
    query, match = closures[0]
    proof = looptree.verify(features[query], features[match], sequence.calibration)
    assert len(proof.inliers) > 20
    pairs = looptree.match_descriptors(features[query].descriptors, features[match].descriptors)
    assert pairs.dtype == looptree.correspondence_dtype and len(pairs) == proof.correspondences


def test_frames_keep_their_numbers_and_names(features, vocabulary):
    """Six black images in front: match is an index into the caller's own list of paths."""
    route = [np.zeros((270, 480), np.uint8)] * 6 + list(features[20:24]) + [features[21]]
    detector = looptree.LoopDetector(vocabulary, exclude_recent=0, stored_features=5000)
    detections = [detector.process(each) for each in route]
    assert [d.frame for d in detections] == list(range(11))
    assert [d.frame_id for d in detections] == [None] * 6 + list(range(5))
    assert detections[0].decision == "no features" and detections[0].match is None
    last = detections[10]
    assert last.is_closure and (last.match, last.match_id) == (7, 1) and last.match_session is None
    assert "closure with frame 7:" in last.explain()
    assert detector.features(7).points.tolist() == features[21].points.tolist()
    with pytest.raises(looptree.NotFoundError, match="found 3"):
        detector.features(3)
    named = looptree.LoopDetector(vocabulary, exclude_recent=0)
    named.process(features[21], number=2100, name="a.png", time_s=2.5)
    again = named.process(features[21], name="b.png")
    assert (again.frame, again.name, again.time_s) == (2101, "b.png", None)
    assert (again.match, again.match_name, again.match_time_s) == (2100, "a.png", 2.5)
    assert "closure with frame 2100 (a.png):" in again.explain()


def test_a_detector_on_a_map_and_relocalisation(features, vocabulary, tmp_path):
    with looptree.Map.create(tmp_path / "street.map", vocabulary) as map:
        monday = looptree.LoopDetector.on_map(map, "monday", exclude_recent=5)
        assert map.sessions() == [], "a session begins with its first frame"
        for number, each in enumerate(features[20:30]):
            monday.process(each, number=20 + number, name=f"{20 + number}.png")
        tuesday = looptree.LoopDetector.on_map(map, "tuesday", exclude_recent=5)
        found = tuesday.process(features[24], name="again.png")
        assert found.is_closure and (found.match, found.match_name) == (24, "24.png")
        assert (found.match_id, found.match_session) == (4, 0) and "session 0" in found.explain()
        assert [s.name for s in map.sessions()] == ["monday", "tuesday"]
        none = looptree.relocalize(map, features[27], min_inliers=5000, top_k=1)
        assert not none[0].verified and none[0].refusal.endswith("inliers, expected 11250")
        best = looptree.relocalize(map, features[27], sessions=[0], calibration=(300, 300, 240, 135))
        assert best[0].verified and best[0].refusal == "" and map.info(best[0].frame).name == "27.png"
        assert looptree.relocalize(map, looptree.Features([], np.zeros((0, 32), np.uint8), width=1,
                                                          height=1)) == []


def test_a_map_keeps_thumbnails(sequence, features, vocabulary, tmp_path):
    image = sequence.image(20)
    jpeg = looptree.make_thumbnail(image, width=160)
    assert jpeg[:2] == b"\xff\xd8" and len(jpeg) < image.size / 8
    with looptree.Map.create(tmp_path / "street.map", vocabulary) as map:
        detector = looptree.LoopDetector.on_map(map, "monday")
        detector.process(features[20], thumbnail=jpeg)
        detector.process(features[21])
        assert (map.thumbnail(0), map.thumbnail(1), map.thumbnail(2)) == (jpeg, b"", None)
        assert map.insert(vocabulary.histogram(features[22].descriptors), thumbnail=jpeg) == 2
    assert looptree.summarize_map(tmp_path / "street.map").with_thumbnail == 2


def test_frames_without_features_are_an_empty_answer(vocabulary):
    detector = looptree.LoopDetector(vocabulary)
    for nothing in (np.zeros((0, 32), np.uint8), np.zeros((0, 128), np.float32)):
        empty = looptree.Features([], nothing, width=640, height=480)
        assert detector.process(empty).decision == "no features"


def test_sequences_are_lists_of_frames(sequence):
    assert sequence[3].number == 3 and sequence[-1].number == 299
    assert [frame.number for frame in sequence[290::5]] == [290, 295]
    with pytest.raises(IndexError):
        sequence[300]


def test_cameras(sequence, tmp_path):
    camera = looptree.Calibration(458.6, 457.2, 367.2, 248.3, distortion=[-0.28, 0.07, 0.0, 0.0])
    assert camera.lens == "brown-conrady" and camera.undistort(10, 10)[0] < 5
    assert looptree.Calibration((1, 2, 3, 4)) == looptree.Calibration(1, 2, 3, 4)
    for zero in ((0, 1, 2, 3), (float("nan"), 1, 2, 3)):
        with pytest.raises(looptree.InvalidArgumentError, match="above 0 in pixels"):
            looptree.Calibration(zero)
    (tmp_path / "cam.yaml").write_text("cam0:\n  camera_model: pinhole\n  intrinsics: [458.6, 457.2, "
                                       "367.2, 248.3]\n  distortion_model: radtan\n"
                                       "  distortion_coeffs: [-0.28, 0.07, 0, 0]\n")
    assert looptree.read_calibration(tmp_path / "cam.yaml") == camera


def test_live_folders(sequence, tmp_path):
    frames = looptree.open_live(str(sequence_folder(sequence, tmp_path)), idle_s=1)
    assert [frame.name for frame in frames] == ["0.png", "1.png"] and frames.dropped == 0
    with pytest.raises(looptree.NotFoundError, match="found 'nothing'"):
        looptree.open_live("nothing")


def sequence_folder(sequence, tmp_path):
    """Two images, as another program would write them."""
    import shutil
    for i in range(2):
        shutil.copy(pathlib.Path(WORLD[0]) / "image_0" / f"00000{i}.png", tmp_path / f"{i}.png")
    return tmp_path


def test_the_command_line_finds_the_same(world, sequence, features, vocabulary, tmp_path):
    vocabulary.save(tmp_path / "orb.looptree")
    subprocess.run([tool("CLI"), "detect", world, "--vocabulary", tmp_path / "orb.looptree", "--output",
                    tmp_path / "run", "--max-features", "800", "--exclude-recent", "60"], check=True,
                   stdout=subprocess.DEVNULL, cwd=tmp_path)
    with open(tmp_path / "run" / "closures.csv") as file:
        expected = [(int(row["query"]), int(row["match"]), float(row["score"]))
                    for row in csv.DictReader(file)]
    detector = looptree.LoopDetector(vocabulary, exclude_recent=60, calibration=sequence.calibration)
    found = []
    for each in features:
        d = detector.process(each)
        if d.is_closure:
            found.append((d.frame, d.match, d.score))
    assert len(found) > 50 and [each[:2] for each in found] == [each[:2] for each in expected]
    assert [each[2] for each in found] == pytest.approx([each[2] for each in expected], abs=1e-6)


def test_the_defaults_are_as_documented(vocabulary):
    """The docstring gives every option with its default."""
    text = looptree.LoopDetector.__init__.__doc__
    told = dict(re.findall(r"(\w+)=('[^']*'|[\w.]+)", text.split("defaults:")[1]))
    options = looptree.LoopDetector(vocabulary).options
    options["topology"] = str(options["topology"])
    options["max_ratio"] = round(options["max_ratio"], 6)  # a float of C++
    assert told == {name: repr(value) for name, value in options.items()}


def test_options(vocabulary):
    detector = looptree.LoopDetector(vocabulary, topology="d2b8-max", threshold_kind="absolute",
                                     threshold=0.2, max_ratio=0.7, direct_index_levels=2,
                                     keyframes="every:3")
    options = detector.options
    assert str(options["topology"]) == "d2b8-max" and options["threshold_kind"] == "absolute"
    assert (options["threshold"], options["direct_index_levels"]) == (0.2, 2)
    assert looptree.LoopDetector(vocabulary, **options).options == options
    with pytest.raises(TypeError, match="unknown option 'treshold'; there are topology, "):
        looptree.LoopDetector(vocabulary, treshold=0.1)
    with pytest.raises(TypeError, match="did you mean threshold\\?$"):
        looptree.LoopDetector(vocabulary, treshold=0.1)
    with pytest.raises(TypeError, match="min_inliers"):
        looptree.LoopDetector(vocabulary, min_inliers="many")
    with pytest.raises(looptree.InvalidArgumentError, match="'absolute' or 'relative'"):
        looptree.LoopDetector(vocabulary, threshold_kind="x")
    with pytest.raises(looptree.InvalidArgumentError):
        looptree.LoopDetector(vocabulary, keyframes="sometimes")
    with pytest.raises(looptree.InvalidArgumentError, match="expected an extractor"):
        looptree.LoopDetector(vocabulary, looptree.FeatureExtractor("sift"))


def test_keyframes(features, vocabulary, sequence):
    detector = looptree.LoopDetector(vocabulary, keyframes="every:3")
    decisions = [detector.process(each).decision for each in features[:7]]
    assert decisions.count("not a keyframe") == 4 and len(detector) == 3
    moving = looptree.LoopDetector(vocabulary, keyframes="motion:2,15")
    for each, pose in zip(features[:20], sequence.poses):
        moving.process(each, pose)
    assert 1 < len(moving) < 20
    with pytest.raises(looptree.InvalidArgumentError):
        moving.process(features[20])


def test_a_detector_shared_by_threads_is_safe(features, vocabulary):
    detector = looptree.LoopDetector(vocabulary)

    def work():
        for each in features[:20]:
            detector.process(each)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(detector) == 60
    assert detector.features(5).points.shape[1] == 2 and len(detector.histogram(5)) > 0
    with pytest.raises(looptree.NotFoundError):
        detector.features(60)


def test_the_vocabulary_in_the_box_serves_from_the_first_frame_on(sequence):
    assert "orb" in looptree.box_vocabularies()
    detectors = [looptree.LoopDetector(exclude_recent=75, calibration=sequence.calibration),
                 looptree.LoopDetector("orb", exclude_recent=75, calibration=sequence.calibration)]
    box = looptree.box_vocabulary("orb")
    assert len(box) == 10000 and detectors[0].vocabulary == box
    found = [[detector.process(sequence.image(i)).match for i in range(0, 300, 3)]
             for detector in detectors]
    assert found[0] == found[1]
    with pytest.raises(looptree.NotFoundError, match="found sift"):
        looptree.LoopDetector("sift")
