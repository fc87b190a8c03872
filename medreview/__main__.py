"""``python -m medreview``."""

from medreview.cli.main import main

if __name__ == "__main__":
    main()
