import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { submit, typeJson } from './forms.ts';

/** How a form was answered. */
export type Answer = { readonly accepted: true } | { readonly accepted: false; readonly message: string };

/** What the User Metadata tab shows as current details. */
export interface Details {
  readonly text: string;
  /** The cells of its tables, without the columns that only keep others apart. */
  readonly rows: readonly (readonly string[])[];
  readonly bold: readonly string[];
  readonly code: readonly string[];
  readonly links: readonly string[];
}

/** What is asked of an element in the page. */
interface Rendered {
  readonly innerText: string;
  readonly href?: string;
  querySelectorAll(selectors: string): Iterable<Rendered>;
}

type Tab = 'timeline' | 'history' | 'user-metadata' | 'search-attributes' | 'memo' | 'relationships';

/** The Temporal Web UI, by what an operator does in it. */
export class WebUi {
  readonly page: Page;
  readonly #root: string;
  readonly #shots: string | undefined;

  /** @param shots a folder that gets a picture of every stage, for people */
  constructor(page: Page, url: string, shots = process.env['WEB_UI_SHOTS']) {
    this.page = page;
    this.#root = `${url}/namespaces/default/workflows`;
    this.#shots = shots;
  }

  /** Fills in the start form, of which the link brings everything but the input. */
  async start(workflowId: string, type: string, json: string): Promise<Answer> {
    const query = new URLSearchParams({ workflowId, taskQueue: 'rackwright', workflowType: type });
    await this.page.goto(`${this.#root}/start-workflow?${query.toString()}`, { waitUntil: 'commit' });
    await this.page.getByText('Task Queue is Active').waitFor();
    await typeJson(this.page.getByRole('textbox', { name: 'Data' }), json);
    await this.shot('start');
    await submit(this.page.getByTestId('start-workflow-button'));
    return eventually('an answer to the start', async () => {
      if (await this.page.getByText('Workflow started successfully').first().isVisible())
        return { accepted: true };
      const message = await visibleText(this.page.locator('main [role=alert], form [role=alert]'));
      return message === '' ? undefined : { accepted: false, message };
    });
  }

  /** Opens a workflow by its id alone. */
  async open(workflowId: string, tab?: Tab): Promise<void> {
    await eventually(`the page of ${workflowId}`, async () => {
      await this.page.goto(`${this.#root}/${encodeURIComponent(workflowId)}`, { waitUntil: 'commit' });
      const heading = visible(this.page.getByTestId('workflow-id-heading'));
      await heading.or(this.page.getByText("There's an error")).first().waitFor();
      return (await heading.count()) > 0 ? true : undefined;
    });
    if (tab !== undefined)
      await visible(this.page.getByTestId(`${tab}-tab`))
        .first()
        .click();
  }

  /** The status of the workflow whose page is open. */
  async status(): Promise<string> {
    return visible(this.page.getByTestId('execution-status').or(this.page.locator('[role=status]')))
      .first()
      .innerText();
  }

  /** What it shows of itself now. Where the page is open already, it is refreshed as the page proposes. */
  async details(workflowId: string): Promise<Details> {
    if (this.#shows(workflowId, '/user-metadata')) await this.page.keyboard.press('r');
    else await this.open(workflowId, 'user-metadata');
    const frame = this.page.frameLocator('#user-metadata-current-details');
    await frame.locator('h3').first().waitFor();
    // All at once: the page renders anew whenever the workflow has news.
    return frame.locator('main').evaluate((node) => {
      const main = node as unknown as Rendered;
      const texts = (what: string): string[] =>
        [...main.querySelectorAll(what)].map((each) => each.innerText);
      return {
        text: main.innerText,
        rows: [...main.querySelectorAll('tr')].map((row) =>
          [...row.querySelectorAll('th, td')]
            .filter((_, at) => at % 2 === 0)
            .map((cell) => cell.innerText.replaceAll('\u00a0', ' ').trim()),
        ),
        bold: texts('strong'),
        code: texts('code'),
        links: [...main.querySelectorAll('a')].map((link) => link.href ?? ''),
      };
    });
  }

  async summary(workflowId: string): Promise<string> {
    await this.open(workflowId, 'user-metadata');
    return (await this.page.frameLocator('#user-metadata-summary').locator('main').innerText()).trim();
  }

  #shows(workflowId: string, tab = ''): boolean {
    const url = this.page.url();
    return url.includes(`/workflows/${encodeURIComponent(workflowId)}/`) && url.endsWith(tab);
  }

  /** Opens More Actions and one of its forms. */
  async #form(action: 'signal' | 'update' | 'terminate'): Promise<Locator> {
    const dialog = visible(this.page.getByTestId(`${action}-confirmation-modal`)).first();
    await eventually(`the form of ${action}`, async () => {
      if (await dialog.isVisible()) return true;
      const item = visible(this.page.getByTestId(`${action}-button`)).first();
      if (!(await item.isVisible())) {
        await visible(this.page.getByRole('button', { name: 'More Actions' }))
          .first()
          .click();
      }
      await item.click({ timeout: 5000 });
      await dialog.waitFor({ timeout: 5000 });
      return true;
    });
    return dialog;
  }

  async #choose(dialog: Locator, select: string, name: string): Promise<string> {
    const option = dialog.getByRole('option', { name: new RegExp(`^\\s*${name}\\b`) }).first();
    return eventually(`${name} in the list`, async () => {
      if (!(await option.isVisible())) await dialog.getByTestId(select).click({ timeout: 5000 });
      const said = await option.innerText({ timeout: 5000 });
      await this.shot(`list-of-${select}`);
      await option.click({ timeout: 5000 });
      return said;
    });
  }

  /** Sends an update or a signal with a JSON text as it is typed; answers what the list said of it, too. */
  async send(
    how: 'update' | 'signal',
    workflowId: string,
    name: string,
    json: string,
  ): Promise<Answer & { readonly described: string }> {
    const open = visible(this.page.getByTestId(`${how}-confirmation-modal`));
    if (!this.#shows(workflowId) || (await open.count()) === 0) await this.open(workflowId);
    const dialog = await this.#form(how);
    const described = await this.#choose(dialog, `${how}-select-button`, name);
    await typeJson(dialog.getByRole('textbox', { name: 'Data' }), json);
    // After a refusal the form stays open, to be corrected, with the answer that it had.
    const said = dialog.locator('[role=alert]').or(dialog.getByText('must be valid JSON'));
    const before = await visibleText(said);
    await submit(dialog.getByTestId('confirm-modal-button'));
    const answer = await eventually<Answer>(`an answer to ${how} ${name}`, async () => {
      if (!(await dialog.isVisible())) return { accepted: true };
      const message = await visibleText(said);
      return message === '' || message === before ? undefined : { accepted: false, message };
    });
    await this.shot(`${how}-${name}-${answer.accepted ? 'accepted' : 'refused'}`);
    return { ...answer, described };
  }

  async terminate(workflowId: string, reason: string): Promise<void> {
    await this.open(workflowId);
    const dialog = await this.#form('terminate');
    await dialog.getByTestId('workflow-termination-reason').fill(reason);
    await submit(dialog.getByTestId('confirm-modal-button'));
    await dialog.waitFor({ state: 'hidden' });
  }

  /** The ids that the list shows for a filter. */
  async search(query: string): Promise<string[]> {
    await this.page.goto(`${this.#root}?query=${encodeURIComponent(query)}`, { waitUntil: 'commit' });
    const rows = this.page.getByTestId('workflows-summary-configurable-table-row');
    await rows
      .first()
      .or(this.page.getByText(/No Workflows/i).first())
      .first()
      .waitFor();
    const ids = await rows
      .locator('a[href*="/workflows/"]')
      .evaluateAll((links) =>
        links.map((a) =>
          decodeURIComponent(/workflows\/([^/?]+)/.exec((a as { href?: string }).href ?? '')?.[1] ?? ''),
        ),
      );
    return [...new Set(ids)].filter((id) => id !== '');
  }

  async text(): Promise<string> {
    return this.page.locator('body').innerText();
  }

  async night(on: boolean): Promise<void> {
    await this.page.emulateMedia({ colorScheme: on ? 'dark' : 'light' });
  }

  /** A picture of what is seen now, where pictures are wanted. */
  async shot(name: string): Promise<void> {
    if (this.#shots === undefined) return;
    await this.page.screenshot({ path: join(this.#shots, `${name}.png`), fullPage: true });
  }
}

const visible = (locator: Locator): Locator => locator.filter({ visible: true });

const visibleText = async (locator: Locator): Promise<string> =>
  (await visible(locator).allInnerTexts()).join('\n').trim();
