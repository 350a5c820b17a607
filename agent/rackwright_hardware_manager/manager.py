"""The hardware manager: which way a device is erased, and what is returned of it.

Read against ironic-python-agent 9.14, 10.2, 11.1 and 13.0. Of the agent's generic manager it uses four methods
that are not public and have not changed in these: _is_virtual_media_device, _is_linux_raid_member,
_is_read_only_device and _ata_erase with _get_ata_security_lines. Everything else of the agent stays as it is: the
list of disks, the skip list, the protection of shared file systems and the order are the generic manager's, whose
clean step erase_devices asks this one for each device.

It never raises IncompatibleHardwareMethodError for a device: the agent would go on with the generic manager, which
erases without a proof.
"""

import datetime
import glob
import json
import os.path

from ironic_python_agent import errors
from ironic_python_agent import hardware
from ironic_python_agent import utils
from oslo_concurrency import processutils
from oslo_log import log

from rackwright_hardware_manager import readback

LOG = log.getLogger(__name__)

NVME_FORMAT = 0b10  # OACS, bit 1
NVME_CRYPTO = 0b100  # FNA, bit 2
REASON = 300
SYS_BLOCK = "/sys/block"

# By which rule of readback.py a device is judged after each method. A format may leave ones; a drive whose key is
# gone reads as noise, and an enhanced secure erase writes what its maker chose.
RULE = {
    "nvme-crypto-erase": "changed",
    "nvme-format": "empty",
    "ata-secure-erase": "zero",
    "ata-enhanced-secure-erase": "changed",
}


class Refused(Exception):
    """The device said no to a method, or has none of its own (`missing`: overwriting is then no fall-back)."""

    def __init__(self, reason, missing=False):
        super().__init__(reason)
        self.missing = missing


# What running a program, reading its answer, and reading a device can end with.
TROUBLE = (Refused, errors.BlockDeviceEraseError, processutils.ProcessExecutionError, OSError, ValueError)


def _now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _why(error):
    """An error in one line, with what the program itself said."""
    said = getattr(error, "stderr", None) or getattr(error, "stdout", None) or getattr(error, "details", None)
    return " ".join(str(said or error).split())[:REASON] or type(error).__name__


def _first(value):
    return value[0] if isinstance(value, (list, tuple)) and value else value


def _shown(device):
    return "%s (serial %s)" % (device.name, _first(device.serial) or "unknown")


def _in_array(device):
    """Whether a software RAID that is assembled has the disk, or a partition of it."""
    block = os.path.join(SYS_BLOCK, os.path.basename(device.name))
    holders = glob.glob(os.path.join(block, "holders", "md*")) + glob.glob(os.path.join(block, "*", "holders", "md*"))
    return len(holders) > 0


def _keeps_arrays(node):
    """Whether software RAID of the node is to stay, which Ironic says by the names of its volumes."""
    return any("volume_name" in hint for hint in (node.get("properties") or {}).get("skip_block_devices") or [])


def _failure(device, what, failed=()):
    tried = "".join("; %(method)s: %(reason)s" % each for each in failed)
    return errors.BlockDeviceEraseError("%s could not be erased: %s%s" % (_shown(device), what, tried))


class RackwrightHardwareManager(hardware.HardwareManager):
    HARDWARE_MANAGER_NAME = "rackwright_hardware_manager"
    HARDWARE_MANAGER_VERSION = "1"

    def __init__(self):
        # Only for its ways to look at a device; the agent has, and initializes, one of its own.
        self._generic = hardware.GenericHardwareManager()

    def evaluate_hardware_support(self):
        return hardware.HardwareSupport.SERVICE_PROVIDER

    def erase_block_device(self, node, block_device):
        """Erases a device by the way of its kind, reads it back, and returns the proof."""
        info = node.get("driver_internal_info") or {}
        proof = {
            "serial": _first(block_device.serial) or None,
            "wwn": _first(block_device.wwn) or None,
            "model": block_device.model or None,
            "sizeBytes": block_device.size,
        }
        skipped = self._why_skipped(node, info, block_device)
        if skipped is not None:
            LOG.info("Not erasing %s: %s", _shown(block_device), skipped)
            return dict(proof, skipped=skipped)
        try:
            proof.update(self._erased(info, block_device))
        except OSError as error:
            raise _failure(block_device, "it cannot be opened: " + _why(error))
        LOG.info("Erased %s by %s: %s", _shown(block_device), proof["method"], self._found(proof))
        # A conductor that says so reads the proofs of all devices and judges them; any other is told by a failure.
        if not proof["verified"] and not info.get("rackwright_judges_erase_proof"):
            raise _failure(block_device, "%s went through; %s" % (proof["method"], self._found(proof)))
        return proof

    def _why_skipped(self, node, info, device):
        # The generic manager knows it by a label alone, which an owner may put on any disk.
        if getattr(device, "tran", None) in (None, "usb") and self._generic._is_virtual_media_device(device):
            return "virtual-media"
        # A member that no array has is a disk like any other: whoever took it out of its array left data on it.
        if self._generic._is_linux_raid_member(device) and (_in_array(device) or _keeps_arrays(node)):
            return "raid-member"
        if self._generic._is_read_only_device(device):
            if info.get("agent_erase_skip_read_only", False):
                return "read-only"
            raise _failure(device, "it is read-only")
        return None

    def _erased(self, info, device):
        """Tries the methods of the device one after the other; the last is overwriting."""
        started = _now()
        with readback.Medium(device.name) as medium:
            places = readback.choose_places(medium.size)
        before = readback.sample(device.name, places)
        failed, fallen_back = [], False
        for method, erase in self._native(info, device):
            try:
                erase()
                result = self._read(device, before, method, RULE[method])
            except TROUBLE as error:
                fallen_back = fallen_back or not getattr(error, "missing", False)
                failed.append({"method": method, "reason": _why(error)})
            else:
                if result["verified"]:
                    return dict(result, startedAt=started, failedMethods=failed)
                fallen_back = True
                failed.append({"method": method, "reason": self._found(result)})
            LOG.warning("%s of %s: %s", method, _shown(device), failed[-1]["reason"])
        if fallen_back and not info.get("agent_continue_if_secure_erase_failed", False):
            raise _failure(device, "overwriting it instead is not allowed", failed)
        try:
            rule = self._overwrite(info, device)
            result = self._read(device, before, "overwrite", rule)
        except TROUBLE as error:
            raise _failure(device, "overwrite: " + _why(error), failed)
        return dict(result, startedAt=started, failedMethods=failed)

    def _native(self, info, device):
        """The methods that a device has of its own, the best first, each with what does it."""
        kind = getattr(device, "tran", None)
        name = os.path.basename(device.name)
        if name.startswith("nvme") or kind == "nvme":
            return self._nvme(device) if info.get("agent_enable_nvme_secure_erase", True) else []
        if name.startswith("sd") or kind in ("ata", "sata"):
            return self._ata(device) if info.get("agent_enable_ata_secure_erase", True) else []
        return []

    def _nvme(self, device):
        def formats(setting):
            return lambda: utils.execute("nvme", "format", device.name, "-s", setting, "-f")

        try:
            controller = json.loads(utils.execute("nvme", "id-ctrl", device.name, "-o", "json")[0])
            can_format, can_crypto = controller["oacs"] & NVME_FORMAT, controller["fna"] & NVME_CRYPTO
        except TROUBLE + (KeyError, TypeError) as error:
            return [self._refused("nvme-format", "what the controller can do is unknown: " + _why(error))]
        if not can_format:
            return [self._refused("nvme-format", "the controller has no format command", missing=True)]
        user_data = [("nvme-format", formats(1))]
        return [("nvme-crypto-erase", formats(2))] + user_data if can_crypto else user_data

    def _ata(self, device):
        try:
            lines = self._generic._get_ata_security_lines(device)
        except TROUBLE as error:
            return [self._refused("ata-secure-erase", "no answer to ATA commands: " + _why(error), missing=True)]
        if "supported" not in lines:
            return [self._refused("ata-secure-erase", "the drive has no ATA security feature set", missing=True)]

        def erases():
            # It never touches a frozen drive, takes its password away again where the erase fails, and asks the
            # drive afterwards whether its security is off.
            if not self._generic._ata_erase(device):
                raise Refused("the drive takes no ATA commands directly", missing=True)

        plain = "not supported: enhanced erase" in lines
        return [("ata-secure-erase" if plain else "ata-enhanced-secure-erase", erases)]

    @staticmethod
    def _refused(method, reason, missing=False):
        def refuse():
            raise Refused(reason, missing)

        return method, refuse

    @staticmethod
    def _overwrite(info, device):
        """Overwrites the device, and returns the rule by which it is judged then."""
        zero = info.get("agent_erase_devices_zeroize", True)
        passes = str(info.get("agent_erase_devices_iterations", 1))
        utils.execute("shred", "--force", *(["--zero"] if zero else []), "--iterations", passes, device.name)
        return "zero" if zero else "changed"

    @staticmethod
    def _read(device, before, method, rule):
        finished = _now()
        readback.flush(device.name)
        result = readback.read_back(device.name, before, rule)
        return dict(result, method=method, finishedAt=finished, verifiedAt=_now())

    @staticmethod
    def _found(result):
        return "read back at %(sampledBlocks)d places, %(leftBlocks)d not erased, %(unreadableBlocks)d unreadable" % result
