import { ACCEPTANCE_OWNER, notFree } from '../../../../core/acceptance/node-standing.ts';
import { RackwrightError } from '../../../../core/errors/failure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { CATALOGUE } from '../../../../core/errors/catalogue.ts';
import type { CheckFunction } from '../../check.ts';
import { noServer, requestIdOf, result, serverOf, wrong } from '../server.ts';
import { ask, operationOf } from './operation.ts';

/** The dedicated node is free. Its record is kept as evidence of what it was before. */
export const nodeAvailable: CheckFunction = {
  skip: noServer,
  async run(context) {
    try {
      const { node } = serverOf(context);
      const record = await context.site.records.read(context.site.name, node.name);
      const evidence = await context.evidence(node.name, {
        asked: 'the record of the node before it is used',
        answer: (record ?? null) as JsonObject | null,
      });
      const found = notFree(node.name, record);
      if (found.length > 0) return wrong(node.name, found, 'contract', [evidence]);
      return result('pass', `${node.name} is available`, { evidence: [evidence] });
    } catch (error) {
      if (!(error instanceof RackwrightError) || error.failure.code !== 'CONTRACT_INVALID') throw error;
      return wrong('acceptance', [error.failure], 'contract');
    }
  },
};

/** Asks for a deployment. An attempt that is made again finds its own request. */
export const serverRequested: CheckFunction = {
  skip: noServer,
  async run(context) {
    const { node, image } = serverOf(context);
    const requestId = requestIdOf(context, 'deploy');
    if ((await operationOf(context, 'deploy')) === undefined) {
      const { runId } = context.input;
      try {
        await ask(context, 'deploy', {
          requestId,
          image,
          owner: ACCEPTANCE_OWNER,
          onFailure: 'fail',
          reason: `acceptance run ${runId}`,
        });
      } catch (error) {
        if (!(error instanceof RackwrightError) || !isRefusal(error)) throw error;
        return wrong(node.name, [error.failure], 'orchestrator');
      }
    }
    return result('pass', `${node.name} takes ${image}: operation ${requestId}`);
  },
};

/** The node has said no; anything else leaves it open whether it took the request. */
const isRefusal = ({ failure }: RackwrightError): boolean => {
  const { httpStatus } = CATALOGUE[failure.code];
  return httpStatus >= 400 && httpStatus < 500;
};
