"""The version of the package, which checkpoints and certificates name."""

VERSION = "0.1.0"
