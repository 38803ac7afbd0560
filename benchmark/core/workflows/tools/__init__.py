"""The tools of the workflows, one module a family; importing this package makes every tool known to `specification`."""

import importlib
import pkgutil

_COMMON = frozenset({"specification", "envelope", "toolbox", "types"})
for _found in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    if _found not in _COMMON:
        importlib.import_module(f"{__name__}.{_found}")
