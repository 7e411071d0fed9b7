# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Pairs of views of one place, made from single photographs: another viewpoint, another light, other weather.

Everything runs in batches on the GPU. A pair comes with exact correspondences: the point of the first view
that every pixel of the second shows.
"""
import io
import math

import numpy as np
import torch
import torch.nn.functional as F

CANVAS = 640  # photographs lie in squares of this side, in their upper left corner


class Photographs:
    """All training images in the memory of the GPU, in two sizes so that far views are not sampled too coarsely."""

    def __init__(self, path, device):
        from PIL import Image

        packed = np.load(path)
        data, offsets = packed["bytes"], packed["offsets"]
        full = torch.zeros(len(offsets) - 1, 1, CANVAS, CANVAS, dtype=torch.uint8)
        sizes = []
        for i in range(len(offsets) - 1):
            image = np.array(Image.open(io.BytesIO(data[offsets[i]:offsets[i + 1]].tobytes())).convert("L"))
            height, width = image.shape
            full[i, 0, :height, :width] = torch.from_numpy(image)
            full[i, 0, height:, :width] = torch.from_numpy(image[-1:])
            full[i, 0, :, width:] = full[i, 0, :, width - 1:width]
            sizes.append((width, height))
        self.full = full.to(device)
        self.half = torch.cat([F.avg_pool2d(part.float(), 2).to(torch.uint8) for part in self.full.split(64)])
        self.sizes = torch.tensor(sizes, dtype=torch.float32, device=device)
        self.device = device

    def __len__(self):
        return len(self.full)

    def sample(self, index, points, coarse):
        """Grey levels at points [n, h, w, 2] in pixels of the photographs `index`."""
        grid = (points + 0.5) * (2 / CANVAS) - 1
        fine = F.grid_sample(self.full[index].float(), grid, mode="bilinear", align_corners=False, padding_mode="reflection")
        far = F.grid_sample(self.half[index].float(), grid, mode="bilinear", align_corners=False, padding_mode="reflection")
        return torch.where(coarse[:, None, None, None], far, fine)


def uniform(n, low, high, device):
    return torch.empty(n, device=device).uniform_(low, high)


def normal(n, deviation, device):
    return torch.randn(n, device=device) * deviation


def homographies(n, device, strength):
    """How a plane looks from elsewhere: turned, tilted, nearer or farther. In units of half the view."""
    turn = normal(n, 0.20 * strength, device)
    # One in six turns much further: cameras are held and mounted otherwise.
    turn = torch.where(uniform(n, 0, 1, device) < 1 / 6, uniform(n, -0.7, 0.7, device) * strength, turn)
    scale = torch.exp(normal(n, 0.27 * strength, device).clamp(-0.75, 0.75))
    stretch, shear = normal(n, 0.10 * strength, device), normal(n, 0.10 * strength, device)
    tilt_x, tilt_y = (normal(n, 0.12 * strength, device).clamp(-0.35, 0.35) for _ in range(2))
    move_x, move_y = (uniform(n, -0.25, 0.25, device) * strength for _ in range(2))
    zero, one = torch.zeros_like(turn), torch.ones_like(turn)
    matrix = lambda *rows: torch.stack([torch.stack(row, -1) for row in rows], -2)
    return (matrix((one, zero, move_x), (zero, one, move_y), (zero, zero, one))
            @ matrix((torch.cos(turn), -torch.sin(turn), zero), (torch.sin(turn), torch.cos(turn), zero), (zero, zero, one))
            @ matrix((scale * torch.exp(stretch), scale * shear, zero), (zero, scale * torch.exp(-stretch), zero), (zero, zero, one))
            @ matrix((one, zero, zero), (zero, one, zero), (tilt_x, tilt_y, one)))


def clouds(n, cells, size, device, mode="bicubic"):
    """Smooth noise of deviation about one."""
    return F.interpolate(torch.randn(n, 1, cells, cells, device=device), size=(size, size), mode=mode, align_corners=False)


def parallax(n, size, device):
    """Offsets [n, size, size, 2], in pixels, of what is nearer than the plane: smooth ones, and pieces that move as a whole."""
    smooth = torch.cat([clouds(n, 4, size, device), clouds(n, 4, size, device)], 1) * uniform(n, 0, 3.5, device)[:, None, None, None]
    piece = (clouds(n, 6, size, device) > 0.7).float()  # hard edges, as of a house before another
    shift = torch.stack([normal(n, 7, device), normal(n, 3, device)], -1)[:, :, None, None]
    has = (uniform(n, 0, 1, device) < 0.5).float()[:, None, None, None]
    return (smooth + piece * shift * has).permute(0, 2, 3, 1)


def plane(size, device):
    axis = torch.linspace(-1 + 1 / size, 1 - 1 / size, size, device=device)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    return torch.stack([x, y, torch.ones_like(x)], -1)


class Pairs:
    """Draws pairs. `first` and `second` are clean views [n, 1, s, s]; `to_first` says for every pixel of the second
    where in the first it lies, [n, s, s, 2]."""

    def __init__(self, photographs, size):
        self.photographs, self.size = photographs, size
        self.plane = plane(size, photographs.device)

    def draw(self, n, hardness=1.0):
        device, size = self.photographs.device, self.size
        index = torch.randint(len(self.photographs), (n,), device=device)
        sizes = self.photographs.sizes[index]
        # Pixels of the photograph per pixel of the view: at most what the photograph holds.
        most = (sizes.amin(1) / size).clamp(max=2.0)
        zoom = torch.exp(torch.lerp(torch.full_like(most, math.log(0.55)), torch.log(most.clamp(min=0.6)), uniform(n, 0, 1, device)))
        half = zoom * size / 2
        centre = half[:, None] + torch.rand(n, 2, device=device) * (sizes - 2 * half[:, None]).clamp(min=0)
        place = lambda unit: centre[:, None, None] + unit * half[:, None, None, None]
        coarse = zoom > 1.4
        mirror = torch.where(uniform(n, 0, 1, device) < 0.5, -1.0, 1.0)[:, None, None]
        flip = lambda unit: torch.stack([unit[..., 0] * mirror, unit[..., 1]], -1)
        first_unit = self.plane[None, :, :, :2].expand(n, -1, -1, -1)
        first = self.photographs.sample(index, place(flip(first_unit)), coarse)
        # A camera that comes back is often nearly where it was.
        strength = hardness * uniform(n, 0.15, 1.15, device)
        warp = homographies(n, device, strength)
        moved = (self.plane.view(1, -1, 3) @ warp.transpose(1, 2)).view(n, size, size, 3)
        second_unit = moved[..., :2] / moved[..., 2:].clamp(min=0.2) + parallax(n, size, device) * strength[:, None, None, None] * (2 / size)
        second = self.photographs.sample(index, place(flip(second_unit)), coarse)
        to_first = (second_unit + 1) * (size / 2) - 0.5
        return first, second, to_first


def blur(x, deviation):
    """Gaussian of one deviation per image."""
    reach = torch.arange(-6, 7, device=x.device, dtype=torch.float32)
    kernel = torch.exp(-0.5 * (reach[None] / deviation[:, None].clamp(min=0.05)) ** 2)
    kernel = kernel / kernel.sum(1, keepdim=True)
    n = len(x)
    x = x.transpose(0, 1)
    x = F.conv2d(F.pad(x, (6, 6, 0, 0), mode="reflect"), kernel[:, None, None], groups=n)
    x = F.conv2d(F.pad(x, (0, 0, 6, 6), mode="reflect"), kernel[:, None, :, None], groups=n)
    return x.transpose(0, 1)


def chance(n, probability, device):
    return (torch.rand(n, device=device) < probability).float()[:, None, None, None]


def column(values):
    return values[:, None, None, None]


def relight(clean, occluders, hardness=1.0):
    """Another hour and another weather: grey levels [n, 1, s, s] to whole grey levels. The lower `hardness`, in
    (0, 1], the more of the clean view shines through, of some more than of others.

    `occluders` are other clean views, parts of which stand in the way: parked cars come and go.
    """
    n, _, size, _ = clean.shape
    device = clean.device
    r = lambda low, high: column(uniform(n, low, high, device))
    x = clean / 255
    patch = (clouds(n, 5, size, device) > 1.3).float() * chance(n, 0.35, device)
    x = torch.lerp(x, occluders / 255, patch)
    x = x.clamp(1e-3, 1) ** torch.exp(r(-0.8, 0.8))  # the camera's curve
    x = x * torch.exp(clouds(n, 5, size, device) * r(0, 0.55))  # slow shading
    shade = torch.sigmoid((clouds(n, 9, size, device) - r(-0.5, 1)) * r(5, 60))  # hard shadows, and dappled ones of trees
    leaves = torch.sigmoid((clouds(n, 40, size, device) - r(-0.5, 1)) * r(4, 20))
    x = x * (1 - torch.where(chance(n, 0.3, device) > 0, leaves, shade) * r(0, 0.8))
    x = torch.where(chance(n, 0.15, device) > 0, night(x, n, size, device), x)
    haze = r(0, 1) ** 3 * chance(n, 0.3, device)
    x = torch.lerp(x, r(0.5, 0.9).expand_as(x), haze * torch.linspace(1, 0.3, size, device=device)[None, None, :, None])
    x = (x - 0.5) * r(0.4, 1.5) + 0.5 + r(-0.22, 0.22)
    x = torch.where(chance(n, 0.05, device) > 0, 1 - x, x)
    x = blur(x, uniform(n, 0, 1, device) ** 2 * 2.2)
    x = torch.where(chance(n, 0.12, device) > 0, smear(x), x)
    x = torch.where(chance(n, 0.08, device) > 0, rain(x, n, size, device), x)
    x = x + torch.randn_like(x) * r(0, 1) ** 2 * 0.07
    amount = (1.3 * torch.maximum(r(0, 1), r(0, 1))).clamp(max=1)
    x = torch.lerp(clean / 255, x, amount * hardness)
    return (x.clamp(0, 1) * 255).round()


def night(x, n, size, device):
    """Dark, lit by lamps, whose light falls off and whose bulbs glare."""
    y, z = torch.meshgrid(*[torch.linspace(0, 1, size, device=device)] * 2, indexing="ij")
    light, glare = torch.zeros_like(x), torch.zeros_like(x)
    for _ in range(3):
        dx, dy = z[None, None] - column(uniform(n, 0, 1, device)), y[None, None] - column(uniform(n, 0, 1, device))
        far = dx * dx + dy * dy
        light = light + column(uniform(n, 0, 1.2, device)) / (1 + far * column(uniform(n, 10, 60, device)))
        glare = glare + column(uniform(n, 0, 1, device)) * torch.exp(-far * column(uniform(n, 300, 4000, device)))
    return x * (column(uniform(n, 0.05, 0.3, device)) + light * column(uniform(n, 0.3, 1, device))) + glare


def smear(x):
    """Motion along the rows."""
    return (F.avg_pool2d(F.pad(x, (2, 2, 0, 0), mode="reflect"), (1, 5), 1) + x) / 2


def rain(x, n, size, device):
    """Bright streaks, and drops on the glass that blur what is behind them."""
    streaks = F.avg_pool2d(F.pad((torch.rand(n, 1, size, size, device=device) > 0.997).float(), (0, 0, 8, 8)), (17, 1), 1)
    drops = (clouds(n, 24, size, device) > 1.6).float()
    soft = F.avg_pool2d(F.pad(x, (4, 4, 4, 4), mode="reflect"), 9, 1)
    return torch.lerp(x, soft, drops) + streaks * column(uniform(n, 0.3, 2.5, device))
