"""All scenes, in the order in which their modules declare them."""
import scenes_heads  # noqa: F401
import scenes_masks  # noqa: F401
import scenes_values  # noqa: F401
from registry import SCENES  # noqa: F401
