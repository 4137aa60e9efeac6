"""Several processes of one machine that search together over shared memory."""
