"""`python -m leadline` is `leadline`: from here on Ctrl-C ends it without a traceback."""

import sys


def main() -> int:
    """Run the command line.

    Returns:
        The exit code, as `leadline.symbolic.cli.main` has it.
    """
    try:
        # Here, since loading it takes long enough for somebody to change their mind.
        from leadline.symbolic.cli import main as run

        return run()
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
