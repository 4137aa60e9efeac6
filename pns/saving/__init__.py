"""Checkpoints of trees and of transposition tables."""
