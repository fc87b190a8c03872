"""The five papers at their size, on models and people who act by a seeded rule."""
