"""The commands of ``medreview generate``, one file each."""
