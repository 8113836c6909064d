// ECA servers with wrong stops, deletions, queries or tool-server updates.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor } from '../../support/intercept.ts';
import type { Mutant } from '../../support/mutant.ts';
import {
  asking,
  behind,
  deafTo,
  hangUp,
  having,
  isContent,
  isFinished,
  isMethod,
  lacking,
  notice,
  onceBehind,
  params,
  result,
  silentAt,
  told,
} from './changes.ts';

const isToldOf = isMethod('tool/serverUpdated');
const mcp = (more: Record<string, unknown> = {}) =>
  notice('tool/serverUpdated', {
    type: 'mcp',
    name: 'files',
    command: 'files',
    args: [],
    status: 'running',
    tools: [],
    ...more,
  });

/** A server with an MCP server that obeys every request but the dropped ones. */
const withServer = (obeys: (method: unknown) => boolean) => (): Interceptor => {
  const told = new Set<unknown>();
  return {
    out(frame, link) {
      if (!isToldOf(frame) || told.has(link)) return [frame];
      told.add(link);
      return [mcp(), frame];
    },
    in(frame, link) {
      if (dictionaryOf(frame.params).name === 'files') {
        if (!obeys(frame.method)) return hangUp(link);
        if (frame.method === 'mcp/stopServer') link.toClient(mcp({ status: 'stopped' }));
        if (frame.method === 'mcp/startServer') link.toClient(mcp({ status: 'starting' }));
      }
      return [frame];
    },
  };
};

export const requestMutants: readonly Mutant[] = [
  {
    fault: 'stops are not heard',
    caughtBy: ['stop-finishes'],
    make: deafTo(isMethod('chat/promptStop')),
  },
  {
    fault: 'words after a stop',
    caughtBy: ['stop-quiet'],
    make: () => {
      const stopped = new Set<unknown>();
      return {
        in(frame) {
          if (frame.method === 'chat/promptStop') stopped.add(dictionaryOf(frame.params).chatId);
          return [frame];
        },
        out(frame) {
          const { chatId } = dictionaryOf(frame.params);
          if (!isFinished(frame) || !stopped.delete(chatId)) return [frame];
          return [frame, told(frame, 'assistant', { type: 'text', text: 'and another thing' })];
        },
      };
    },
  },
  {
    fault: 'after a stop nothing is played',
    caughtBy: ['stop-frees'],
    alsoCaughtBy: ['prompt-echoed'],
    make: () => {
      const stopped = new Set<unknown>();
      return {
        in(frame) {
          if (frame.method === 'chat/promptStop') stopped.add(dictionaryOf(frame.params).chatId);
          return [frame];
        },
        out(frame) {
          const { chatId, role } = dictionaryOf(frame.params);
          return isContent(frame) && stopped.has(chatId) && role === 'assistant' ? [] : [frame];
        },
      };
    },
  },
  {
    fault: 'a stop while nothing runs is answered',
    caughtBy: ['stop-idle'],
    make: () => ({
      in(frame, link) {
        const words = { type: 'text', text: 'nothing to stop' };
        if (frame.method === 'chat/promptStop') link.toClient(told(frame, 'system', words));
        return [frame];
      },
    }),
  },
  {
    fault: 'deleted is answered with null',
    caughtBy: ['delete-result'],
    make: asking((methodOf) => ({
      out: (frame) => [methodOf(frame) === 'chat/delete' ? { ...frame, result: null } : frame],
    })),
  },
  {
    fault: 'words of a chat that is deleted',
    caughtBy: ['delete-quiet'],
    make: asking((methodOf, requestOf) => ({
      out: (frame) =>
        methodOf(frame) === 'chat/delete'
          ? [frame, told(requestOf(frame), 'system', { type: 'text', text: 'gone' })]
          : [frame],
    })),
  },
  {
    fault: 'no list of contexts',
    caughtBy: ['query-context-result'],
    make: result('chat/queryContext', lacking('contexts')),
  },
  {
    fault: 'contexts without their fields',
    caughtBy: ['query-context-kinds'],
    make: result('chat/queryContext', having({ contexts: [{ type: 'file' }] })),
  },
  {
    fault: 'commands without arguments',
    caughtBy: ['query-commands-result'],
    make: result('chat/queryCommands', having({ commands: [{ name: 'x', description: '', type: 'native' }] })),
  },
  {
    fault: 'a query finds what there is not',
    caughtBy: ['query-commands-filter'],
    make: asking((methodOf, requestOf) => ({
      out: (frame) =>
        methodOf(frame) === 'chat/queryCommands' && dictionaryOf(requestOf(frame).params).query !== ''
          ? [{ ...frame, result: { commands: [{ name: 'secret', description: '', type: 'native', arguments: [] }] } }]
          : [frame],
    })),
  },
  {
    fault: 'a query is answered for another chat',
    caughtBy: ['query-chat-kept'],
    make: result('chat/queryContext', having({ chatId: 'another' })),
  },
  {
    fault: 'no tools are told',
    caughtBy: ['tools-told'],
    make: silentAt(isToldOf),
  },
  {
    fault: 'servers of tools without a status',
    caughtBy: ['tool-server-shape', 'tool-server-native'],
    make: params(isToldOf, lacking('status')),
  },
  {
    fault: 'a native server of another name',
    caughtBy: ['tool-server-native'],
    make: params(isToldOf, having({ name: 'Other' })),
  },
  {
    fault: 'an MCP server whose arguments are words',
    caughtBy: ['tool-server-mcp'],
    make: onceBehind(isToldOf, () => mcp({ args: '--all', status: 'failed' })),
  },
  {
    fault: 'an MCP server in a state that is no word',
    caughtBy: ['tool-server-mcp', 'tool-server-shape'],
    make: onceBehind(isToldOf, () => mcp({ status: 7 })),
  },
  {
    fault: 'tools without parameters',
    caughtBy: ['tool-shape'],
    make: params(isToldOf, having({ tools: [{ name: 'x', description: '' }] })),
  },
  {
    fault: 'MCP servers do not stop',
    caughtBy: ['mcp-stop'],
    make: withServer((method) => method !== 'mcp/stopServer'),
  },
  {
    fault: 'MCP servers do not start',
    caughtBy: ['mcp-start'],
    make: withServer((method) => method !== 'mcp/startServer'),
  },
  {
    fault: 'an MCP server comes to be by being named',
    caughtBy: ['unknown-mcp-ignored'],
    make: () => ({
      in(frame, link) {
        const { name } = dictionaryOf(frame.params);
        if (frame.method === 'mcp/startServer') link.toClient(mcp({ name, status: 'failed' }));
        return [frame];
      },
    }),
  },
  {
    fault: 'messages to the user of a type that is no word',
    caughtBy: ['message-to-user'],
    make: behind(isToldOf, () => notice('$/showMessage', { type: 7, message: 'hm' })),
  },
];
