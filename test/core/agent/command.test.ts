import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adopt,
  cleanedStep,
  commandCode,
  readCommand,
  readCommands,
  writtenImage,
  type AgentCommand,
} from '../../../core/agent/command.ts';

const command = (over: Partial<AgentCommand>): AgentCommand => ({
  id: 'c1',
  name: 'prepare_image',
  status: 'succeeded',
  error: null,
  result: null,
  ...over,
});
const never = (): boolean => false;
const always = (): boolean => true;

describe('what to adopt from the list of an agent', () => {
  it('is nothing when there is nothing, or only other commands', () => {
    expect(adopt([], 'prepare_image', always, true)).toBeUndefined();
    expect(adopt([command({ name: 'sync' })], 'prepare_image', always, true)).toBeUndefined();
  });

  it('is the running one, whatever else there is', () => {
    const list = [command({ id: 'old' }), command({ id: 'now', status: 'running' })];
    expect(adopt(list, 'prepare_image', always, true)?.id).toBe('now');
  });

  it('is a finished one only if it was this very work', () => {
    const list = [command({ id: 'a' }), command({ id: 'b' })];
    expect(adopt(list, 'prepare_image', ({ id }) => id === 'a', false)?.id).toBe('a');
    expect(adopt(list, 'prepare_image', never, true)).toBeUndefined();
  });

  it('is a failed one only for the run of the step that sent it', () => {
    const list = [command({ status: 'failed' })];
    expect(adopt(list, 'prepare_image', always, true)?.status).toBe('failed');
    expect(adopt(list, 'prepare_image', always, false)).toBeUndefined();
  });
});

it('reads commands, and cuts the tokens of our URLs out of what they say', () => {
  const read = readCommand({
    id: 'x',
    command_name: 'prepare_image',
    command_status: 'FAILED',
    command_error: {
      type: 'ImageDownloadError',
      message: 'm',
      details: 'http://g/images/WyJ.abc/ubuntu: 500',
    },
  });
  expect(read).toEqual({
    id: 'x',
    name: 'prepare_image',
    status: 'failed',
    error: { type: 'ImageDownloadError', message: 'm: http://g/images/…/ubuntu: 500' },
    result: null,
  });
  expect(readCommand({ id: 'x', command_name: 'n', command_status: 'CLEAN_VERSION_MISMATCH' })).toMatchObject(
    {
      status: 'failed',
      error: { type: 'CLEAN_VERSION_MISMATCH' },
    },
  );
});

it('reads any answer without throwing', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      readCommand(value);
      return Array.isArray(readCommands({ commands: [value] })) && readCommands(value).length === 0;
    }),
    { seed: 1 },
  );
});

it('finds what was written and what was cleaned in results', () => {
  const result = { result: 'prepare_image: image (r-1) written to device /dev/sda root_uuid=None' };
  expect(writtenImage(command({ result }))).toEqual({ imageId: 'r-1', device: '/dev/sda' });
  expect(writtenImage(command({ result: { result: 'None' } }))).toBeUndefined();
  expect(cleanedStep(command({ result: { clean_step: { step: 'erase_devices' } } }))).toBe('erase_devices');
  expect(cleanedStep(command({ result: 'None' }))).toBeNull();
});

it.each([
  ['ImageChecksumError', '', 'IMAGE_CHECKSUM_MISMATCH'],
  ['ImageDownloadError', '', 'IMAGE_DOWNLOAD_FAILED'],
  ['ImageDownloadTimeoutError', '', 'IMAGE_DOWNLOAD_FAILED'],
  ['ImageWriteError', '', 'IMAGE_WRITE_FAILED'],
  ['BlockDeviceError', '', 'IMAGE_WRITE_FAILED'],
  ['BlockDeviceEraseError', '', 'ERASE_FAILED'],
  ['SoftwareRAIDError', '', 'ERASE_FAILED'],
  ['CLEAN_VERSION_MISMATCH', '', 'ERASE_FAILED'],
  ['InvalidImage', '', 'IMAGE_UNSUITABLE'],
  ['DeviceNotFound', '', 'ROOT_DEVICE_NOT_FOUND'],
  ['CommandExecutionError', 'checksum differs', 'IMAGE_CHECKSUM_MISMATCH'],
  ['CommandExecutionError', 'boom', 'AGENT_COMMAND_FAILED'],
])('maps %s %s to %s', (type, message, code) => {
  expect(commandCode(type, message)).toBe(code);
});
