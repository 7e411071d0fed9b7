# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The Debian packages that training images are taken from. All of them are in Debian's main section, so all
of them may be redistributed and changed; `licence` names what the package's copyright file says of the files chosen."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    package: str
    what: str
    licence: str
    include: tuple  # regular expressions, searched in the path inside the package
    exclude: tuple = ()
    crops: int = 4  # at most so many crops of an image, beside the whole
    most: int = 100  # at most so many images (crops included) of the package
    smallest: int = 320  # pixels of the short side
    detail: float = 0.22  # least share of the cells of an image that hold structure


# Maps of a texture that are not what an eye sees: normals, gloss, masks, light.
NOT_SEEN = (
    r"(?i)[_.-](n|nm|nrm|nor|norm|normal|normals|normalmap|bump|height|h|disp|s|sp|spec|specular|gloss|g|glow|mask|m|rgh|"
    r"roughness|metal|ao|blend|alpha|local|light|lightmap|splat|minimap|icon|z|envmap|decal)\d*\.[a-z]+$",
    r"(?i)normal|lightmap|screenshot|minimap|preview|thumb|icon|gui|font|logo|button|cursor|splash|helpimg|loading",
)

SOURCES = (
    Source("plasma-workspace-wallpapers", "photographs of landscapes, plants and night skies; paintings of landscapes",
           "GPL-2+",
           (r"wallpapers/.*/images(_dark)?/\d+x\d+\.(jpg|png)$",), (r"1080x1920|/720x1440|360x720|screenshot|1024x768|1280|1366|1440x900|1600|1680",),
           crops=8, most=150),
    Source("gnome-backgrounds", "photographs and drawings", "CC-BY-SA-3.0, CC-BY-SA-2.0, CC-BY-2.0", (r"backgrounds/gnome/.*\.(jpg|webp)$",), (r"(?i)(blobs|drool|pixels|symbolic|adwaita|vnc|truchet|keys|disco|pills|ring|libadwaita|dune|geometrics)",), crops=6, most=50),
    Source("mate-backgrounds", "photographs of landscapes, plants, stones", "GPL-2+, CC-BY-SA-4.0", (r"backgrounds/mate/(nature|abstract)/",), (r"(?i)arc-|gulp|spring|silk",),
           crops=7, most=110),
    Source("ukui-wallpapers", "photographs of landscapes", "CC-BY-SA-3.0", (r"backgrounds/.*\.(jpg|png)$",), (r"fluent|focal|rhythm|string|rollpaper",), crops=7, most=80),
    Source("lomiri-wallpapers-16.04", "photographs", "CC-BY-4.0, CC-BY-SA-3.0, CC-BY-SA-4.0, CC0-1.0", (r"backgrounds/",), crops=7, most=110),
    Source("lomiri-wallpapers-20.04", "photographs", "CC-BY-4.0, CC-BY-SA-3.0, CC-BY-SA-4.0, CC0-1.0", (r"backgrounds/",), crops=7, most=40),
    Source("lxqt-themes", "photographs", "LGPL-2.1+", (r"lxqt/wallpapers/",), (r"origami|logo|plasma|simple|triangles|waves|windows",), crops=6, most=80),
    Source("kphotoalbum", "photographs of towns, people, a harbour", "GPL-2+", (r"kphotoalbum/demo/.*\.(jpg|JPG)$",), crops=7, most=160),
    Source("scratch", "photographs of streets, rooms, sports grounds, nature", "CC-BY-SA-3.0",
           (r"Media/Backgrounds/(Outdoors|Indoors|Nature|Sports)/",), crops=0, most=80, smallest=300),
    Source("opencv-doc", "photographs used by examples: streets, buildings, rooms, objects, people", "Apache-2.0, BSD-3-Clause",
           (r"opencv-doc/examples/(data|fuzzy|ximgproc|stitching|cpp)/.*\.(jpg|png|jpeg)$",),
           (r"chess|left\d|right\d|sudoku|pic\d|licenseplate|calib|digits|letter|shape|detect_blob|gradient|H1to3|_mask|notes|opencv-logo|graf|bikes|propeller|handwritten|smarties|text_test|scenetext0[1-6]",),
           crops=2, most=110, smallest=280),
    Source("python3-skimage", "photographs and microscopy", "BSD-3-Clause", (r"skimage/data/.*\.(jpg|png|tif|tiff)$",),
           (r"phantom|brain|mask|page|text|horse|checker|logo|clock|multipage|cells|mitosis|test_|no_time|diff|hubble|lbpcascade|retina|microaneur",), crops=2, most=40),
    Source("libjxl-testdata", "photographs", "CC0, Apache-2.0, BSD-3-Clause", (r"(flower/flower|wesaturate/500px|wide-gamut-tests).*\.(jpg|png)$",),
           crops=4, most=30),
    Source("gnome-control-center-data", "photographs of objects", "GPL-2+", (r"pixmaps/faces/.*\.jpg$",), crops=0, most=20),
    Source("castle-game-engine-doc", "skies, levels and textures of examples", "CC0, CC-BY-3.0, CC-BY-SA-3.0, GPL-2+",
           (r"(?i)(skies|skybox|textures?)/.*\.(png|jpg)$",), NOT_SEEN + (r"achievements",), crops=2, detail=0.4, most=40),
    Source("cube2-data", "surfaces and skies of a game", "CC-BY-3.0, CC-BY-SA-3.0, CC-BY-SA-4.0, public domain, Philo", (r"packages/.*\.(jpg|png)$",),
           NOT_SEEN + (r"models/|particles|crosshair|brush|caustic|hud",), crops=0, detail=0.4, most=60),
    Source("supertuxkart-data", "surfaces, skies and house fronts of a game", "CC-BY-SA-3.0, CC-BY-SA-4.0, CC-BY-3.0, CC0, public domain",
           (r"data/(tracks|textures)/.*\.(jpg|png)$",), NOT_SEEN + (r"gfx|karts|flag",), crops=0, detail=0.4, most=150),
    Source("torcs-data", "landscapes and house fronts around race tracks", "GPL-2+, Free Art Licence", (r"tracks/.*\.(jpg|png|rgb)$", r"data/img/.*\.(jpg|png)$"),
           NOT_SEEN + (r"shadow|tex-wheel|car",), crops=2, detail=0.4, most=90, smallest=256),
    Source("redeclipse-data", "surfaces and skies of a game", "CC-BY-SA-3.0, CC-BY-3.0, CC0-1.0, Zlib",
           (r"data/(wicked|unnamed|torley|jojo|philipk|trak|elyvisions|skyboxes?|ik2k|misc|luckystrike|blarthack|freezurbern|nieb|vanities|john|fanatic|dziq|jwin|madcrow|appleflap)/.*\.(jpg|png)$",),
           NOT_SEEN + (r"desat",), crops=0, detail=0.4, most=130, smallest=500),
    Source("lugaru-data", "surfaces and skies of a game", "CC-BY-SA-3.0, CC-BY-SA-4.0, GPL-2+", (r"(?i)textures/.*\.(jpg|png)$",), NOT_SEEN + (r"map|cursor|hud|title",), crops=0, detail=0.4, most=30),
)
