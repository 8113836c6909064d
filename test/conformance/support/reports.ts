// Sample reports for tests of the report formats: one check with each verdict, in any words.
import type { Conversation, Description, LoggedMessage, Result } from '../../../src/conformance/check/check.ts';
import type { Rule, Trace } from '../../../src/conformance/check/rule.ts';
import type { AgentSet } from '../../../src/conformance/check/sets.ts';
import { makeReport, type Report } from '../../../src/conformance/report/report.ts';

function rule(id: string, more: Partial<Description> = {}): Rule<Trace> {
  const base = { section: '7.4', level: 'MUST', basis: 'specification', sentence: `It is so (${id}).` } as const;
  return { id, ...base, ...more, scenarios: ['text'], judge: () => [] };
}

/** Check descriptions in two sections. */
export const sampleSet: AgentSet = {
  protocol: 'toy',
  side: 'agent',
  version: '3',
  usual: {},
  scenarios: [],
  checks: [],
  rules: [
    rule('toy/passes', { covers: ['command:get'] }),
    rule('toy/fails', { level: 'SHOULD' }),
    rule('toy/known', { level: 'MAY', basis: 'measured', sentence: 'It is so \\ # TODO (toy/known).' }),
    rule('toy/unclear', { section: 'get_state' }),
    rule('toy/silent', { section: 'get_state' }),
    rule('toy/not-run', { section: 'get_state' }),
  ],
};

/** Messages of both sides in turn. */
export const said = (...texts: readonly string[]): LoggedMessage[] =>
  texts.map((text, index) => ({ at: index * 10, by: index % 2 === 0 ? 'us' : 'peer', text }));

/** A report in which every foreign text is this word. */
export function reportOf(word: string): Report {
  const conversations: Conversation[] = [
    { connection: word, scenario: 'text', log: said('{"type":"get"}', word, word, '{"type":"last"}') },
  ];
  const breaches = [{ conversation: 0, message: 1, says: word }];
  const results: Result[] = [
    { id: 'toy/passes', verdict: 'passed', ms: 1, conversations: [] },
    { id: 'toy/fails', verdict: 'failed', reason: word, ms: 2, conversations, breaches },
    { id: 'toy/known', verdict: 'failed', reason: word, ms: 3, conversations, breaches },
    { id: 'toy/unclear', verdict: 'unclear', reason: word, ms: 4, conversations },
    { id: 'toy/silent', verdict: 'not-applicable', reason: word, ms: 0, conversations: [] },
  ];
  const known = new Set(['toy/known', 'toy/passes']);
  return makeReport({ set: sampleSet, results, target: word, startedAt: '2026-01-02T03:04:05.678Z', ms: 1234, known });
}

/** Texts with which a peer might break a report format. */
export const hostile: readonly (readonly [string, string])[] = [
  ['the end of CDATA', ']]> <![CDATA[ ]]>'],
  ['a script', '</script><script>alert(1)</script></style><style>*{}'],
  ['a handler', '" onmouseover="alert(1)" \' autofocus'],
  ['an image', '<img src=http://example.org/x onerror=alert(1)>'],
  ['comments', '--> <!-- -- -->'],
  ['entities', '&amp; &#0; &#x1b; &nothing; &lt;b&gt;'],
  ['colours', '\u001b[31mred\u001b[0m \u001b]8;;http://example.org\u0007link \u009b2J'],
  ['halves of pairs', '\ud800 \udfff \ud83d'],
  ['NUL and friends', '\u0000\u0001\u0008\u000b\u000c\u007f\u0085'],
  ['no characters', '\ufffe \uffff \ufeff'],
  ['writing from the right', '\u202edesrever\u202c \u2066x\u2069 \u200f'],
  ['lines', 'one\r\ntwo\rthree\u2028four\nfive'],
  ['points of TAP', 'x\nnot ok 99 - injected\n  ...\n1..7 # SKIP # TODO \\# Bail out!'],
  ['documents of YAML', '---\n...\n- a: {b: [c}\t"\\" \' % @ ` !!js'],
  ['Markdown', '``` ````\n# heading\n| a | b |\n[x](javascript:alert(1)) <details> **b** https://example.org'],
  ['pictures', '👩‍👩‍👧 漢字 ﷽ e\u0301'],
];
