import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../support/product.ts';
import { BROWSER, openBrowser, type Browser } from './browser.ts';
import { eventually } from './eventually.ts';
import { hasMedia, setFaults } from './lab.ts';
import { WebUi, type Details } from './web-ui.ts';

const NODE = 'node/lab/node-001';
const OTHER = 'node/lab/node-002';
const NO_BROWSER = BROWSER === undefined && !process.env['CI'];
/** What would be seen if text were escaped once too often, or once too little. */
const GARBAGE = /&#?\w+;|\*\*|\| ---|undefined|\[object/;

const title = NO_BROWSER
  ? 'an operator in the Web UI (skipped: there is no Chromium; CHROMIUM may name one)'
  : 'an operator in the Web UI';

describe.skipIf(NO_BROWSER)(title, () => {
  let product: Product;
  let browser: Browser;
  let ui: WebUi;

  beforeAll(async () => {
    browser = await openBrowser();
    product = await startProduct({ lab: { servers: 2, speed: 10 } });
    ui = new WebUi(browser.page, product.urls.ui);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const path = join(product.dataDir, 'web-ui-failed.png');
    await browser.page.screenshot({ path, fullPage: true });
    console.error(`what was seen last: ${path}\n${await ui.text()}`);
  });

  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  /** What a workflow shows, once it shows this. */
  const seen = (id: string, what: (details: Details) => boolean): Promise<Details> =>
    eventually(`${id}: ${String(what)}`, async () => {
      const details = await ui.details(id);
      expect(details.text).not.toMatch(GARBAGE);
      return what(details) ? details : undefined;
    });
  const says =
    (text: string) =>
    (details: Details): boolean =>
      details.text.includes(text);
  /** The newest operation of a node, as the list shows it. */
  const operationOf = (node: string, but: readonly string[] = []): Promise<string> =>
    eventually(`a new operation of ${node}`, async () => {
      const found = await ui.search(`RackwrightNode = "${node}" AND WorkflowType = "operation"`);
      return found.find((id) => !but.includes(id));
    });
  const refused = async (verb: string, json: string): Promise<string> => {
    const answer = await ui.send('update', NODE, verb, json);
    return answer.accepted ? `${verb} ${json} was accepted` : answer.message;
  };

  const operations: string[] = [];
  /** Sends an update that has to be accepted, and answers its operation. */
  const ask = async (verb: string, json: string): Promise<string> => {
    const answer = await ui.send('update', NODE, verb, json);
    expect(answer).toMatchObject({ accepted: true, described: expect.stringContaining('Example: {') });
    const id = await operationOf('node-001', operations);
    operations.push(id);
    return id;
  };

  it.each([
    [NODE, '{"site": "lab"}', 'Input of node: node is required'],
    [NODE, 'null', 'Input of node: (message) must be one JSON object, not null'],
    [NODE, '{"site": "lab", "node": "node-001", "colour": 1}', 'Input of node: colour is not a field of it'],
    [
      'node/lab/mistyped',
      '{"site": "lab", "node": "node-001"}',
      'The workflow id of this node must be node/lab/node-001.',
    ],
  ])('starts %s with %s, and reads on its page what is wrong', async (id, input, message) => {
    expect(await ui.start(id, 'node', input)).toEqual({ accepted: true });
    await eventually('the failure', async () => {
      await ui.open(id);
      return (await ui.text()).includes(message) ? true : undefined;
    });
    expect(await ui.status()).toMatch(/failed/i);
    await ui.shot('wrong-start');
  });

  it('starts a node, and reads what it is and what may be asked of it', async () => {
    expect(await ui.start(NODE, 'node', '{"site": "lab", "node": "node-001"}')).toEqual({ accepted: true });
    const details = await seen(NODE, ({ code }) => code.includes('enroll'));
    expect(details.text).toContain('node-001: enrolled');
    expect(details.code).not.toContain('deploy');
    await ui.shot('node-new');
  });

  it('enrolls it, and reads the steps of the operation as a table', async () => {
    const operation = await ask('enroll', '{}');
    const details = await seen(operation, says('enroll of node-001: pass'));
    expect(details.rows[0]).toEqual(['state', 'at (UTC)', 'step']);
    expect(details.rows).toHaveLength(4);
    expect(details.rows[1]).toEqual([
      '✓ done',
      expect.stringMatching(/^\d\d:\d\d:\d\d$/),
      expect.stringMatching(/^Reach the BMC and find the system\nFound \/redfish/),
    ]);
    expect(details.bold).toContain('Reach the BMC and find the system');
    expect(await ui.summary(operation)).toBe('enroll of node-001');
    await ui.shot('enroll');
  });

  it('types what is wrong, and is told the field, while the node is unharmed', async () => {
    await seen(NODE, says('node-001: manageable'));
    expect(await refused('deploy', '{"image": ')).toContain('Input must be valid JSON');
    expect(await refused('clean', 'null')).toContain('clean: (message) must be one JSON object, not null');
    expect(await refused('clean', '')).toContain('clean: (message) must be one JSON object, not nothing');
    expect(await refused('clean', '["full"]')).toContain('not a list');
    expect(await refused('deploy', '{}')).toContain('deploy: image is required: the name of an image');
    expect(await refused('deploy', '{"image": "ubuntu-24.04", "colour": "red"}')).toContain(
      'deploy: colour is not a field of this message; it has',
    );
    expect(await refused('clean', '{"erase": "twice"}')).toContain('erase must be one of metadata, full');
    const early = await refused('deploy', '{"image": "ubuntu-24.04", "owner": "team-a"}');
    expect(early).toContain('manageable');
    expect(early).toContain('clean');

    // A signal gets no answer: the node's own page says what became of it.
    expect(await ui.send('signal', NODE, 'power', '{"state": "maybe"}')).toMatchObject({ accepted: true });
    const details = await seen(NODE, says('Messages that were refused'));
    expect(details.rows).toHaveLength(2);
    expect(details.rows[1]![1]).toBe('power');
    expect(details.rows[1]![2]).toContain('INVALID_MESSAGE\npower: state must be one of on, off, reboot');
    expect(details.text).toContain('node-001: manageable');
    await ui.shot('node-refused');
  });

  it('cleans it', async () => {
    const operation = await ask('clean', '{"erase": "full"}');
    await seen(operation, says('clean of node-001: pass'));
    await seen(NODE, says('node-001: available'));
  });

  let deploy: string;

  it('deploys it; a step fails and holds, and both pages say whose it is and what to do', async () => {
    await setFaults(product, 'node-001', { wrongImageBytes: true });
    deploy = await ask('deploy', '{"image": "ubuntu-24.04", "owner": "team_a"}');

    const held = await seen(deploy, says('deploy of node-001: held'));
    await ui.shot('held-operation');
    expect(held.bold).toEqual(expect.arrayContaining(['IMAGE_CHECKSUM_MISMATCH', 'image-supply']));
    expect(held.text).toContain('Correction: Restore the image at its source');
    expect(held.code).toEqual(expect.arrayContaining(['resume', 'abort', 'boot-agent']));
    const failed = held.rows.filter(([state]) => state === '✗ failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]![2]).toContain('Write the image to the root device\nIMAGE_CHECKSUM_MISMATCH');
    expect(held.rows.at(-1)![0]).toBe('· pending');

    const node = await seen(NODE, says('node-001: deploy-failed (held)'));
    await ui.shot('held-node');
    expect(node.text).toContain('Owner team_a');
    expect(node.bold).toEqual(expect.arrayContaining(['IMAGE_CHECKSUM_MISMATCH', 'image-supply']));
    expect(node.text).toContain('Correction: Restore the image at its source');
    expect(node.links).toEqual([
      `${product.urls.ui}/namespaces/default/workflows/${encodeURIComponent(deploy)}`,
    ]);
    expect(await hasMedia(product, 'node-001')).toBe(false);
  });

  it('reads the same at night', async () => {
    await ui.night(true);
    const held = await ui.details(deploy);
    expect(held.text).toContain('deploy of node-001: held');
    await ui.shot('held-operation-night');
    await ui.details(NODE);
    await ui.shot('held-node-night');
    await ui.night(false);
  });

  it.each([
    [`RackwrightNode = "node-001" AND RackwrightFlags = "held"`, true, true],
    [`RackwrightPhase = "deploy-failed"`, true, true],
    [`RackwrightFaultDomain = "image-supply" AND ExecutionStatus = "Running"`, true, true],
    [`RackwrightFlags = "held" AND WorkflowType = "operation"`, false, true],
    [`RackwrightTenant = "team_a"`, true, false],
    [`RackwrightPhase = "available" AND WorkflowType = "node"`, false, false],
  ])('finds by %s', async (query, node, operation) => {
    const wanted = [...(node ? [NODE] : []), ...(operation ? [deploy] : [])];
    await eventually(`${query}: ${wanted.join()}`, async () => {
      const found = (await ui.search(query)).toSorted();
      return JSON.stringify(found) === JSON.stringify(wanted.toSorted()) ? true : undefined;
    });
    await ui.shot('search');
  });

  it('types a wrong resume, removes the fault, resumes, and sees it pass', async () => {
    const wrong = await ui.send('update', deploy, 'resume', '{"from": "nowhere"}');
    expect(wrong).toMatchObject({ accepted: false, message: expect.stringContaining('no step nowhere') });
    await setFaults(product, 'node-001', undefined);
    expect(await ui.send('update', deploy, 'resume', '{}')).toMatchObject({ accepted: true });
    const passed = await seen(deploy, says('deploy of node-001: pass'));
    await ui.shot('passed-operation');
    expect(passed.rows.slice(1).map(([state]) => state)).toEqual(passed.rows.slice(1).map(() => '✓ done'));
    const node = await seen(NODE, says('node-001: active'));
    expect(node.text).toContain('image ubuntu-24.04 · power on');
    await eventually('its outcome in the list', async () => {
      const found = await ui.search('RackwrightNode = "node-001" AND RackwrightOutcome = "pass"');
      return found.includes(deploy) ? true : undefined;
    });
  });

  it('terminates an operation, and sees the clean-up', async () => {
    expect(await ui.start(OTHER, 'node', '{"site": "lab", "node": "node-002"}')).toEqual({ accepted: true });
    expect(await ui.send('signal', OTHER, 'enroll', '{"requestId": "e1"}')).toMatchObject({ accepted: true });
    await seen(OTHER, says('node-002: manageable'));
    await setFaults(product, 'node-002', { agentSilent: true });
    expect(await ui.send('signal', OTHER, 'clean', '{"requestId": "c1"}')).toMatchObject({ accepted: true });
    const id = 'op/lab/node-002/c1';
    await seen(id, ({ rows }) => rows.some(([state]) => state === '… waiting'));
    expect(await hasMedia(product, 'node-002')).toBe(true);
    await ui.shot('waiting-operation');

    await ui.terminate(id, 'an operator in a hurry');
    expect(
      await eventually('its end', async () => {
        await ui.open(id);
        const status = await ui.status();
        return /running/i.test(status) ? undefined : status;
      }),
    ).toMatch(/terminated/i);
    const cleanup = await operationOf('node-002', [id, 'op/lab/node-002/e1']);
    expect(cleanup).toMatch(/^op\/lab\/node-002\/cleanup-/);
    await seen(cleanup, says('cleanup of node-002: pass'));
    await ui.shot('cleanup');
    const node = await seen(OTHER, says('Last failure: OPERATION_LOST'));
    await ui.shot('node-after-cleanup');
    expect(node.text).toContain('node-002: clean-failed');
    expect(node.text).not.toContain('Left behind');
    expect(node.code).toContain('clean');
    expect(await hasMedia(product, 'node-002')).toBe(false);
  });
});
