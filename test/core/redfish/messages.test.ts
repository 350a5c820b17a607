import { describe, expect, it } from 'vitest';
import { anything, assert, property } from 'fast-check';
import { messageKey, mostSevere, namedProperties, readMessages } from '../../../core/redfish/messages.ts';

const text = (body: unknown): (string | null)[] => readMessages(body).map((m) => m.text);

describe('messages of an error', () => {
  it.each<[string, unknown, string[]]>([
    ['a list', { error: { '@Message.ExtendedInfo': [{ Message: 'A' }, { Message: 'B' }] } }, ['A', 'B']],
    ['an object instead of a list', { error: { '@Message.ExtendedInfo': { Message: 'A' } } }, ['A']],
    ['beside the error', { '@Message.ExtendedInfo': [{ Message: 'A' }] }, ['A']],
    ['beside a property', { 'Boot@Message.ExtendedInfo': [{ Message: 'A' }] }, ['A']],
    ['only the error', { error: { code: 'X.1.0.Y', message: 'A' } }, ['A']],
    ['only a text', { error: 'A' }, ['A']],
    ['texts in the list', { error: { '@Message.ExtendedInfo': ['A'] } }, ['A']],
    [
      'an error that points to its list',
      { error: { message: 'See ExtendedInfo for more.', '@Message.ExtendedInfo': [{ Message: 'A' }] } },
      ['A'],
    ],
    ['none', { error: {} }, []],
    ['no object', 'x', []],
    ['null', null, []],
  ])('%s', (_name, body, expected) => expect(text(body)).toEqual(expected));

  it('keeps id, arguments, severity and properties', () => {
    const info = {
      MessageId: 'Base.1.8.PropertyMissing',
      Message: 'The property X is required.',
      MessageArgs: ['X', 7, null],
      MessageSeverity: 'Warning',
      Resolution: 'Send X.',
      RelatedProperties: ['#/X'],
    };
    expect(readMessages({ error: { '@Message.ExtendedInfo': [info] } })).toEqual([
      {
        id: 'Base.1.8.PropertyMissing',
        text: 'The property X is required.',
        args: ['X', '7'],
        severity: 'Warning',
        resolution: 'Send X.',
        properties: ['#/X'],
      },
    ]);
  });

  it('never throws, and is bounded, whatever it is given', () => {
    assert(
      property(anything(), anything(), (a, b) => {
        const bodies = [
          a,
          { error: a },
          { error: { '@Message.ExtendedInfo': a, message: b } },
          { Messages: a },
        ];
        for (const body of bodies) expect(readMessages(body).length).toBeLessThanOrEqual(33);
      }),
    );
    const flood = {
      error: {
        '@Message.ExtendedInfo': Array.from({ length: 9_999 }, () => ({ Message: 'x'.repeat(9_999) })),
      },
    };
    expect(JSON.stringify(readMessages(flood)).length).toBeLessThan(40_000);
  });
});

it('picks the most severe message, and one that says something over a general one', () => {
  const [general, warning, critical] = readMessages({
    error: {
      '@Message.ExtendedInfo': [
        { MessageId: 'Base.1.0.GeneralError', Message: 'General.' },
        { MessageId: 'X.1.0.Warn', Message: 'Warn.', Severity: 'Warning' },
        { MessageId: 'X.1.0.Crit', Message: 'Crit.', Severity: 'Critical' },
      ],
    },
  });
  expect(mostSevere([general!, warning!, critical!])).toBe(critical);
  expect(mostSevere([general!, warning!])).toBe(warning);
  expect(mostSevere([])).toBeUndefined();
  expect(messageKey('Base.1.8.PropertyMissing')).toBe('PropertyMissing');
});

it('finds named properties as whole words only', () => {
  const messages = readMessages({ error: { message: 'NotInserted is fine, but UserName is missing.' } });
  expect(namedProperties(messages, ['Inserted', 'UserName', 'Password'])).toEqual(['UserName']);
});
