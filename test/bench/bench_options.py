"""Values of options that the scripts share: for argparse's `type`, which says what is wrong with one and ends the script."""
import argparse
import os
import shutil


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected a whole number, at least 1")
    return int(text)


def interpreter(text):
    if not shutil.which(text):
        raise argparse.ArgumentTypeError(f"'{text}': there is no such program")
    return text


def output(text):
    """A file that can be written, as far as that can be known before the measuring, which takes long."""
    folder = os.path.dirname(os.path.abspath(text))
    if not os.path.isdir(folder):
        raise argparse.ArgumentTypeError(f"'{text}': there is no folder {folder}")
    if os.path.isdir(text) or not os.access(text if os.path.exists(text) else folder, os.W_OK):
        raise argparse.ArgumentTypeError(f"'{text}': cannot be written")
    return text


def check_devices(towers, devices):
    if devices > towers:
        raise SystemExit(f"error: --devices {devices}: there can't be more devices than towers, --towers {towers}")
