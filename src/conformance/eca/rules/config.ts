// Rules on tool-server updates, configuration and messages to the user. docs/protocols/eca.md 8.8, 8.9, 1.

import type { Notification } from '../../check/json-rpc.ts';
import type { Finding } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import type { EcaRows, EcaView } from '../view/view.ts';

const updated = 'notification:tool/serverUpdated';

const toldOf = ({ agent }: EcaView, method: string): Notification[] =>
  agent.notifications.filter((one) => one.method === method);
const servers = (view: EcaView, type: string): Notification[] =>
  toldOf(view, 'tool/serverUpdated').filter(({ params }) => params.type === type);

/**
 * Findings for requests of the client to change a tool server that no update follows. A later request may name the same
 * server.
 */
function* changes(view: EcaView, method: string, from: readonly string[]): Generator<Finding> {
  const statuses = servers(view, 'mcp');
  for (const { frame, params, method: sentMethod } of view.client.notifications) {
    if (sentMethod !== method) continue;
    const own = statuses.filter((one) => one.params.name === params.name);
    const before = own.filter((one) => one.frame < frame).at(-1);
    if (before === undefined || !from.includes(String(before.params.status))) continue;
    const isReported = own.some((one) => one.frame > frame && one.params.status !== before.params.status);
    if (isReported) yield { frame, wrong: null };
    else if (view.isComplete) yield { frame, wrong: `${shown(params.name)} is still ${shown(before.params.status)}` };
  }
}

/** Rules on configuration and messages. */
export const configRows: EcaRows = {
  'tools-told': {
    section: 'Tool updated',
    isMeasured: true,
    sentence: 'After `initialized` the native tools are told.',
    covers: [updated],
    scenarios: ['start'],
    reads: 'both',
    *judge(view) {
      const [first] = servers(view, 'native');
      if (first !== undefined) return yield { frame: first.frame, wrong: null };
      // A client that leaves at once has not waited for the tool servers; a client that used a tool and then left in
      // good order has.
      const { initialize, initialized, isComplete, chats, client } = view;
      const isLeft = client.requests.some(({ method, answers }) => method === 'shutdown' && answers.length > 0);
      if (initialize === null || initialized === null || !isComplete || !isLeft) return;
      const isUsed = [...chats.values()].some(({ calls }) =>
        calls.some(({ called }) =>
          called.some(({ frame, content }) => frame > initialized.frame && content.origin === 'native'),
        ),
      );
      if (isUsed) yield { frame: initialized.frame, wrong: 'a native tool was called, and none were told' };
    },
  },
  'mcp-stop': {
    section: 'Stop MCP server',
    sentence: 'An MCP server that is stopped is told with its new status.',
    covers: ['notification:mcp/stopServer', updated],
    scenarios: ['mcp'],
    reads: 'both',
    judge: (view) => changes(view, 'mcp/stopServer', ['running', 'starting']),
  },
  'mcp-start': {
    section: 'Start MCP server',
    sentence: 'An MCP server that is started again is told with its new status.',
    covers: ['notification:mcp/startServer', updated],
    scenarios: ['mcp'],
    reads: 'both',
    judge: (view) => changes(view, 'mcp/startServer', ['stopped']),
  },
  'unknown-mcp-ignored': {
    section: 'Stop MCP server',
    isMeasured: true,
    sentence: 'Who stops or starts an MCP server that nobody has changes nothing, and the connection goes on.',
    covers: ['notification:mcp/stopServer', 'notification:mcp/startServer'],
    scenarios: ['mcp'],
    reads: 'both',
    *judge(view) {
      const updates = toldOf(view, 'tool/serverUpdated');
      for (const { frame, method, params } of view.client.notifications) {
        if (method !== 'mcp/stopServer' && method !== 'mcp/startServer') continue;
        const isOwn = (one: Notification) => one.params.name === params.name;
        if (updates.some((one) => isOwn(one) && one.frame < frame)) continue;
        const made = updates.find((one) => isOwn(one) && one.frame > frame);
        const later = view.client.requests.filter((ask) => ask.frame > frame);
        if (made !== undefined) yield { frame: made.frame, wrong: `it tells of ${shown(params.name)}` };
        else if (later.some(({ answers }) => answers.length > 0)) yield { frame, wrong: null };
      }
    },
  },
};
