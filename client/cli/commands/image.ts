import { userInfo } from 'node:os';
import { InvalidArgumentError, type Command } from 'commander';
import { dataDirPaths } from '../../../activities/datadir.ts';
import type { ImageChanged, ImageStore } from '../../../activities/images/promotion.ts';
import { fileRecordStore } from '../../../activities/records/file-record-store.ts';
import { imageOf } from '../../../contracts/inventory/effective.ts';
import type { Image } from '../../../contracts/inventory/supply.ts';
import { causedGates } from '../../../core/acceptance/causes.ts';
import { RackwrightError } from '../../../core/errors/failure.ts';
import { currentVersion, type Asked, type ImageRecord, type ImageVersion } from '../../../core/images.ts';
import { Context } from '../context.ts';

interface Flags {
  readonly reason?: string;
  readonly keep?: boolean;
  readonly to?: number;
}

/** `rackwright image …`: which bytes an image's name stands for. Works on the data directory; nothing has to run. */
export function addImageCommands(program: Command): void {
  const image = program.command('image').description('which bytes the name of an image stands for');
  image
    .command('list')
    .description('the images of the contract, and the versions that were promoted')
    .action((_options, command: Command) => list(new Context(command)));
  image
    .command('promote <image>')
    .description("verify the contract's image, record it, and have deployments take it from now on")
    .option('--keep', 'keep a copy of an image behind http, too; files are always copied')
    .option('--reason <text>', 'why')
    .action((name: string, flags: Flags, command: Command) => promote(new Context(command), name, flags));
  image
    .command('rollback <image>')
    .description('have deployments take the version before, once its bytes were verified again')
    .option('--to <version>', 'this version instead of the one before', version)
    .option('--reason <text>', 'why')
    .action((name: string, flags: Flags, command: Command) => rollback(new Context(command), name, flags));
}

function version(given: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new InvalidArgumentError('It is a number, such as 2.');
}

async function storeOf(context: Context): Promise<ImageStore> {
  const dir = dataDirPaths(context.options.dataDir);
  const records = fileRecordStore<ImageRecord>(dir.images);
  return { site: await context.site(), records, files: dir.imageFiles };
}

const asked = ({ reason }: Flags): Asked => ({
  at: new Date().toISOString(),
  by: process.env['SUDO_USER'] ?? userInfo().username,
  reason: reason ?? null,
});

async function promote(context: Context, name: string, flags: Flags): Promise<void> {
  const image = imageOf(await context.requireInventory(), name);
  const { promoteImage } = await import('../../../activities/images/promotion.ts');
  context.io.note(`reading ${image.url}`);
  const changed = await promoteImage(await storeOf(context), image, { ...asked(flags), ...keepOf(flags) });
  answer(context, changed, await runFor(context, changed));
}

const keepOf = ({ keep }: Flags): { keep?: boolean } => (keep === undefined ? {} : { keep });

async function rollback(context: Context, name: string, flags: Flags): Promise<void> {
  const { rollbackImage } = await import('../../../activities/images/promotion.ts');
  const { to } = flags;
  const changed = await rollbackImage(await storeOf(context), name, { ...asked(flags), to });
  answer(context, changed, await runFor(context, changed));
}

/** Starts the acceptance run that the contract wants for other bytes. The image is promoted, whatever comes of it. */
async function runFor(context: Context, { record, changed }: ImageChanged): Promise<string | null> {
  const contract = await context.inventory();
  if (!changed || contract === undefined) return null;
  const { startCausedRun, wantsRun } = await import('../../../activities/acceptance-runs/caused.ts');
  const { node: subject, generation } = record;
  const change = { cause: 'image-promoted', subject, what: { generation } } as const;
  if (!wantsRun(contract, change)) return null;
  try {
    const runId = await context.connected(({ client }) => startCausedRun(client, contract, change));
    return runId ?? null;
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    const gates = causedGates(change, contract.acceptance?.gates).join(',');
    context.io.note(
      `No acceptance run was started: ${error.message} When it answers: rackwright acceptance run --gates ${gates}`,
    );
    return null;
  }
}

function answer({ io }: Context, { record, version: now, changed }: ImageChanged, run: string | null): void {
  io.answer({ image: record.node, current: now.version, changed, version: now, run }, () => [
    `${record.node} is ${changed ? 'now' : 'already'} at version ${now.version}: ${now.checksum}, ${now.size} bytes`,
    ...(run === null ? [] : [`acceptance run: ${run}`]),
  ]);
}

async function list(context: Context): Promise<void> {
  const { io } = context;
  const { site, records } = await storeOf(context);
  const [inventory, known] = await Promise.all([context.inventory(), records.list(site)]);
  const contract = inventory?.images ?? [];
  const names = [
    ...new Set([...contract, ...known.map(({ node }) => ({ name: node }))].map((each) => each.name)),
  ];
  const images = names.sort().map((name) => {
    const record = known.find(({ node }) => node === name);
    const candidate = contract.find((each) => each.name === name);
    const current = record && currentVersion(record);
    return {
      image: name,
      current: current?.version ?? null,
      deploys: deploys(inventory !== undefined, candidate, current),
      contract: candidate === undefined ? null : { checksum: candidate.checksum, url: candidate.url },
      differs: candidate !== undefined && current !== undefined && differs(candidate, current),
      versions: record?.versions ?? [],
      changes: record?.changes ?? [],
    };
  });
  io.answer(images, () => [
    ...io.table(
      ['IMAGE', 'VERSION', 'CHECKSUM', 'FORMAT', 'BYTES', 'PROMOTED', 'BY', 'REASON'],
      images.flatMap(({ image, current, versions, contract: candidate }) =>
        versions.length === 0
          ? [[image, '-', short(candidate?.checksum ?? ''), '', '', 'never', '', '']]
          : versions.map((each) => row(image, each, each.version === current)),
      ),
    ),
    ...images
      .filter((each) => each.differs)
      .map(({ image }) => `${image}: the contract has other bytes; \`image promote ${image}\` takes them`),
    ...images
      .filter((each) => each.deploys === 'nothing')
      .map(({ image }) => `${image}: no longer in the contract; it cannot be deployed`),
  ]);
}

/** What a deployment of the image takes. */
function deploys(known: boolean, candidate: Image | undefined, current: ImageVersion | undefined): string {
  if (candidate === undefined) return known ? 'nothing' : 'unknown';
  return current === undefined ? 'contract' : 'promoted';
}

const differs = (candidate: Image, current: ImageVersion): boolean =>
  candidate.checksum !== current.checksum || candidate.format !== current.format;

const short = (checksum: string): string => checksum.slice(0, 'sha256:'.length + 12);

const row = (image: string, each: ImageVersion, current: boolean): string[] => [
  image,
  `${each.version}${current ? ' *' : ''}`,
  short(each.checksum),
  each.format,
  String(each.size),
  each.at,
  each.by,
  each.reason ?? '',
];
