"""References as they are printed: found in a response, and read into fields with their places."""
