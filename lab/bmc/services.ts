import type { Server } from '../server.ts';

export type Resource = Record<string, unknown>;
export type Tree = Record<string, () => Resource>;

export const ROOT = '/redfish/v1';
export const SESSION_LIMIT = 16;
export const link = (path: string): { '@odata.id': string } => ({ '@odata.id': path });
export const OK = { State: 'Enabled', Health: 'OK' } as const;

/** A collection of the resources with these ids. */
export const collection = (path: string, type: string, ids: readonly string[]): Resource => ({
  '@odata.id': path,
  '@odata.type': `#${type}Collection.${type}Collection`,
  Name: `${type} Collection`,
  Members: ids.map((id) => link(`${path}/${id}`)),
  'Members@odata.count': ids.length,
});

/** Head of a resource: where it is, what it is. */
export const resource = (path: string, type: string, name: string, rest: Resource): Resource => ({
  '@odata.id': path,
  '@odata.type': `#${type}`,
  Id: path.slice(path.lastIndexOf('/') + 1),
  Name: name,
  ...rest,
});

/** The service root and the services of the BMC itself. */
export function serviceTree(server: Server): Tree {
  const { hardware, state } = server;
  const sessions = `${ROOT}/SessionService/Sessions`;
  const accounts = `${ROOT}/AccountService/Accounts`;
  const roles = `${ROOT}/AccountService/Roles`;
  return {
    [ROOT]: () => ({
      '@odata.id': `${ROOT}/`,
      '@odata.type': '#ServiceRoot.v1_15_0.ServiceRoot',
      Id: 'RootService',
      Name: 'Root Service',
      RedfishVersion: '1.17.0',
      UUID: hardware.uuid,
      Vendor: hardware.manufacturer,
      Product: 'Lab BMC',
      ProtocolFeaturesSupported: { FilterQuery: false, SelectQuery: false, OnlyMemberQuery: false },
      Systems: link(`${ROOT}/Systems`),
      Chassis: link(`${ROOT}/Chassis`),
      Managers: link(`${ROOT}/Managers`),
      SessionService: link(`${ROOT}/SessionService`),
      AccountService: link(`${ROOT}/AccountService`),
      UpdateService: link(`${ROOT}/UpdateService`),
      Registries: link(`${ROOT}/Registries`),
      Tasks: link(`${ROOT}/TaskService`),
      EventService: link(`${ROOT}/EventService`),
      Links: { Sessions: link(sessions) },
    }),
    [`${ROOT}/SessionService`]: () =>
      resource(`${ROOT}/SessionService`, 'SessionService.v1_1_8.SessionService', 'Session Service', {
        ServiceEnabled: true,
        SessionTimeout: 1800,
        Status: OK,
        Sessions: link(sessions),
      }),
    [sessions]: () =>
      collection(
        sessions,
        'Session',
        state.sessions.map((s) => s.id),
      ),
    ...Object.fromEntries(
      state.sessions.map((session) => [
        `${sessions}/${session.id}`,
        () =>
          resource(`${sessions}/${session.id}`, 'Session.v1_5_0.Session', 'User Session', {
            UserName: session.username,
            CreatedTime: isoTime(session.createdAt),
          }),
      ]),
    ),
    [`${ROOT}/AccountService`]: () =>
      resource(`${ROOT}/AccountService`, 'AccountService.v1_13_0.AccountService', 'Account Service', {
        ServiceEnabled: true,
        AccountLockoutThreshold: 5,
        AccountLockoutDuration: 60,
        MinPasswordLength: 12,
        Status: OK,
        Accounts: link(accounts),
        Roles: link(`${ROOT}/AccountService/Roles`),
      }),
    ...accountTree(server, accounts),
    [roles]: () => collection(roles, 'Role', Object.keys(ROLES)),
    ...Object.fromEntries(
      Object.entries(ROLES).map(([id, privileges]) => [
        `${roles}/${id}`,
        () =>
          resource(`${roles}/${id}`, 'Role.v1_3_1.Role', `${id} Role`, {
            RoleId: id,
            IsPredefined: true,
            AssignedPrivileges: privileges,
          }),
      ]),
    ),
    [`${ROOT}/TaskService`]: () =>
      resource(`${ROOT}/TaskService`, 'TaskService.v1_2_0.TaskService', 'Task Service', {
        ServiceEnabled: true,
        DateTime: isoTime(Date.now()),
        CompletedTaskOverWritePolicy: 'Oldest',
        Status: OK,
        Tasks: link(`${ROOT}/TaskService/Tasks`),
      }),
    [`${ROOT}/EventService`]: () =>
      resource(`${ROOT}/EventService`, 'EventService.v1_10_0.EventService', 'Event Service', {
        ServiceEnabled: false,
        Status: { State: 'Disabled' },
        Subscriptions: link(`${ROOT}/EventService/Subscriptions`),
      }),
    [`${ROOT}/EventService/Subscriptions`]: () =>
      collection(`${ROOT}/EventService/Subscriptions`, 'EventDestination', []),
  };
}

/** The own account, a slot that nobody uses, and whatever a tenant left. */
function accountTree(server: Server, path: string): Tree {
  const account = (id: string, username: string, enabled: boolean): Tree => ({
    [`${path}/${id}`]: () =>
      resource(`${path}/${id}`, 'ManagerAccount.v1_10_0.ManagerAccount', 'User Account', {
        UserName: username,
        Password: null,
        RoleId: 'Administrator',
        AccountTypes: ['Redfish'],
        Enabled: enabled,
        Locked: false,
        PasswordChangeRequired: false,
        Links: { Role: link(`${ROOT}/AccountService/Roles/Administrator`) },
      }),
  });
  const members = {
    ...account('1', server.state.account.username, true),
    ...account('2', '', false),
    ...(server.faults.on('foreignAccount') ? account('3', 'tenant', true) : {}),
  };
  const ids = Object.keys(members).map((each) => each.slice(path.length + 1));
  return { [path]: () => collection(path, 'ManagerAccount', ids), ...members };
}

const ROLES = {
  Administrator: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents'],
  Operator: ['Login', 'ConfigureSelf', 'ConfigureComponents'],
  ReadOnly: ['Login', 'ConfigureSelf'],
};

export const isoTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
