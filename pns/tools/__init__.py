"""Tools around games: the laws of the contract, test files of MCGS, estimates of trees."""
