import { expect, it } from 'vitest';
import { hasDay, isCron } from '../../../contracts/inventory/cron.ts';

it.each([
  '30 2 * * *',
  ' 0  22 * * 1-5 ',
  '*/5 * * * *',
  '0 0,12 1,15 * *',
  '5/15 0-23/2 * * *',
  '0 3 * jan-mar MON,Wed',
  '0 3 * * 7',
  '0 3 * January-Sept monday,TUES',
  '0 3 * * mo-fr',
  '0 3 * * 5-7',
  '0 3 29 2 *',
  '0 3 30,31 1,2 *',
  '0 3 31 2/5 *',
])('%j is a schedule', (text) => expect([isCron(text), hasDay(text)]).toEqual([true, true]));

it.each([
  '',
  '30 2 * *',
  '30 2 * * * *',
  '@daily',
  '60 2 * * *',
  '0 24 * * *',
  '0 2 0 * *',
  '0 2 32 * *',
  '0 2 * 13 *',
  '0 2 * * 8',
  '*/0 2 * * *',
  '*/ 2 * * *',
  '5-1 2 * * *',
  '1-2-3 2 * * *',
  '1,,2 2 * * *',
  '-1 2 * * *',
  '0 2 * * noon',
  '0 2 * * m',
  '0 2 * ma *',
  '0 2 * * mondays',
  '0 2 * * sat-sun',
  'mon 2 * * *',
])('%j is none', (text) => expect(isCron(text)).toBe(false));

it.each(['30 2 31 2 *', '30 2 30-31 feb *', '30 2 31 4,6,9,11 *', '30 2 31 2-2/1 *'])(
  '%j never comes',
  (text) => expect([isCron(text), hasDay(text)]).toEqual([true, false]),
);
