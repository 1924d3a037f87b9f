"""Builds the wheel of this library with the standard library alone (PEP 517)."""

import base64
import hashlib
import os
import zipfile

NAME, VERSION = "postern_client", "0.1.0"
METADATA = f"""Metadata-Version: 2.1
Name: postern-client
Version: {VERSION}
Summary: Sends email with Postern, and verifies its webhooks.
License: Apache-2.0
Requires-Python: >=3.9
"""
WHEEL = """Wheel-Version: 1.0
Generator: postern
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"{NAME}-{VERSION}.dist-info"
    files = {f"{info}/METADATA": METADATA.encode(), f"{info}/WHEEL": WHEEL.encode()}
    for path in ["LICENSE", *(f"postern/{name}" for name in os.listdir("postern") if not name.startswith("__pycache__"))]:
        with open(path, "rb") as file:
            files[path if path.startswith("postern/") else f"{info}/{path}"] = file.read()
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return wheel


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
