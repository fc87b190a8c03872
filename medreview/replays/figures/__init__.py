"""What stands in the tables of replays: figures of a study as a paper defines them, one module for each matter."""
