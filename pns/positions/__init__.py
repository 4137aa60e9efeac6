"""Positions as ints: interned lands, couples, and what orders, simplifies and exchanges them."""
