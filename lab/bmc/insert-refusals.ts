import type { Server } from '../server.ts';
import type { Slot } from '../state.ts';
import { message, noContent, problem, type Answer, type MessageKey } from './messages.ts';

type Body = Readonly<Record<string, unknown>>;

const ACTION = 'VirtualMedia.InsertMedia';
const missing = (name: string): Answer => problem(400, 'ActionParameterMissing', [ACTION, name]);

/** An error whose one message is bent: it names what it is about in another place. */
const bent = (status: number, key: MessageKey, over: Body): Answer => {
  const info = { ...message(key), ...over };
  const error = { code: info['MessageId'], message: info['Message'], '@Message.ExtendedInfo': [info] };
  return { status, body: { error } };
};

/** Why the BMC does not take an image, or an answer that hides that it did not; undefined where it takes it. */
export function insertRefusal(server: Server, slot: Slot, body: Body, url: string): Answer | undefined {
  const { faults } = server;
  if (faults.take('mediaInPost')) return problem(400, 'UnableToModifyDuringSystemPOST');
  const underSystem = url.includes('/Systems/');
  if (underSystem && faults.take('systemMediaRefuses'))
    return problem(404, 'ResourceNotFound', ['Action', ACTION]);
  if (underSystem && faults.take('systemMediaDead')) return noContent;
  if (slot === 'Cd' && faults.take('firstSlotRefuses')) return problem(405, 'OperationNotAllowed');
  return protocolRefusal(server, body) ?? othersRefused(server, body) ?? fetchRefusal(server);
}

function protocolRefusal({ faults }: Server, body: Body): Answer | undefined {
  const name = 'TransferProtocolType';
  if (faults.take('insertAlwaysWantsProtocol')) return missing(name);
  if (body[name] !== undefined) return undefined;
  if (faults.take('insertNeedsProtocol'))
    return bent(400, 'GeneralError', {
      MessageId: 'Base.1.8.ActionParameterMissing',
      Message: 'A parameter of the action is missing.',
      MessageArgs: [ACTION, name],
    });
  if (faults.take('insertNeedsProtocolRelated'))
    return bent(400, 'GeneralError', {
      MessageId: 'Base.1.8.PropertyMissing',
      Message: 'A required property is missing.',
      RelatedProperties: [`#/${name}`],
    });
  if (faults.take('insertNeedsProtocolText'))
    return bent(400, 'GeneralError', { Message: `'${name}' is needed to mount an image.` });
  return undefined;
}

function othersRefused({ faults }: Server, body: Body): Answer | undefined {
  const anonymous = body['UserName'] === undefined || body['Password'] === undefined;
  if (anonymous && faults.take('insertNeedsCredentials'))
    return missing(body['UserName'] === undefined ? 'UserName' : 'Password');
  const extra = ['Inserted', 'WriteProtected'].find((name) => name in body);
  if (extra !== undefined && faults.take('insertWantsMinimalBody'))
    return problem(400, 'ActionParameterNotSupported', [extra, ACTION]);
  return undefined;
}

function fetchRefusal({ faults }: Server): Answer | undefined {
  if (faults.take('fetchFailsWithId'))
    return bent(500, 'GeneralError', {
      MessageId: 'IDRAC.2.8.RAC0904',
      Message: 'The location of the remote share is not usable.',
    });
  if (faults.take('fetchFailsInText'))
    return bent(400, 'GeneralError', { Message: 'Failed to connect to the remote server: curl error 7.' });
  return undefined;
}
