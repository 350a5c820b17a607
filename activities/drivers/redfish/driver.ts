import type { Driver } from '../driver.ts';
import { compareBmc } from './accounts.ts';
import { whileAgentLives } from './agent-lost.ts';
import { awaitAgent, checkHardware, sync } from './agent-steps.ts';
import { cleanNvram, installBootloader } from './boot-loader.ts';
import { compareBoot } from './boot-variables.ts';
import { capture } from './capture.ts';
import { connect } from './connect.ts';
import { erase } from './erase.ts';
import { FACTS } from './facts.ts';
import { awaitFirstBoot, handOver } from './first-boot.ts';
import { compare, inspect } from './inspect.ts';
import { clearBoot, ejectMedia, insertMedia, setBoot } from './media-steps.ts';
import { attachNetwork, checkNetwork } from './network.ts';
import { bootAgent, bootDisk, powerOff, setPower, stop } from './power-steps.ts';
import { preflight } from './preflight.ts';
import { settle } from './settle.ts';
import { restart } from './bios-restart.ts';
import { checkBios, setBios } from './bios-settings.ts';
import { verifyBios } from './bios-verify.ts';
import { checkFirmware, updateFirmware } from './firmware.ts';
import { compareSurvey, restorePower, survey } from './survey.ts';
import { clearTpm, verifyTpm } from './tpm.ts';
import { RedfishWatcher } from './watcher.ts';
import { verifyImage, writeImage } from './write-image.ts';

/** Carries a node's life out through its BMC and the deploy agent. */
export const redfishDriver: Driver = {
  name: 'redfish',
  steps: {
    connect,
    inspect,
    compare,
    preflight,
    'attach-network': attachNetwork,
    stop,
    'compare-bmc': compareBmc,
    'clear-tpm': clearTpm,
    'verify-tpm': verifyTpm,
    'compare-boot': compareBoot,
    'insert-media': insertMedia,
    'set-boot': setBoot,
    'boot-agent': bootAgent,
    'await-agent': awaitAgent,
    'check-hardware': checkHardware,
    'check-network': checkNetwork,
    erase: whileAgentLives(erase),
    'write-image': whileAgentLives(writeImage),
    'verify-image': verifyImage,
    'install-bootloader': installBootloader,
    'clean-nvram': cleanNvram,
    sync,
    'power-off': powerOff,
    'eject-media': ejectMedia,
    'clear-boot': clearBoot,
    'boot-disk': bootDisk,
    'await-first-boot': awaitFirstBoot,
    'hand-over': handOver,
    'set-power': setPower,
    survey,
    'check-firmware': checkFirmware,
    'update-firmware': updateFirmware,
    'check-bios': checkBios,
    'set-bios': setBios,
    restart,
    'verify-bios': verifyBios,
    'compare-survey': compareSurvey,
    'restore-power': restorePower,
  },
  facts: FACTS,
  settle,
  capture,
  watcher: () => new RedfishWatcher(),
};
