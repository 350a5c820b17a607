import type { Server } from '../server.ts';
import { collection, isoTime, link, OK, resource, type Resource, type Tree } from './services.ts';

/** The log that the BMC keeps of its server's hardware. As with many makers, the newest entry comes first. */
export function logTree({ state }: Server, manager: string): Tree {
  const services = `${manager}/LogServices`;
  const log = `${services}/Sel`;
  const entries = `${log}/Entries`;
  const newest = state.eventLog.toReversed();
  const entry = ({ id, createdAt, severity, message }: (typeof newest)[number]): Resource =>
    resource(`${entries}/${id}`, 'LogEntry.v1_15_0.LogEntry', `Log Entry ${id}`, {
      EntryType: 'SEL',
      Created: isoTime(createdAt),
      Severity: severity,
      Message: message,
    });
  return {
    [services]: () => collection(services, 'LogService', ['Sel']),
    [log]: () =>
      resource(log, 'LogService.v1_4_0.LogService', 'System Event Log', {
        ServiceEnabled: true,
        LogEntryType: 'SEL',
        OverWritePolicy: 'WrapsWhenFull',
        Entries: link(entries),
        Status: OK,
      }),
    [entries]: () => ({
      ...collection(
        entries,
        'LogEntry',
        newest.map(({ id }) => String(id)),
      ),
      Members: newest.map(entry),
    }),
    ...Object.fromEntries(newest.map((each) => [`${entries}/${each.id}`, () => entry(each)])),
  };
}
