from .against_control import control_tests as control_tests
from .annotated import read_annotated as read_annotated
from .control_result import ControlTests as ControlTests
from .recipe import GroupPlan as GroupPlan
from .single_cell import distance_test as distance_test
from .sketches import GroupSketches as GroupSketches
from .tables import sketch_groups as sketch_groups
