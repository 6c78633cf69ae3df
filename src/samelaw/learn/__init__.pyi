# Written from the table in __init__.py: SAMELAW_WRITE=1 pytest tests/test_public_surface.py

from samelaw.adaptation.loss import JointAdaptationLoss as JointAdaptationLoss
from samelaw.learn import critics as critics
from samelaw.learn.deep_kernel import DeepKernel as DeepKernel
from samelaw.learn.deep_kernel import fit_kernel as fit_kernel
from samelaw.learn.generator_metric import GeneratorMetrics as GeneratorMetrics
from samelaw.learn.layer_kernels import AdaptiveGaussian as AdaptiveGaussian
from samelaw.learn.layers import image_network as image_network
from samelaw.learn.layers import tabular_network as tabular_network
from samelaw.learn.learner import Learner as Learner
from samelaw.learn.learner import cross_fit as cross_fit
from samelaw.learn.losses import RJSDLoss as RJSDLoss
from samelaw.learn.metrics import RepresentationEntropy as RepresentationEntropy
from samelaw.learn.metrics import RepresentationJSD as RepresentationJSD
from samelaw.learn.moving_covariance import MovingCovariance as MovingCovariance
from samelaw.learn.objectives import Criterion as Criterion
from samelaw.learn.objectives import DivergenceGain as DivergenceGain
from samelaw.learn.objectives import TestPower as TestPower
from samelaw.learn.representations import Bandwidth as Bandwidth
from samelaw.learn.representations import FourierLayer as FourierLayer
from samelaw.learn.representations import Frequencies as Frequencies
from samelaw.learn.representations import LearnedKernel as LearnedKernel
from samelaw.learn.representations import Network as Network
from samelaw.learn.representations import Recipe as Recipe
from samelaw.learn.training import Fit as Fit
from samelaw.learn.training import History as History
from samelaw.learn.variational import VariationalJSD as VariationalJSD
