"""The version of the package, recorded in checkpoints and certificates."""

VERSION = "0.1.0"
