"""The tables of the world, one module a family; importing this package makes every table known to `making`."""

import importlib
import pkgutil

for _found in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_found}")
