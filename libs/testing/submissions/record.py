"""Records what mail programs submit: python3 record.py NAME COMMAND…, with the port as the last argument of the command.

Writes messages/NAME-<n>.eml, the bytes of DATA without dot-stuffing. Needs aiosmtpd.
"""
import subprocess
import sys
from pathlib import Path

from aiosmtpd.controller import Controller

FOLDER = Path(__file__).parent / 'messages'


class Recorder:
    def __init__(self, name):
        self.name, self.count = name, 0

    async def handle_DATA(self, _server, _session, envelope):
        self.count += 1
        (FOLDER / f'{self.name}-{self.count}.eml').write_bytes(envelope.original_content)
        return '250 2.0.0 recorded'


name, *command = sys.argv[1:]
recorder = Recorder(name)
controller = Controller(recorder, hostname='127.0.0.1', port=8825, enable_SMTPUTF8=True)
controller.start()
try:
    subprocess.run([*command, '8825'], check=True, timeout=120)
finally:
    controller.stop()
print(f'{name}: {recorder.count}')
