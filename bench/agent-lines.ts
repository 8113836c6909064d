// The same answer as agents of several protocols say it, as bytes. Made up after their recordings.

import { contentLength } from '../src/transports/framing/content-length.ts';
import { bytesOf } from '../src/transports/framing/frame.ts';
import { jsonl } from '../src/transports/framing/jsonl.ts';
import { closingLines, deltaLine, openingLines } from './workloads.ts';

/** Agents whose deltas are compared. */
export const agents = ['pi', 'pi-server', 'eca', 'acp'] as const;
export type AgentName = (typeof agents)[number];

/** All bytes of one run with that answer. */
export function runOf(agent: AgentName, deltas: readonly string[]): Buffer {
  const framing = agent === 'eca' ? contentLength : jsonl;
  return Buffer.concat(linesOf(agent, deltas).map((line) => bytesOf(framing.encode(line))));
}

function linesOf(agent: AgentName, deltas: readonly string[]): string[] {
  switch (agent) {
    case 'pi':
      return piLines(deltas);
    case 'pi-server':
      return piLines(deltas).map((line) => `{"type":"event","sessionId":"s1","event":${line}}`);
    case 'eca':
      return ecaLines(deltas);
    case 'acp':
      return acpLines(deltas);
    default:
      throw agent satisfies never;
  }
}

function piLines(deltas: readonly string[]): string[] {
  return [
    ...openingLines('delta-only'),
    ...deltas.map((delta) => deltaLine('delta-only', delta, '')),
    ...closingLines('delta-only', deltas.join('')),
  ];
}

/** The session and the prompt's request are those of `atWork` in pipeline.ts. */
function acpLines(deltas: readonly string[]): string[] {
  return [...deltas.map((text) => acpChunk('s1', text)), acpEnd(2)];
}

/** One piece of an answer of an ACP agent. */
export function acpChunk(sessionId: string, text: string): string {
  const update = { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: { type: 'text', text } };
  return JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
}

/** The answer to a prompt. */
export function acpEnd(id: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } });
}

function ecaLines(deltas: readonly string[]): string[] {
  const chatId = 'session';
  const told = (method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', method, params: { chatId, ...params } });
  const content = (role: string, shown: object) => told('chat/contentReceived', { role, content: shown });
  const progress = (state: string, text: string) => content('system', { type: 'progress', state, text });
  return [
    told('chat/opened', { title: 'Cables' }),
    content('user', { type: 'text', contentId: '1', text: 'Which cable goes where?\n' }),
    told('chat/statusChanged', { status: 'running' }),
    progress('running', 'Generating'),
    ...deltas.map((text) => content('assistant', { type: 'text', text })),
    told('chat/statusChanged', { status: 'idle' }),
    progress('finished', ''),
  ];
}
