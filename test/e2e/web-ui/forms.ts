import type { Locator } from 'playwright-core';
import { eventually } from './eventually.ts';

const bare = (text: string): string => text.replaceAll(/\s/g, '');

/** Types into the editor, which closes brackets by itself and may still be loading. */
export async function typeJson(editor: Locator, json: string): Promise<void> {
  const keyboard = editor.page().keyboard;
  await eventually(`${json} in the editor`, async () => {
    await editor.click({ timeout: 10_000 });
    await keyboard.press('Control+A');
    await keyboard.press('Delete');
    await keyboard.type(json);
    return bare(await editor.innerText()).startsWith(bare(json)) ? true : undefined;
  });
}

/** By keyboard: as the editor loses the focus it lays its text out anew, and a button moves from under the mouse. */
export async function submit(button: Locator): Promise<void> {
  await eventually('a button that can be pressed', async () =>
    (await button.isEnabled()) ? true : undefined,
  );
  await button.press('Enter');
}
