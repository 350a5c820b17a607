import { expect, it } from 'vitest';
import { isCron } from '../../../contracts/inventory/cron.ts';

it.each([
  '30 2 * * *',
  ' 0  22 * * 1-5 ',
  '*/5 * * * *',
  '0 0,12 1,15 * *',
  '5/15 0-23/2 * * *',
  '0 3 * jan-mar MON,Wed',
  '0 3 * * 7',
  '0 3 29 2 *',
  '0 3 30,31 1,2 *',
])('%j is a schedule', (text) => expect(isCron(text)).toBe(true));

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
  'mon 2 * * *',
  '30 2 31 2 *',
  '30 2 31 4,6,9,11 *',
])('%j is none', (text) => expect(isCron(text)).toBe(false));
