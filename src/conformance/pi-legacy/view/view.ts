// The view of a pi-legacy trace for rules: the client's commands, and the runs that answer them. Leaves out overlapping
// runs on one stream (docs/protocols/pi-legacy.md 1.7), because their lines cannot be distinguished.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace } from '../../check/rule.ts';
import type { Bad, Compact, IdleAbort, Line, Mix, Prompt, View } from './parts.ts';
import { createRuns } from './runs.ts';
import { startOf } from './start.ts';

/** Reads a trace. */
export function readView(trace: Trace): View {
  const agent: Line[] = [];
  const client: Line[] = [];
  const prompts: Prompt[] = [];
  const compacts: Compact[] = [];
  const ownCompactions: Line[] = [];
  const bad: Bad[] = [];
  const idleAborts: (IdleAbort & { isPast: boolean })[] = [];
  const mixes: Mix[] = [];
  const { isPrompted, knownFrom, hasClient } = startOf(trace);
  // Lines before the trace may have spoiled the session.
  let spoiledFrom = isPrompted ? Number.POSITIVE_INFINITY : -1;
  /** Prompts that wait for a run, and the aborts that came meanwhile. */
  let awaiting: Prompt[] = [];
  let early: Line[] = [];
  /** Set while several prompts run. */
  let mixed: (Mix & { readonly prompts: Prompt[] }) | null = null;

  const runs = createRuns({
    next() {
      const aborts = early;
      early = [];
      return { prompt: awaiting.shift() ?? null, aborts };
    },
    isAsked: () => awaiting.length > 0 || spoiledFrom < Number.POSITIVE_INFINITY,
  });

  function takePrompt(line: Line): void {
    const { message, attachments } = line.json;
    if (line.frame < knownFrom) return;
    if (typeof message !== 'string') {
      // A prompt without a message has no effect.
      if (message) spoiledFrom = Math.min(spoiledFrom, line.frame);
      return;
    }
    if (message === '') return;
    const files = Array.isArray(attachments) ? attachments.filter(isDictionary) : [];
    const prompt: Prompt = { line, text: message, attachments: files, run: null, refusal: null, isMixed: false };
    prompts.push(prompt);
    if (mixed !== null) {
      mixed.wanted += 1;
      mixed.prompts.push(prompt);
      prompt.isMixed = true;
      return;
    }
    awaiting = awaiting.filter(({ refusal }) => refusal === null);
    if (runs.open === null && awaiting.length === 0) {
      awaiting = [prompt];
      return;
    }
    // From here on two runs may overlap.
    const started = runs.open === null ? 0 : 1;
    if (runs.open !== null) runs.open.isMixed = true;
    const first = runs.open?.prompt ?? null;
    const together = [...(first === null ? [] : [first]), ...awaiting, prompt];
    for (const one of together) one.isMixed = true;
    mixed = { prompts: together, starts: started, ends: 0, wanted: started + awaiting.length + 1 };
    mixes.push(mixed);
    awaiting = [];
    runs.leave();
  }

  function takeClient(line: Line): void {
    client.push(line);
    if (line.type === 'prompt') takePrompt(line);
    if (line.type === 'compact') compacts.push({ line, answers: [] });
    if (line.type !== 'abort') return;
    runs.open?.aborts.push(line);
    const isIdle = runs.open === null && awaiting.every(({ refusal }) => refusal !== null) && mixed === null;
    if (runs.open === null && !isIdle && mixed === null) early.push(line);
    if (isIdle && line.frame >= knownFrom) idleAborts.push({ line, next: null, isPast: false });
  }

  function takeError(line: Line): void {
    const owed = bad.find(({ error }) => error === null);
    const compact = compacts.at(-1);
    if (owed !== undefined) owed.error = line;
    else if (mixed !== null) mixed.wanted -= 1;
    else if (awaiting[0] !== undefined && awaiting[0].refusal === null) awaiting[0].refusal = line;
    compact?.answers.push(line);
  }

  function takeMixed(state: Mix, line: Line): void {
    if (line.type === 'agent_start') state.starts += 1;
    if (line.type === 'agent_end') state.ends += 1;
    if (state.ends >= state.starts && state.starts >= state.wanted) mixed = null;
  }

  /** In a trace without prompts, a run inside a run shows that several were prompted. */
  function mixUnasked(line: Line): void {
    if (runs.open !== null) runs.open.isMixed = true;
    runs.leave();
    mixed = { prompts: [], starts: 1, ends: 0, wanted: 2 };
    takeMixed(mixed, line);
  }

  function takeCompaction(line: Line): void {
    const asked = compacts.at(-1);
    if (asked !== undefined) asked.answers.push(line);
    else if (isPrompted) ownCompactions.push(line);
  }

  function takeAgent(line: Line): void {
    agent.push(line);
    // Errors and compactions belong to no run.
    if (line.type === 'error') takeError(line);
    else if (line.type === 'compaction') takeCompaction(line);
    else if (line.frame < knownFrom) return;
    else if (mixed !== null) takeMixed(mixed, line);
    else if (!hasClient && line.type === 'agent_start' && runs.open !== null) mixUnasked(line);
    else runs.take(line);
  }

  for (const [frame, { by, json, text, isFault }] of trace.frames.entries()) {
    const aborted = idleAborts.at(-1);
    if (by === 'client') {
      if (aborted !== undefined) aborted.isPast = true;
      if (json === null) bad.push({ frame, kind: 'null', error: null });
      if (json === undefined && isFault !== true)
        bad.push({ frame, kind: text.trim() === '' ? 'blank' : 'text', error: null });
    }
    if (!isDictionary(json)) continue;
    const line: Line = { frame, type: typeof json.type === 'string' ? json.type : '', json };
    if (by === 'client') takeClient(line);
    else {
      if (aborted?.isPast === false) aborted.next ??= line;
      takeAgent(line);
    }
  }
  return {
    ...{ trace, agent, client, prompts, mixes, compacts, ownCompactions, bad, idleAborts, spoiledFrom },
    runs: runs.runs.filter(({ isMixed }) => !isMixed),
    messages: runs.messages,
    places: runs.places,
  };
}

/** The message in a line. */
export function messageIn({ json }: Line): Dictionary {
  return dictionaryOf(json.message);
}
