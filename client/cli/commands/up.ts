import type { Command } from 'commander';

/** placeholder */
export function addUpCommand(_program: Command): void {}
