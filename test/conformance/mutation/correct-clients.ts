// Conversations of correct clients with the fake agents of the sets.
import type { Rule, Trace } from '../../../src/conformance/check/rule.ts';
import { clientSetOf } from '../../../src/conformance/index.ts';
import { ownAcpClient } from '../acp/own-client.ts';
import { ownClaudeClient } from '../claude-client/rig.ts';
import { ownEditor } from '../eca/own-editor.ts';
import { ownPiClient } from '../pi-client/client-steps.ts';
import { ownLegacyClient } from '../pi-legacy/client-steps.ts';
import { ownPiServerClient } from '../pi-server-client/rig.ts';
import { frontEnd } from '../rpc-message-client/rig.ts';
import type { ClientRig } from '../support/client-rig.ts';
import type { Row, Side } from './mutators.ts';

const correctClients: ReadonlyMap<string, ClientRig> = new Map([
  ['pi', ownPiClient],
  ['pi-legacy', ownLegacyClient],
  ['pi-server', ownPiServerClient],
  ['claude', ownClaudeClient],
  ['rpc-message', frontEnd],
  ['eca', ownEditor],
  ['acp', ownAcpClient],
]);

/** What a correct client and the fake agent say to each other, one conversation for each behaviour. */
export async function heldWithFakeAgent(protocol: string, side: Side): Promise<readonly (readonly Row[])[]> {
  const set = clientSetOf(protocol);
  const rig = correctClients.get(protocol);
  const rule = set?.rules[0];
  if (set === undefined || rig === undefined || rule === undefined) throw new Error(`no client speaks ${protocol}`);
  const traces: Trace[] = [];
  const scenarios = set.behaviours.map(({ name }) => name);
  const keeps: Rule<Trace> = {
    ...rule,
    scenarios,
    judge(trace) {
      traces.push(trace);
      return [];
    },
  };
  // One after the other: behaviours side by side end in any order.
  // In `odd` the agent says wrong things on purpose.
  const honest = scenarios.filter((name) => side === 'client' || name !== 'odd');
  for (const name of honest) await rig.run({ ...set, rules: [keeps] }, { behaviours: [name] });
  return traces.map(({ frames }) => frames.map(({ by, json }) => ({ by, json })));
}
