"""The version installed; a module, because the lookup takes longer than `import samelaw`."""

from importlib.metadata import version

__version__ = version("samelaw")
