import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportHtml } from '../../core/acceptance/reports/html.ts';
import { FAILING, HELD, HOSTILE, KEPT, PASSING, UNOPENED } from '../core/acceptance/reports/samples.ts';
import { BROWSER, openBrowser, type Browser } from './web-ui/browser.ts';

/** The report of a run in a browser, on a screen, on a telephone and on paper. */

const SAMPLES = { PASSING, FAILING, HELD, HOSTILE, KEPT, UNOPENED };
const WIDTHS = [1200, 390];

const NO_BROWSER = BROWSER === undefined && !process.env['CI'];
if (NO_BROWSER) console.warn('skipped: there is no browser');

describe.skipIf(NO_BROWSER)('the report in a browser', () => {
  let dir: string;
  let browser: Browser;
  /** What a page asked for or opened beside itself. */
  const asked: string[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'rackwright-pages-'));
    browser = await openBrowser();
    browser.page.on('request', (request) => {
      if (!request.isNavigationRequest()) asked.push(request.url());
    });
    browser.page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    browser.page.on('console', (message) => asked.push(message.text()));
  });
  afterAll(async () => {
    await browser?.close();
    await rm(dir, { recursive: true });
  });

  async function open(name: keyof typeof SAMPLES, width: number): Promise<Browser['page']> {
    const file = join(dir, `${name}.html`);
    await writeFile(file, reportHtml(SAMPLES[name], { madeAt: '2026-11-30T03:05:00.000Z' }));
    const { page } = browser;
    asked.length = 0;
    await page.setViewportSize({ width, height: 900 });
    await page.goto(pathToFileURL(file).href);
    return page;
  }
  const NAMES = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];

  it.each(NAMES.flatMap((name) => WIDTHS.map((width) => ({ name, width }))))(
    '$name has nothing beyond the edge of $width pixels, and asks for nothing',
    async ({ name, width }) => {
      const page = await open(name, width);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(asked).toEqual([]);
    },
  );

  it('follows the scheme of whoever reads it', async () => {
    const page = await open('FAILING', 1200);
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).toBe('rgb(13, 17, 23)');
    await page.emulateMedia({ media: 'print' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  });

  it('shows verdict, gates, what stopped it and its correction without scrolling', async () => {
    const page = await open('FAILING', 1200);
    for (const selector of ['.verdict', '.strip', '.card h3', '.card .fix']) {
      const box = await page.locator(selector).first().boundingBox();
      expect(box!.y + box!.height, selector).toBeLessThan(900);
    }
  });

  it('on paper shows the findings that are folded on the screen', async () => {
    const page = await open('HOSTILE', 800);
    const seen = () => page.getByText('kubectl describe pod 9').isVisible();
    expect(await seen()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    const height = await page
      .locator('details')
      .first()
      .evaluate((each) => each.getBoundingClientRect().height);
    expect(height).toBeGreaterThan(200);
    await page.emulateMedia({ media: 'screen' });
  });
});
