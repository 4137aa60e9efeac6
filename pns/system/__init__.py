"""What asks the operating system: starts, memory, files, scratch directories, processes."""
