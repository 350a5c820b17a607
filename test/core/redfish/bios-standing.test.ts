import { describe, expect, it } from 'vitest';
import {
  biosStanding,
  biosVerdict,
  refusedSettings,
  saysWrong,
} from '../../../core/redfish/bios-standing.ts';
import { readMessages } from '../../../core/redfish/messages.ts';
import { sameValue, writtenValue } from '../../../core/redfish/bios-values.ts';

const bios = (attributes: object, messages: object[] = []) => ({
  Attributes: attributes,
  '@Redfish.Settings': { Messages: messages },
});
const settings = (attributes: object) => ({ Attributes: attributes });
const names = ({ applied, waiting, missing, foreign }: ReturnType<typeof biosStanding>) => ({
  applied,
  waiting,
  missing,
  foreign,
});

describe('values', () => {
  it.each([
    ['4', 4, null, true],
    [4, '4', 'Integer', true],
    ['04', 4, 'Integer', true],
    ['true', true, null, true],
    ['True', true, 'Boolean', true],
    ['Enabled', 'enabled', 'Enumeration', false],
    ['1', '01', 'Enumeration', false],
    ['1', '01', 'Integer', true],
    ['', null, null, false],
    [null, null, null, false],
    [0, false, null, false],
    ['x', {}, null, false],
  ] as const)('%j and %j as %s: %s', (a, b, type, same) => {
    expect(sameValue(a, b, type)).toBe(same);
  });

  it.each([
    [4, '1', 'Enumeration', '4'],
    [4, '1', null, '4'],
    ['4', 1, null, 4],
    ['4', null, 'Integer', 4],
    ['true', false, null, true],
    ['true', null, 'Boolean', true],
    ['x', undefined, null, 'x'],
    // The BIOS has a number as text, whatever the registry says: that is what it takes.
    [4, '1', 'Integer', '4'],
  ] as const)('%j over %j as %s is written as %j', (wanted, current, type, written) => {
    expect(writtenValue(wanted, current, type)).toBe(written);
  });
});

describe('where settings stand', () => {
  const wanted = { A: 'x', B: 2 };
  it.each([
    ['as asked', { A: 'x', B: '2' }, {}, { applied: ['A', 'B'] }],
    ['nothing asked yet', { A: 'y', B: 1 }, {}, { missing: ['A', 'B'] }],
    ['nothing asked yet, all shown', { A: 'y', B: 1 }, { A: 'y', B: '1' }, { missing: ['A', 'B'] }],
    ['one waits', { A: 'y', B: 2 }, { A: 'x' }, { applied: ['B'], waiting: ['A'] }],
    ['another value waits', { A: 'y', B: 2 }, { A: 'z' }, { applied: ['B'], missing: ['A'] }],
    ['the reset would undo it', { A: 'x', B: 2 }, { A: 'z', B: 2 }, { applied: ['B'], missing: ['A'] }],
    [
      'others wait too',
      { A: 'x', B: 2, C: 1, P: null },
      { C: 3, P: 'p' },
      { applied: ['A', 'B'], foreign: ['C'] },
    ],
    ['settings without a value', { A: 'y', B: 2 }, { A: null }, { applied: ['B'], missing: ['A'] }],
  ])('%s', (_, now, next, expected) => {
    expect(names(biosStanding(bios(now), settings(next), wanted))).toEqual({
      applied: [],
      waiting: [],
      missing: [],
      foreign: [],
      ...expected,
    });
  });

  it('is told of anything that is no BIOS', () => {
    for (const odd of [null, undefined, 'x', [], { Attributes: [1] }, { '@Redfish.Settings': 3 }]) {
      expect(biosStanding(odd, odd, wanted).missing).toEqual(['A', 'B']);
    }
  });
});

describe('what the firmware refused', () => {
  it.each([
    [
      { MessageId: 'Base.1.0.SettingsFailed', RelatedProperties: ['/Attributes/A'] },
      'Base.1.0.SettingsFailed',
    ],
    [{ Message: 'No.', Severity: 'Critical', RelatedProperties: ['#/Attributes/A'] }, 'No.'],
    [{ MessageId: 'X.1.PropertyNotWritable', Message: 'No.', MessageArgs: ['A'] }, 'No.'],
    [{ MessageId: 'Base.1.0.Success', RelatedProperties: ['/Attributes/A'] }, undefined],
    [{ MessageId: 'X.Failed', Severity: 'OK', RelatedProperties: ['/Attributes/A'] }, undefined],
    [{ Message: 'No.', Severity: 'Critical', RelatedProperties: ['/Attributes/AB'] }, undefined],
  ])('%j', (message, why) => {
    expect(refusedSettings(bios({}, [message]), ['A', 'B'])).toEqual(why === undefined ? {} : { A: why });
  });
});

describe('whether the answer to a write says that settings are wrong', () => {
  const unknown = { MessageId: 'Base.1.8.PropertyUnknown', MessageArgs: ['A'] };
  it.each([
    ['a kind and a name', unknown, true, true],
    ['a kind', { ...unknown, MessageArgs: ['@Redfish.SettingsApplyTime'] }, true, false],
    ['a name', { MessageId: 'SYS.1', Message: 'The attribute A depends on another one.' }, true, false],
    ['neither', { MessageId: 'Base.1.8.GeneralError', Message: 'No.' }, false, false],
    ['what was taken', { MessageId: 'Base.1.8.Success', RelatedProperties: ['#/Attributes/A'] }, true, false],
  ])('%s', (_, message, refused, success) => {
    const messages = readMessages({ '@Message.ExtendedInfo': [message] });
    expect([saysWrong(messages, ['A'], true), saysWrong(messages, ['A'], false)]).toEqual([refused, success]);
  });
});

describe('the verdict after the reset', () => {
  const no = { Message: 'No.', Severity: 'Critical', RelatedProperties: ['/Attributes/A'] };
  const before = { values: { A: 1 }, refused: [] };
  const verdict = (now: object, next: object, messages: object[] = [], known: string[] = []) =>
    biosVerdict(biosStanding(bios(now, messages), settings(next), { A: 5 }), { ...before, refused: known });
  it.each([
    ['as asked', { A: 5 }, {}, [], [], 'applied'],
    ['as asked, and a message of an earlier time', { A: 5 }, {}, [no], [], 'applied'],
    ['waits', { A: 1 }, { A: 5 }, [], [], 'waiting'],
    ['waits, and a new message', { A: 1 }, { A: 5 }, [no], [], 'refused'],
    ['waits, and an old message', { A: 1 }, { A: 5 }, [no], ['A'], 'waiting'],
    ['dropped, with a message', { A: 1 }, {}, [no], [], 'refused'],
    ['dropped again, with the same message', { A: 1 }, {}, [no], ['A'], 'refused'],
    ['as before', { A: '1' }, {}, [], [], 'unchanged'],
    ['not there at the moment', {}, {}, [], [], 'unchanged'],
    ['something else', { A: 4 }, {}, [], [], 'other'],
  ])('%s', (_, now, next, messages, known, state) => {
    expect(verdict(now, next, messages, known).state).toBe(state);
  });
});
