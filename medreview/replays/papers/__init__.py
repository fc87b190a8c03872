"""One module for each paper: the steps as the paper did them, how ours depart from these, and the table at the end."""
