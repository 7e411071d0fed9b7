#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Writes a bag with ROS 1's own tools: write_bag.py FILE COMPRESSION FOLDER_OF_PNGS

Exits with 77 where those (Debian: python3-rosbag, python3-sensor-msgs) or OpenCV are not installed.
"""
import pathlib
import sys

try:
    import genpy
    import rosbag
    from sensor_msgs.msg import CameraInfo, CompressedImage, Image
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-rosbag python3-sensor-msgs)")
    sys.exit(77)


def read_pgm(path: pathlib.Path) -> tuple:
    magic, width, height, _, pixels = path.read_bytes().split(maxsplit=4)
    assert magic == b"P5"
    return int(width), int(height), pixels


def main() -> None:
    name, compression, folder = sys.argv[1:]
    with rosbag.Bag(name, "w", compression=compression, chunk_threshold=20000) as bag:
        for i, path in enumerate(sorted(pathlib.Path(folder).glob("*.pgm"))):
            stamp = genpy.Time(1403636579, 100000000 * i + 7)
            width, height, pixels = read_pgm(path)
            info = CameraInfo(width=width, height=height, distortion_model="plumb_bob",
                              D=[-0.1, 0.01, 0.001, 0.002, 0.0],
                              K=[200.0, 0, 32, 0, 201.0, 24, 0, 0, 1],
                              R=[1, 0, 0, 0, 1, 0, 0, 0, 1],
                              P=[190.0, 0, 32, 0, 0, 190.0, 24, 0, 0, 0, 1, 0])
            image = Image(width=width, height=height, encoding="mono8", step=width, data=pixels)
            small = CompressedImage(format="png", data=path.with_suffix(".png").read_bytes())
            for topic, message in (("/cam/camera_info", info), ("/cam/image_raw", image),
                                   ("/cam/image_raw/compressed", small)):
                message.header.stamp = stamp
                message.header.frame_id = "cam"
                bag.write(topic, message, t=stamp + genpy.Duration(0, 5000))


if __name__ == "__main__":
    main()
