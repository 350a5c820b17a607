import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonVenv } from './peer.ts';

/**
 * Judges of reports that are not ours: securesystemslib for DSSE, in-toto's own bindings for statements, junitparser
 * and Python's XML for JUnit, jsonschema for JSON.
 */

const PACKAGES =
  'securesystemslib==1.6.0 cryptography==50.0.2 in-toto-attestation==0.9.3 junitparser==5.0.3 jsonschema==4.26.0';

const run = promisify(execFile);

/** How a judge ended: what it says as JSON, or with which exception. */
export type Judgement = { readonly says: unknown } | { readonly refuses: string };

const JUDGES = {
  /** Verifies an envelope with a public key: `envelope public.pem`. Answers the statement. */
  dsse: `
import json, sys
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey
envelope = json.load(open(sys.argv[1]))
keyid = envelope['signatures'][0]['keyid']
public = load_pem_public_key(open(sys.argv[2], 'rb').read())
read = Envelope.from_dict(envelope)
read.verify([SSlibKey.from_crypto(public, keyid=keyid)], 1)
said = {'payloadType': read.payload_type, 'statement': json.loads(read.payload)}
`,
  /** Reads the statement of an envelope by in-toto's definitions: `envelope`. Answers type and result. */
  intoto: `
import base64, json, sys
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
payload = base64.b64decode(json.load(open(sys.argv[1]))['payload'])
statement = Statement.copy_from_pb(json_format.Parse(payload, statement_pb2.Statement()))
statement.validate()
predicate = json_format.MessageToDict(statement.pb)['predicate']
result = json_format.ParseDict(predicate, test_result_pb2.TestResult())
said = {
    'type': statement.pb.predicate_type,
    'subjects': len(statement.pb.subject),
    'result': result.result,
    'passed': list(result.passed_tests),
    'failed': list(result.failed_tests),
}
`,
  /** Reads JUnit XML: `file`. Answers its counts, those of its suites, and the results of its cases. */
  junit: `
import json, sys, xml.etree.ElementTree
from junitparser import JUnitXml, Error, Failure, Skipped
xml.etree.ElementTree.parse(sys.argv[1])
suites = JUnitXml.fromfile(sys.argv[1])
declared = [[each.tests, each.failures, each.errors, each.skipped] for each in suites] + [[suites.tests, suites.failures, suites.errors]]
suites.update_statistics()
said = {
    'declared': declared,
    'counted': [[each.tests, each.failures, each.errors, each.skipped] for each in suites] + [[suites.tests, suites.failures, suites.errors]],
    'suites': [suite.name for suite in suites],
    'cases': {case.classname + '/' + case.name: [type(each).__name__ for each in case.result] for suite in suites for case in suite},
}
`,
  /** Validates a document by a JSON Schema: `document schema`. Answers the errors. */
  schema: `
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[2]))
Draft202012Validator.check_schema(schema)
errors = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).iter_errors(json.load(open(sys.argv[1])))
said = [each.json_path for each in errors]
`,
} as const;

/** Has a judge look at files. */
export async function judge(which: keyof typeof JUDGES, ...files: string[]): Promise<Judgement> {
  const python = join(await pythonVenv('reports', PACKAGES), 'bin', 'python');
  try {
    const { stdout } = await run(python, ['-c', `${JUDGES[which]}\nprint(json.dumps(said))`, ...files]);
    return { says: JSON.parse(stdout) };
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    return { refuses: stderr.trim().split('\n').at(-1) ?? '' };
  }
}
