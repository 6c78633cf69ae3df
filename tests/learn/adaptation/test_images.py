"""Views of images for training and for evaluation."""

import numpy as np

from optional import need

torch = need("torch")
Image = need("PIL.Image")
from samelaw.learn.adaptation.datasets import EvaluationView, TrainingView, to_tensor  # noqa: E402


def test_views_have_the_size_asked_for_and_the_colours_of_imagenet():
    image = Image.new("RGB", (50, 90), (124, 116, 104))
    assert EvaluationView(64, 48)(image).shape == (3, 48, 48)
    assert EvaluationView(64, 48)(image).abs().max() < 0.02  # the mean colour of ImageNet
    torch.manual_seed(0)
    for _ in range(20):
        assert TrainingView(32)(image).shape == (3, 32, 32)


def test_evaluation_view_is_the_middle():
    pixels = np.zeros((30, 30, 3), dtype=np.uint8)
    pixels[10:20, 10:20] = 255
    image = Image.fromarray(pixels)
    inner = EvaluationView(30, 10)(image)
    torch.testing.assert_close(inner, to_tensor(Image.new("RGB", (10, 10), (255, 255, 255))))


def test_training_view_mirrors_and_moves():
    pixels = np.zeros((20, 40, 3), dtype=np.uint8)
    pixels[:, 20:] = 255
    torch.manual_seed(0)
    views = [TrainingView(8, smallest=0.9)(Image.fromarray(pixels)) for _ in range(12)]
    left = torch.stack([view[0, :, 0].mean() for view in views])
    assert (left > 1).any()
    assert (left < 0).any()
