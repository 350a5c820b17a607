import type { CatalogueEntry } from './entry.ts';
import { GATEWAY_ERRORS } from './gateway.ts';
import { SUPPLY_ERRORS } from './supply.ts';

/** Codes of the deploy agent, its network, its images, and the guest's first boot. */
export const AGENT_ERRORS = {
  ...GATEWAY_ERRORS,
  ...SUPPLY_ERRORS,
  AGENT_SILENT: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 504,
    meaning:
      'The node was booted from the deploy media, twice, and its agent did not call back in time after either boot.',
    correction:
      'Look at the console: did the firmware boot the media, did the agent get an address, can it reach the gateway?',
  },
  AGENT_LOST: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 504,
    meaning:
      'The deploy agent was at work and has not answered since, for as long as it may take to call at all: the machine may have restarted.',
    correction:
      'Look at the console and at the power events of the BMC; then resume: the agent is booted anew, and the step begins again.',
  },
  POWER_LOST: {
    faultDomain: 'hardware',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The machine went off while the deploy agent worked, and nobody here asked for it. What it wrote or erased is half done.',
    correction:
      'Look at the power supplies and at the power events of the BMC; then resume: the agent is booted anew, and the step begins again.',
  },
  AGENT_UNREACHABLE: {
    faultDomain: 'provisioning-network',
    retryable: true,
    httpStatus: 502,
    meaning: 'The deploy agent called back, and its own API does not accept connections or answer in time.',
    correction:
      'Check the route and the firewalls from the worker to the provisioning network, port of the callback URL.',
  },
  AGENT_UNTRUSTED: {
    faultDomain: 'provisioning-network',
    retryable: false,
    httpStatus: 502,
    meaning:
      'What answers at the callback URL does not have the certificate that the agent sent. Nothing was sent to it.',
    correction: 'Find out what answers at that address; look for a second host with the same address.',
  },
  AGENT_ANSWER_INVALID: {
    faultDomain: 'deploy-agent',
    retryable: true,
    httpStatus: 502,
    meaning: 'The answer of the deploy agent is not what its API promises: no JSON, too large, or cut off.',
    correction: 'Check that the deploy media carries a supported version of ironic-python-agent.',
  },
  AGENT_BUSY: {
    faultDomain: 'deploy-agent',
    retryable: true,
    httpStatus: 409,
    meaning: 'The deploy agent works on another command.',
    correction: 'Wait until the command that the message names has ended.',
  },
  AGENT_REFUSED_TOKEN: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 502,
    meaning: 'The deploy agent does not take the token that it was given: it is an agent of another boot.',
    correction: 'Resume from `boot-agent`, which boots an agent of this operation.',
  },
  AGENT_REFUSED: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 502,
    meaning: 'The deploy agent does not know the command, or refuses its parameters.',
    correction: 'Check that the deploy media carries a supported version of ironic-python-agent.',
  },
  AGENT_COMMAND_FAILED: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 502,
    meaning: 'A command of the deploy agent failed.',
    correction: 'Read what the agent says in the message; resume from `boot-agent` for a fresh agent.',
  },
  AGENT_COMMAND_RUNNING: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 504,
    meaning: 'A command of the deploy agent did not end within the bound of its step.',
    correction:
      'Look at the load of the node and of the image source; give the step more time in `timeouts` of the contract.',
  },
  AGENT_PORTS_UNKNOWN: {
    faultDomain: 'contract',
    retryable: true,
    httpStatus: 503,
    meaning:
      'The deploy agent names no MAC address, or none that the contract knows: its ports may not be up yet. It asks again.',
    correction:
      'If it goes on: compare `ports` of the node with the MACs that the agent names, and look at the drivers of its NICs.',
  },
  AGENT_WRONG_NODE: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 404,
    meaning: "The deploy agent has none of the MAC addresses that the contract gives the node's ports.",
    correction:
      'Correct `ports` in the contract, or `bmc.address`: the media may have been booted by another server.',
  },
  IMAGE_CHECKSUM_MISMATCH: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The image does not have the checksum of the contract. The disk may hold it, and must not be booted.',
    correction:
      'Restore the image at its source, then resume from `boot-agent`. If `checksum` is wrong, correct it, abort, and ask again.',
  },
  IMAGE_DOWNLOAD_FAILED: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 502,
    meaning: 'The deploy agent could not fetch the image through the gateway.',
    correction: 'Check the source of the image, and that the provisioning network reaches the gateway.',
  },
  IMAGE_SOURCE_UNREACHABLE: {
    faultDomain: 'image-supply',
    retryable: true,
    httpStatus: 502,
    meaning: 'The source of the image cannot be read, or does not have the image.',
    correction: 'Check `url` of the image in the contract, from the host that the message is about.',
  },
  IMAGE_UNSUITABLE: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 422,
    meaning: 'The image does not fit the node, or is not what the contract says of it.',
    correction:
      'Use an image for the architecture and boot mode of the node; correct its entry in the contract.',
  },
  IMAGE_WRITE_FAILED: {
    faultDomain: 'hardware',
    retryable: false,
    httpStatus: 502,
    meaning: 'The image could not be written to the root device.',
    correction: 'Read what the agent says of the device; replace the disk if it reports errors.',
  },
  IMAGE_UNVERIFIED: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 502,
    meaning: 'What stands on the root device could not be shown to be the image. It must not be booted.',
    correction: 'Resume from `boot-agent`: the image is written anew.',
  },
  IMAGE_NOT_BOOTABLE: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 422,
    meaning:
      'The image has no EFI system partition, or no boot loader on it: the firmware would find nothing to start. It was not started.',
    correction:
      'Give the image an EFI system partition (GPT type `EF00`) with a boot loader (how-to “Prepare an image”), and ask again with it. If the node boots by BIOS, say so in the contract: `bootMode: bios`.',
  },
  ROOT_DEVICE_NOT_FOUND: {
    faultDomain: 'hardware',
    retryable: false,
    httpStatus: 422,
    meaning: 'No disk of the node matches all `rootDevice` hints of the contract.',
    correction: 'Correct `rootDevice` after the list of disks in the message, or look for the missing disk.',
  },
  ROOT_DEVICE_TOO_SMALL: {
    faultDomain: 'hardware',
    retryable: false,
    httpStatus: 409,
    meaning: 'The image does not fit on the root device. Nothing was written.',
    correction: 'Put in the disk that the contract means, correct `rootDevice`, or deploy a smaller image.',
  },
  ROOT_DEVICE_AMBIGUOUS: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'More than one disk of the node could be the root device.',
    correction:
      'Add hints to `rootDevice`, such as `serial`, until one disk of the list in the message is left.',
  },
  ERASE_FAILED: {
    faultDomain: 'hardware',
    retryable: false,
    httpStatus: 502,
    meaning: 'A disk could not be erased, or not be shown to be erased.',
    correction:
      'The message names each disk and what is wrong with it. Resume to erase again; if a disk stays as it is, replace or destroy it. The node stays out of use until then.',
  },
  ERASE_PROOF_UNAVAILABLE: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The contract wants every erased disk to be read back (`erase.proof: required`), and the deploy agent cannot: its ramdisk has no rackwright hardware manager. Nothing was erased.',
    correction:
      'Boot a ramdisk that has the hardware manager (`agent/`), or set `erase.proof: reported` to take the word of the agent; then resume.',
  },
  HARDWARE_MISMATCH: {
    faultDomain: 'hardware',
    retryable: false,
    httpStatus: 409,
    meaning: 'The node does not have what its machine type in the contract expects.',
    correction:
      'Repair what is missing, then resume. If the contract is wrong, correct the machine type, abort, and ask again.',
  },
  CABLING_MISMATCH: {
    faultDomain: 'provisioning-network',
    retryable: false,
    httpStatus: 409,
    meaning:
      'LLDP shows a network port of the node on another switch, or another switch port, than the contract.',
    correction:
      'Put the cable where the contract says, then resume. If the contract is wrong: abort, correct `switch` and `switchPort` of the port, and ask again.',
  },
  LINK_DOWN: {
    faultDomain: 'provisioning-network',
    retryable: false,
    httpStatus: 409,
    meaning: 'A network port that the contract describes has no link.',
    correction:
      'Look at cable, transceiver and the switch port that the message names: is it enabled, at the same speed? Then resume.',
  },
  MEDIA_NOT_CONFIGURED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'The contract lacks what a deploy agent needs: its base ISO, the gateway, or its network.',
    correction: 'Add what the message names to the inventory.',
  },
  MEDIA_BASE_INVALID: {
    faultDomain: 'media-publisher',
    retryable: false,
    httpStatus: 500,
    meaning: 'The base ISO cannot be read, or lacks the reserved area that node parameters go into.',
    correction:
      'Build it with `rackwright media build`, or put a `/parameters.txt` of 4096 bytes into it that begins with the marker line.',
  },
  CONFIG_DRIVE_TOO_LARGE: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'The config drive of the guest is larger than the deploy agent writes. Nothing was touched.',
    correction: 'Make the user data smaller: let it fetch what is large.',
  },
  CONSOLE_UNREADABLE: {
    faultDomain: 'console',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The log of the serial console that the contract names could not be read. It is told beside the failure that it should have explained.',
    correction:
      'Check `console` of the node: a file has to be readable on every worker of the site; a URL, from there.',
  },
  FIRST_BOOT_SILENT: {
    faultDomain: 'first-boot',
    retryable: false,
    httpStatus: 504,
    meaning:
      'The image was written and the node was started from its disk, and its guest did not call back in time.',
    correction:
      'Look at the console, whose end the message quotes where the contract names it: did the guest boot, did it get its network, can it reach the gateway?',
  },
  HAND_OVER_INCOMPLETE: {
    faultDomain: 'first-boot',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The guest runs, and does not have what the contract promises: accelerators, disks, mounts, its network, or the right time; or it is not reached where its machine type wants it to be.',
    correction:
      'Where it is not reached: look at its service where it refuses, else at routes and firewalls between it and where it was tried from, which the message names. Otherwise look at drivers, network and time configuration in the image; compare with the hardware inventory. Once it is mended, resume from `boot-agent`, which writes the image again.',
  },
  ISO_INVALID: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 422,
    meaning:
      'An ISO 9660 volume could not be written or read: a damaged file, or a name that it cannot carry.',
    correction: 'Fetch or build the ISO again; check its digest; shorten the name that the message quotes.',
  },
} as const satisfies Record<string, CatalogueEntry>;
