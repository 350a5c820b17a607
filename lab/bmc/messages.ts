/** What a handler answers. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const REGISTRY = 'Base.1.18.1';

const TEXTS = {
  GeneralError: 'A general error has occurred. See Resolution for information on how to resolve the error.',
  InternalError: 'The request failed due to an internal service error. The service is still operational.',
  ServiceTemporarilyUnavailable: 'The service is temporarily unavailable. Retry in %1 seconds.',
  ResourceNotFound: "The requested resource of type %1 named '%2' was not found.",
  OperationNotAllowed: 'The HTTP method is not allowed on this resource.',
  QueryNotSupportedOnResource: 'Querying with %1 is not supported on the requested resource.',
  MalformedJSON:
    'The request body submitted was malformed JSON and could not be parsed by the receiving service.',
  ActionParameterMissing: 'The action %1 requires the parameter %2 to be present in the request body.',
  ActionParameterUnknown: 'The action %1 was submitted with the invalid parameter %2.',
  ActionParameterNotSupported: 'The parameter %1 for the action %2 is not supported on the target resource.',
  ActionParameterValueNotInList:
    "The value '%1' for the parameter %2 in the action %3 is not in the list of acceptable values.",
  PropertyUnknown: 'The property %1 is not in the list of valid properties for the resource.',
  PropertyNotWritable: 'The property %1 is a read-only property and cannot be assigned a value.',
  PropertyValueNotInList: "The value '%1' for the property %2 is not in the list of acceptable values.",
  PropertyValueTypeError: "The value '%1' for the property %2 is not a type that the property can accept.",
  PropertyValueOutOfRange:
    "The value '%1' for the property %2 is not in the supported range of acceptable values.",
  ConfigurationCommitted:
    'The pending configuration values are already committed: a job applies them at the next reset.',
  PropertyMissing: 'The property %1 is a required property and must be included in the request.',
  PreconditionFailed: 'The ETag supplied did not match the ETag required to change this resource.',
  PreconditionRequired: 'A precondition header or annotation is required to change this resource.',
  NoValidSession: 'There is no valid session established with the implementation.',
  ResourceAtUriUnauthorized:
    'While accessing the resource at %1, the service received an authorization error %2.',
  SessionLimitExceeded:
    'The session establishment failed due to the number of simultaneous sessions exceeding the limit of the implementation.',
  InsufficientPrivilege:
    'There are insufficient privileges for the account or credentials associated with the current session to perform the requested operation.',
  PasswordChangeRequired: 'The password provided for this account must be changed before access is granted.',
  ResourceInUse:
    'The change to the requested resource failed because the resource is in use or in transition.',
  UnableToModifyDuringSystemPOST: 'Unable to modify the resource while the system is in POST.',
  InvalidOperationForSystemState: 'The operation cannot be performed in the current state of the system.',
  TaskStarted: 'A task was started; it is at %1.',
  VirtualMediaNotFetched: 'The image could not be fetched from the location %1: %2.',
  NoMediaInserted: 'There is no media in the drive.',
  TransferFailed: "Transfer of image '%1' failed: %2.",
  VerificationFailed: "Verification of image '%1' failed: %2.",
  ApplyFailed: "Installation of image '%1' failed: %2.",
  RebootPending: 'The update is complete. A reboot of the host is pending.',
  SettingNotApplied: 'The setting %1 was not applied at the reset of the system.',
} as const;

export type MessageKey = keyof typeof TEXTS;

const VENDOR: Partial<Record<MessageKey, string>> = {
  UnableToModifyDuringSystemPOST: 'Lab.1.0',
  InvalidOperationForSystemState: 'Lab.1.0',
  VirtualMediaNotFetched: 'Lab.1.0',
  NoMediaInserted: 'Lab.1.0',
  SettingNotApplied: 'Lab.1.0',
  ConfigurationCommitted: 'Lab.1.0',
  TransferFailed: 'Update.1.2',
  VerificationFailed: 'Update.1.2',
  ApplyFailed: 'Update.1.2',
  RebootPending: 'Lab.1.0',
};

/** One message of a registry, as it stands in `@Message.ExtendedInfo`. */
export function message(key: MessageKey, args: readonly string[] = []): Record<string, unknown> {
  const text = args.reduce((t, arg, i) => t.replaceAll(`%${i + 1}`, arg), TEXTS[key] as string);
  return {
    '@odata.type': '#Message.v1_1_1.Message',
    MessageId: `${VENDOR[key] ?? REGISTRY}.${key}`,
    Message: text,
    MessageArgs: args,
    MessageSeverity: 'Critical',
    Severity: 'Critical',
    Resolution: 'Correct the request, or the state of the service, and resubmit.',
  };
}

/** An error answer as Redfish shapes it. */
export function problem(
  status: number,
  key: MessageKey,
  args: readonly string[] = [],
  headers: Record<string, string> = {},
): Answer {
  const info = message(key, args);
  const error = { code: info['MessageId'], message: info['Message'], '@Message.ExtendedInfo': [info] };
  return { status, body: { error }, headers };
}

export const noContent: Answer = { status: 204 };
