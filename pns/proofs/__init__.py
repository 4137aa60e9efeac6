"""Proofs: checked entry by entry, made small, written as certificates, and browsed."""
