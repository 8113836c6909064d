// The errors of a first pi agent and of a first ECA server, all at once: each is named by a check whose words lead to it. Some
// errors hide others; those are named as soon as the error before them is mended.
import { expect, test } from 'vitest';
import type { AgentSet } from '../../../src/conformance/check/sets.ts';
import { ecaAgent } from '../../../src/conformance/eca/agent.ts';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import type { Channel } from '../../../src/core/contract/channel.ts';
import { beginnersEca } from './eca-server.ts';
import { beginnersPi } from './pi-agent.ts';

/** The check that names an error, the words that lead to it, and the errors that hide it. */
type Named = readonly [check: string, words: RegExp, behind?: readonly string[]];

const ofPi: Readonly<Record<string, Named>> = {
  chatter: ['pi/line-is-object', /Agent is ready/u],
  'state without its fields': ['pi/get-state-data', /thinkingLevel/u],
  'no timestamp': ['pi/assistant-message', /timestamp/u],
  'blocks from 1': ['pi/block-index', /is 0, not 1/u],
  'text_end without content': ['pi/text-deltas', /content/u],
  'no toolResults': ['pi/turn-end-results', /toolResults/u],
  'agent_end without messages': ['pi/agent-end-messages', /messages/u],
  'dies of bad JSON': ['pi/unreadable-line', /exited/u],
  'answer behind the run': ['pi/prompt-answered-first', /before the response/u],
  'messages as the data': ['pi/get-messages-data', /data/u],
  'no usage': ['pi/usage', /usage/u],
  end_turn: ['pi/stop-reason-known', /end_turn/u],
  'unknown command': ['pi/answered', /"type":"error"/u],
  'abort unanswered': ['pi/answered', /^no response to abort /u, ['unknown command', 'answer behind the run']],
  'name not told': ['pi/set-session-name-told', /sessionName/u, ['unknown command']],
  'lines end at U+2028': ['pi/separators', /U\+2028|separators/u, ['name not told']],
};

const ofEca: Readonly<Record<string, Named>> = {
  'no jsonrpc': ['eca/message-shape', /JSON-RPC 2\.0/u],
  'ids as words': ['eca/answer-id', /"1"/u, ['no jsonrpc']],
  'silent at unknown methods': ['eca/unknown-method', /answer to request/u, ['no jsonrpc', 'ids as words']],
  'no finished': ['eca/prompt-finished', /end of the run/u, ['no jsonrpc', 'ids as words']],
  'no model in the answer': ['eca/prompt-result', /model/u, ['no jsonrpc', 'ids as words']],
  'stop ignored': ['eca/stop-finishes', /stopped/u, ['no jsonrpc', 'ids as words', 'no finished']],
  'no echo': ['eca/prompt-echoed', /is not told again/u, ['no jsonrpc', 'ids as words', 'no finished']],
  'progress of the assistant': ['eca/role-of-server', /assistant/u, ['no jsonrpc', 'ids as words']],
  'call not prepared': ['eca/call-prepared', /call-1/u, ['no jsonrpc', 'ids as words', 'no finished']],
  'call without end': ['eca/call-ended', /call-1/u, ['no jsonrpc', 'ids as words', 'no finished']],
  'shutdown with a result': ['eca/shutdown-null', /result/u, ['no jsonrpc', 'ids as words', 'no finished']],
  'dies of bad JSON': ['eca/broken-json', /exited/u, ['no jsonrpc', 'ids as words', 'silent at unknown methods']],
};

const script = new Map(['text', 'tool', 'tools', 'endless'].map((word) => [word, word]));

/** The reasons of the checks that failed, by id. */
async function failures(set: AgentSet, memory: () => Channel): Promise<ReadonlyMap<string, string>> {
  const target = { label: 'a first try', script, memory };
  // The beginner answers within the call that asks: what is not there at once never comes.
  const results = await runChecks(set, target, { patienceMs: 300 });
  return new Map(results.flatMap(({ id, verdict, reason = '' }) => (verdict === 'failed' ? [[id, reason]] : [])));
}

test.each([
  ['pi', piAgent, ofPi, beginnersPi],
  ['eca', ecaAgent, ofEca, beginnersEca],
] as const)('%s: each error is named', { timeout: 60_000 }, async (_, set, errors, connect) => {
  const rows = Object.entries(errors);
  const runs = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const failing = (mended: readonly string[]) => {
    const key = mended.toSorted().join();
    const run = runs.get(key) ?? failures(set, () => connect(new Set(mended)));
    runs.set(key, run);
    return run;
  };
  const told = await Promise.all(
    rows.map(async ([error, [check, , behind = []]]) => [error, (await failing(behind)).get(check)] as const),
  );
  expect(told).toEqual(rows.map(([error, [, words]]) => [error, expect.stringMatching(words)]));
  // An error that hides others is named no more when it is mended.
  for (const [, [, , behind = []]] of rows)
    for (const error of behind) {
      const [check = '', words = /./u] = errors[error] ?? [];
      expect((await failing(behind)).get(check) ?? '').not.toMatch(words);
    }
  // With all errors mended the beginner fails nothing that these checks ask for.
  const mended = await failing(Object.keys(errors));
  expect(rows.flatMap(([, [check]]) => (mended.has(check) ? [`${check}: ${mended.get(check)}`] : []))).toEqual([]);
});
