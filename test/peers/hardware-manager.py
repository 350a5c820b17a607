"""Runs the clean step erase_devices of a real agent with the manager installed, on disks that are told it as JSON."""

import json
import sys

from ironic_python_agent import config  # noqa: F401 - the options of the agent, which its other modules read
from ironic_python_agent import hardware

asked = json.loads(sys.argv[1])
disks = [
    hardware.BlockDevice(**{"model": "FAKE", "size": 0, "rotational": False, **disk}) for disk in asked["disks"]
]
generic = hardware.GenericHardwareManager
# Nothing of this machine is looked at, nor set up.
generic.initialize = lambda self: None
generic.list_block_devices = lambda self, **_: disks
generic._is_read_only_device = lambda self, device, partition=False: device.name in asked.get("readOnly", [])
if "sysBlock" in asked:
    from rackwright_hardware_manager import manager

    manager.SYS_BLOCK = asked["sysBlock"]
node = {"uuid": "n", "properties": asked.get("properties", {}), "driver_internal_info": asked["info"]}
answer = {"versions": hardware.get_current_versions()}
answer["steps"] = hardware.deduplicate_steps(hardware.dispatch_to_all_managers("get_clean_steps", node, []))
try:
    answer["result"] = hardware.dispatch_to_managers("erase_devices", node, [])
except Exception as error:
    answer["error"] = {"type": type(error).__name__, "details": getattr(error, "details", str(error))}
print(json.dumps(answer))
