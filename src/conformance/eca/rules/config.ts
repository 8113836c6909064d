// Rules on tool-server updates, configuration and messages to the user. docs/protocols/eca.md 8.8, 8.9, 1.
import type { Finding } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import type { Notification } from '../view/messages.ts';
import type { EcaRule, EcaView } from '../view/view.ts';
import { optional, shown } from './values.ts';

const updated = 'notification:tool/serverUpdated';

const toldOf = ({ agent }: EcaView, method: string): Notification[] =>
  agent.notifications.filter((one) => one.method === method);
const servers = (view: EcaView, type: string): Notification[] =>
  toldOf(view, 'tool/serverUpdated').filter(({ params }) => params.type === type);

const tool = fields({ name: 'string', description: 'string', parameters: 'any', 'disabled?': optional('boolean') });

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
export const configRules: readonly EcaRule[] = [
  {
    id: 'eca/tools-told',
    section: 'Tool updated',
    level: 'SHOULD',
    basis: 'measured',
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
  {
    id: 'eca/tool-server-shape',
    section: 'Tool updated',
    level: 'MUST',
    basis: 'specification',
    sentence: 'What is told of a server of tools has its type, as native and mcp are, its name and its status.',
    covers: [updated],
    scenarios: ['start'],
    *judge(view) {
      for (const { frame, rawParams } of toldOf(view, 'tool/serverUpdated'))
        yield {
          frame,
          wrong: misfit(rawParams, fields({ type: 'string', name: 'string', status: 'string' }), 'params'),
        };
    },
  },
  {
    id: 'eca/tool-server-native',
    section: 'Tool updated',
    level: 'MUST',
    basis: 'specification',
    sentence: 'The native server is called ECA, and has a status and a list of tools.',
    covers: [updated, 'server:native'],
    scenarios: ['start'],
    *judge(view) {
      for (const { frame, rawParams, params } of servers(view, 'native')) {
        const wrong = misfit(rawParams, fields({ status: 'string', tools: ['any'] }), 'params');
        yield { frame, wrong: wrong ?? (params.name === 'ECA' ? null : `it is ${shown(params.name)}`) };
      }
    },
  },
  {
    id: 'eca/tool-server-mcp',
    section: 'Tool updated',
    level: 'MUST',
    basis: 'specification',
    sentence:
      'An MCP server has its status; its command and arguments, where it has any, are a string and a list of strings.',
    covers: [updated, 'server:mcp'],
    scenarios: ['start', 'mcp'],
    *judge(view) {
      const shape = fields({
        status: 'string',
        'command?': optional('string'),
        'args?': optional(['string']),
        'tools?': optional(['any']),
      });
      for (const { frame, rawParams } of servers(view, 'mcp'))
        yield { frame, wrong: misfit(rawParams, shape, 'params') };
    },
  },
  {
    id: 'eca/tool-shape',
    section: 'Tool updated',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Each tool of a server has name, description and parameters.',
    covers: [updated],
    scenarios: ['start'],
    *judge(view) {
      for (const { frame, params } of toldOf(view, 'tool/serverUpdated')) {
        if (!Array.isArray(params.tools)) continue;
        for (const one of params.tools) yield { frame, wrong: misfit(one, tool, 'tool') };
      }
    },
  },
  {
    id: 'eca/mcp-stop',
    section: 'Stop MCP server',
    level: 'MUST',
    basis: 'specification',
    sentence: 'An MCP server that is stopped is told with its new status.',
    covers: ['notification:mcp/stopServer', updated],
    scenarios: ['mcp'],
    reads: 'both',
    judge: (view) => changes(view, 'mcp/stopServer', ['running', 'starting']),
  },
  {
    id: 'eca/mcp-start',
    section: 'Start MCP server',
    level: 'MUST',
    basis: 'specification',
    sentence: 'An MCP server that is started again is told with its new status.',
    covers: ['notification:mcp/startServer', updated],
    scenarios: ['mcp'],
    reads: 'both',
    judge: (view) => changes(view, 'mcp/startServer', ['stopped']),
  },
  {
    id: 'eca/unknown-mcp-ignored',
    section: 'Stop MCP server',
    level: 'SHOULD',
    basis: 'measured',
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
  {
    id: 'eca/message-to-user',
    section: 'showMessage',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A message to the user has its type, as error, warning and info are, and its words.',
    covers: ['notification:$/showMessage'],
    scenarios: ['start', 'fail'],
    *judge(view) {
      for (const { frame, rawParams } of toldOf(view, '$/showMessage')) {
        yield { frame, wrong: misfit(rawParams, fields({ type: 'string', message: 'string' }), 'params') };
      }
    },
  },
  {
    id: 'eca/chat-notices',
    section: 'Chat Content Received',
    level: 'SHOULD',
    basis: 'measured',
    sentence: '`chat/opened`, `chat/cleared` and `chat/deleted` (of newer servers) name a chat.',
    covers: ['notification:chat/opened', 'notification:chat/cleared', 'notification:chat/deleted'],
    scenarios: ['text', 'think'],
    *judge({ agent }) {
      const own = new Set(['chat/opened', 'chat/cleared', 'chat/deleted']);
      for (const { frame, method, rawParams } of agent.notifications)
        if (own.has(method)) yield { frame, wrong: misfit(rawParams, fields({ chatId: 'string' }), 'params') };
    },
  },
];
