"""Says how it was started, as the fake program does."""
import os
import sys


def main():
    print(*sys.argv[1:], "bin_dir=" + os.environ["PATRONI_POSTGRESQL_BIN_DIR"])
