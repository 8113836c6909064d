// ECA servers with wrong stops, deletions, queries or tool-server updates.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor } from '../../support/intercept.ts';
import type { Mutant } from '../../support/mutant.ts';
import {
  asking,
  deafTo,
  hangUp,
  having,
  isContent,
  isFinished,
  isMethod,
  notice,
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
];
