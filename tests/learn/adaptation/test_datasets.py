"""Loaders of feature files and of the official image folders, on small folders made here."""

import numpy as np
import pytest

from optional import need

torch = need("torch")
Image = need("PIL.Image")

from samelaw.learn.adaptation.datasets import (  # noqa: E402
    OFFICE_31,
    OFFICE_HOME,
    FeatureDomain,
    image_folder,
    imagenet_r,
    imagenet_sketch,
    office_31,
    office_home,
    read_features,
)


def paint(path, colour=(200, 30, 60), size=(40, 30)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(path)


@pytest.fixture
def archives(tmp_path):
    """The four sets as their archives unpack, with two classes each."""
    for domain in OFFICE_31:
        for name in ("back_pack", "bike"):
            paint(tmp_path / "office31" / domain / "images" / name / "frame_0001.jpg")
            paint(tmp_path / "office31" / domain / "images" / name / "frame_0002.jpg")
    for domain in OFFICE_HOME:
        for name in ("Alarm_Clock", "Backpack"):
            paint(tmp_path / "OfficeHomeDataset_10072016" / domain / name / "00001.jpg")
    (tmp_path / "OfficeHomeDataset_10072016" / "ImageInfo.csv").write_text("a,b\n")
    for name in ("n01443537", "n01484850"):
        paint(tmp_path / "imagenet-r" / name / "art_0.jpg")
        paint(tmp_path / "imagenet-r" / name / "sketch_12.jpg")
        paint(tmp_path / "sketch" / name / "sketch_0.JPEG")
    (tmp_path / "imagenet-r" / "README.txt").write_text("words")
    for name in ("n01440764", "n01443537", "n01484850"):
        paint(tmp_path / "imagenet" / "train" / name / f"{name}_10026.JPEG")
    return tmp_path


def test_office_31(archives):
    domain = office_31(archives / "office31", "webcam")
    assert domain.classes == ("back_pack", "bike")
    assert [(f.name, label) for f, label in zip(domain.files, domain.labels, strict=True)] == [
        ("frame_0001.jpg", 0), ("frame_0002.jpg", 0), ("frame_0001.jpg", 1), ("frame_0002.jpg", 1),
    ]  # fmt: skip
    image, label = domain[3]
    assert image.shape == (3, 224, 224)
    assert label == 1


def test_office_31_without_the_level_of_images(archives, tmp_path):
    paint(tmp_path / "flat" / "amazon" / "bike" / "frame_0001.jpg")
    assert office_31(tmp_path / "flat", "amazon").classes == ("bike",)


def test_office_home_has_a_domain_with_a_blank(archives):
    domain = office_home(archives / "OfficeHomeDataset_10072016", "Real World")
    assert domain.classes == ("Alarm_Clock", "Backpack")
    assert len(domain) == 2


def test_imagenet_r_and_its_source_share_the_numbering(archives):
    target = imagenet_r(archives)
    source = image_folder(archives / "imagenet" / "train", classes=target.classes)
    assert target.classes == source.classes == ("n01443537", "n01484850")
    assert len(target) == 4
    assert [f.parent.name for f in source.files] == list(target.classes)


def test_imagenet_sketch_reads_capital_suffixes(archives):
    assert len(imagenet_sketch(archives)) == len(imagenet_sketch(archives / "sketch")) == 2


def test_unknown_domain_and_absent_folders_are_said(archives, tmp_path):
    with pytest.raises(ValueError, match="amazon, dslr, webcam"):
        office_31(archives / "office31", "Webcam")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        office_31(tmp_path / "nowhere", "webcam")
    with pytest.raises(ValueError, match="no folders of the classes"):
        image_folder(archives / "imagenet" / "train", classes=("n99999999",))
    (tmp_path / "empty" / "bike").mkdir(parents=True)
    with pytest.raises(ValueError, match="no images"):
        image_folder(tmp_path / "empty")


def test_a_file_that_is_no_image_is_named(tmp_path):
    (tmp_path / "bike").mkdir()
    (tmp_path / "bike" / "broken.jpg").write_text("words")
    with pytest.raises(ValueError, match=r"broken\.jpg is no image"):
        image_folder(tmp_path)[0]


def test_features_of_a_file(tmp_path):
    path = tmp_path / "features.npz"
    owner = np.array([0, 1, 1])
    np.savez(
        path, X=np.eye(3, dtype=np.float16), y=np.array([1, 0, 1], dtype=np.uint8), domain=owner,
        domains=["photo", "sketch"], classes=["dog", "cat"],
    )  # fmt: skip
    domains = read_features(path)
    assert len(domains["photo"]) == 1
    assert domains["sketch"].labels.tolist() == [0, 1]
    assert domains["sketch"].inputs.dtype == torch.float32
    assert domains["sketch"].classes == ("dog", "cat")


def test_features_without_what_is_needed_and_pickles_are_refused(tmp_path):
    path = tmp_path / "features.npz"
    np.savez(path, X=np.eye(2))
    with pytest.raises(ValueError, match="lacks domain, domains, y"):
        read_features(path)
    np.savez(path, X=np.array([object()], dtype=object), y=[0], domain=[0], domains=["a"])
    with pytest.raises(ValueError, match="pickle"):
        read_features(path)


def test_feature_domain_works_in_a_plain_loader_and_in_parts():
    domain = FeatureDomain(torch.arange(6.0).reshape(3, 2), torch.tensor([5, 6, 7]))
    part = domain.take([2, 0])
    assert part.inputs.tolist() == [[4.0, 5.0], [0.0, 1.0]]
    assert part.labels.tolist() == [7, 5]
    (batch,) = torch.utils.data.DataLoader(domain, batch_size=3)
    assert batch[0].shape == (3, 2)
    with pytest.raises(ValueError, match="3 rows of inputs, 2 labels"):
        FeatureDomain(torch.zeros(3, 2), torch.zeros(2, dtype=torch.int64))


def test_arrays_become_tensors_that_networks_take_and_labels_may_be_unknown():
    domain = FeatureDomain(np.ones((4, 2)), np.array([0, 1, 1, 0]))
    assert domain.inputs.dtype == torch.get_default_dtype()
    assert domain.labels.dtype == torch.int64
    assert FeatureDomain(torch.zeros(2, 3), None).labels.tolist() == [-1, -1]
    assert repr(domain) == "FeatureDomain(inputs (4, 2), 4 with a class)"
    with pytest.raises(TypeError, match="expected whole numbers of classes"):
        FeatureDomain(torch.zeros(2, 3), torch.rand(2))
