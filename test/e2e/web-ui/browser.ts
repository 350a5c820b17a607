import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** What is started as the operator's browser: CHROMIUM, or where distributions put it. */
export const BROWSER = [process.env['CHROMIUM'], ...PLACES].find(
  (path) => path !== undefined && existsSync(path),
);

/** Nothing but the pages that it is told to open. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A machine that does other work as well takes its time. */
const PATIENCE_MS = 60_000;

export interface Browser {
  readonly page: Page;
  close(): Promise<void>;
}

/** A browser with an empty profile, which is removed with it. */
export async function openBrowser(): Promise<Browser> {
  if (BROWSER === undefined) throw new Error(`no browser at CHROMIUM, ${PLACES.join(', ')}`);
  const profile = mkdtempSync(join(tmpdir(), 'rackwright-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    args: FLAGS,
    viewport: { width: 1400, height: 1000 },
    colorScheme: 'light',
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(PATIENCE_MS);
  page.setDefaultNavigationTimeout(PATIENCE_MS);
  return {
    page,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
