// The JSON document of a report, as zod schemas. The package publishes its JSON schema as conformance-report.schema.json.
import { z } from 'zod';

/** First field of the document; identifies the format. */
export const jsonFormat = 'patchbay-conformance-report/1';

const Level = z.enum(['MUST', 'SHOULD', 'MAY']);
const Verdict = z.enum(['passed', 'failed', 'unclear', 'not-applicable']);
const count = z.int().min(0);
const Tally = z.object({ passed: count, failed: count, unclear: count, 'not-applicable': count });

/** A message of a conversation. */
const StoredMessage = z.object({
  at: z.number().describe('ms since the connection was opened'),
  by: z.enum(['us', 'peer']),
  text: z.string().describe('the message; of a fault, the reason'),
  isFault: z.literal(true).describe('the peer sent something that is no frame').optional(),
});

/** The messages of one connection. */
const StoredConversation = z.object({
  connection: z.string(),
  scenario: z.string().optional(),
  log: z.array(StoredMessage),
});

/** One check and its result. */
const StoredEntry = z.object({
  id: z.string(),
  section: z.string(),
  level: Level,
  basis: z.enum(['specification', 'measured']).describe('measured: the specification is silent'),
  sentence: z.string().describe('the requirement'),
  covers: z.array(z.string()).readonly().describe('kinds of message that the check looks at').optional(),
  verdict: Verdict,
  reason: z.string().describe('for every verdict but passed').optional(),
  ms: z.number(),
  because: z.string().describe('id of the check that failed, so that this one could not be tried').optional(),
  breaches: z
    .array(z.object({ conversation: count, message: count, says: z.string() }))
    .readonly()
    .describe('messages that break the rule: indices into conversations of this check, and into their logs')
    .optional(),
  known: z.boolean().describe('the failure was expected').optional(),
  conversations: z.array(count).describe('indices into conversations of the report'),
});

/** The document. Readers pass over fields that they do not know: a later version may add some. */
export const StoredReport = z.object({
  format: z.literal(jsonFormat),
  protocol: z.string(),
  side: z.enum(['agent', 'client']),
  version: z.string().describe('version of the set of checks'),
  target: z.string().describe('the judged peer, in words'),
  startedAt: z.iso.datetime(),
  ms: z.number(),
  asOf: z.string().describe('only checks that describe this version of the judged program').optional(),
  guess: z.string().describe('what the peer seems to be, and what to do then').optional(),
  isRecorded: z.literal(true).describe('a recording was judged').optional(),
  counts: z.object({
    total: count,
    verdicts: Tally,
    levels: z.object({ MUST: Tally, SHOULD: Tally, MAY: Tally }),
    known: count,
  }),
  stale: z.array(z.string()).readonly().describe('why the list of known failures is out of date'),
  results: z.array(StoredEntry),
  conversations: z.array(StoredConversation),
});
/** The document. */
export type StoredReport = z.infer<typeof StoredReport>;

/** The JSON schema of the document. Unknown fields are allowed everywhere. */
export function reportSchema(): object {
  return {
    ...z.toJSONSchema(StoredReport, { io: 'input', target: 'draft-07' }),
    title: 'Report of patchbay conformance',
  };
}
