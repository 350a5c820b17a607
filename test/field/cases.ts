import { BIOS_CASES } from './bios-cases.ts';
import { BOOT_CASES } from './boot-cases.ts';
import { FIRMWARE_CASES } from './firmware-cases.ts';
import { MEDIA_CASES } from './media-cases.ts';
import type { Case } from './row.ts';
import { SERVICE_CASES } from './service-cases.ts';

/** The rows of the field reports. */
export const IDS = `
  vm-1 vm-2 vm-4 vm-6 vm-8 vm-10 vm-12 vm-14 vm-15 vm-16
  boot-17 boot-18 boot-19 boot-21 boot-22 boot-24 boot-25
  power-28 power-29 power-30
  task-32 task-33 task-34 task-36 task-37
  sess-38 sess-41 sess-44 sess-46 sess-47
  shape-43 shape-49 shape-50 shape-63
  bios-52 bios-53 bios-55 raid-56
  life-57 life-60 life-64 life-66`
  .trim()
  .split(/\s+/);

/** What is not played, and why. */
export const WAITS_FOR: { readonly [id: string]: string } = {
  'raid-56': 'a verb that makes volumes',
};

/** Rows that only the whole product can play: test/field/life.test.ts. */
export const BY_THE_PRODUCT: readonly string[] = ['life-57', 'life-60'];

export const CASES: readonly Case[] = [
  ...MEDIA_CASES,
  ...BOOT_CASES,
  ...SERVICE_CASES,
  ...BIOS_CASES,
  ...FIRMWARE_CASES,
];

export const nameOf = ({ id, what }: Pick<Case, 'id' | 'what'>): string => `${id}: ${what}`;
