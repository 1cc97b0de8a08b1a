"""Explorers: arrays computed once in Python, moved and drawn in the browser.

Each is an anywidget of one class and one ES module, which tools/bundle.js makes of its own
and the shared ones. Shown in a notebook it gives two outputs: a static picture with alt
text, which every viewer can show, and the live view, which hides the picture where it runs.
"""

from .attention import AttentionExplorer
from .base import CSS as CSS
from .base import Explorer
from .bigram import BigramExplorer
from .block import BlockExplorer
from .few_labels import FewLabelsExplorer
from .formats import FormatsExplorer
from .heads import HeadsExplorer
from .heads import head_measures as head_measures
from .heads_over_training import HeadsOverTrainingExplorer
from .journey import JourneyExplorer
from .learning import LearningExplorer
from .mask import MASKS as MASKS
from .mask import MaskExplorer
from .mask import masked_steps as masked_steps
from .masked import MaskedExplorer
from .merge import MergeExplorer
from .merge import merge_race as merge_race
from .model_map import ModelMapExplorer
from .parameters import ParameterExplorer
from .parameters import parameter_parts as parameter_parts
from .position import PositionExplorer
from .query import QueryExplorer
from .query import query_steps as query_steps
from .sampling import SamplingExplorer
from .scaling import ScalingExplorer
from .sweep import SweepExplorer
from .tokens import TokenExplorer
from .tokens import merge_steps as merge_steps
from .training import TrainingExplorer
from .two_texts import TwoTextsExplorer
from .tying import TyingExplorer
from .writing import WritingExplorer

__all__ = [
    "AttentionExplorer",
    "BigramExplorer",
    "BlockExplorer",
    "Explorer",
    "FewLabelsExplorer",
    "FormatsExplorer",
    "HeadsExplorer",
    "HeadsOverTrainingExplorer",
    "JourneyExplorer",
    "LearningExplorer",
    "MaskExplorer",
    "MaskedExplorer",
    "MergeExplorer",
    "ModelMapExplorer",
    "ParameterExplorer",
    "PositionExplorer",
    "QueryExplorer",
    "SamplingExplorer",
    "ScalingExplorer",
    "SweepExplorer",
    "TokenExplorer",
    "TrainingExplorer",
    "TwoTextsExplorer",
    "TyingExplorer",
    "WritingExplorer",
]
