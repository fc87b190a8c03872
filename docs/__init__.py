"""The documentation, a page a file; `medreview docs` shows it in the terminal."""
