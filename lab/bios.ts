import type { Faults } from './faults.ts';
import { TPM_ATTRIBUTE, type ServerState } from './state.ts';
import type { EventLog } from './store.ts';

/** What of a server its firmware works on. */
interface Parts {
  readonly state: Readonly<ServerState>;
  readonly faults: Faults;
  readonly log: EventLog;
  change(part: Partial<ServerState>): void;
}

/** What the firmware does with settings that waited for a reset. */
export function applyPendingBios(server: Parts): void {
  const { pendingBios, bios } = server.state;
  if (pendingBios === null) return;
  const { [TPM_ATTRIBUTE]: operation, ...rest } = pendingBios;
  const asked = operation !== undefined;
  const ignored = asked && server.faults.take('tpmClearIgnored');
  const refused = asked && !ignored && server.faults.take('tpmClearRefused');
  server.change({
    bios: { ...bios, ...rest },
    pendingBios: ignored ? { [TPM_ATTRIBUTE]: operation } : null,
    refusedBios: refused ? [TPM_ATTRIBUTE] : [],
  });
  if (asked && !ignored && !refused) clearTpm(server);
  server.log.append('bios-applied', { attributes: Object.keys(ignored || refused ? rest : pendingBios) });
}

function clearTpm(server: Parts): void {
  const { sealed } = server.state.tpm;
  server.change({ tpm: { sealed: [] } });
  server.log.append('tpm-cleared', { sealed });
}

/** A system keeps something in the TPM, if there is one. */
export function seal(server: Parts, what: string): void {
  const { sealed } = server.state.tpm;
  if (!server.faults.on('noTpm') && !sealed.includes(what))
    server.change({ tpm: { sealed: [...sealed, what] } });
}
