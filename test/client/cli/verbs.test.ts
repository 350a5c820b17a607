import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../client/cli/verbs.ts';

describe('BIOS settings on the command line', () => {
  const settings = (...bios: string[]): unknown => {
    const { steps } = messageOf('service', undefined, { bios });
    return (steps as { settings: unknown }[])[0]!.settings;
  };

  it('are numbers and truths where these lose nothing, and texts else', () => {
    expect(settings('A=4', 'B=-1', 'C=0', 'D=true', 'E="4"')).toEqual({ A: 4, B: -1, C: 0, D: true, E: '4' });
    expect(settings('A=0042', 'B=-0', 'C=-01', 'D=Enabled', 'E=a=b', 'F=')).toEqual({
      A: '0042',
      B: '-0',
      C: '-01',
      D: 'Enabled',
      E: 'a=b',
      F: '',
    });
  });
});
