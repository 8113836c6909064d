// Reads a log of events with its own eyes: what is opened, is it closed, once, and inside what it belongs to? Shares no
// code with grammar.ts, so that a hole in that table shows.
import type { Event } from '../../../src/core/model/event.ts';

/** What is wrong with a log, and what it leaves open. */
export interface Verdict {
  readonly complaints: string[];
  readonly open: string[];
}

/** Judges a log from its beginning. */
export function judge(events: readonly Event[]): Verdict {
  /** Open things by name, each with the lane that it belongs to. */
  const open = new Map<string, string>();
  const usedIndexes = new Set<string>();
  const running = new Set<string>();
  const done = new Set<string>();
  const complaints: string[] = [];
  let at = 0;

  const complain = (text: string) => void complaints.push(`${at}: ${text}`);
  const opens = (name: string, lane = '') => {
    if (open.has(name)) complain(`${name} is open already`);
    open.set(name, lane);
  };
  const closes = (name: string) => {
    if (!open.delete(name)) complain(`${name} is not open`);
  };
  const needs = (name: string) => {
    if (!open.has(name)) complain(`not inside ${name}`);
  };
  const forbids = (kind: RegExp, lane?: string) => {
    for (const [name, of] of open) if (kind.test(name) && (lane === undefined || lane === of)) complain(`${name} open`);
  };

  for (const event of events) {
    const lane = 'parent' in event && event.parent !== undefined ? `of ${event.parent}` : '';
    const message = `message ${lane}`;
    switch (event.type) {
      case 'run-start':
        opens('run');
        break;
      case 'run-end':
        forbids(/^(?:turn|message|block|tool|approval|retry)/u);
        running.clear();
        done.clear();
        closes('run');
        break;
      case 'turn-start':
        needs('run');
        opens('turn');
        break;
      case 'turn-end':
        forbids(/^(?:message|block|tool)/u, '');
        closes('turn');
        break;
      case 'message-start':
        needs('run');
        if (lane === '') needs('turn');
        opens(message, lane);
        for (const used of usedIndexes) if (used.startsWith(`${message}#`)) usedIndexes.delete(used);
        break;
      case 'message-end':
        forbids(/^block/u, lane);
        closes(message);
        break;
      case 'block-start': {
        needs(message);
        if (usedIndexes.has(`${message}#${event.index}`)) complain(`index ${event.index} again`);
        usedIndexes.add(`${message}#${event.index}`);
        opens(`block ${message}#${event.index}`, lane);
        const { block } = event;
        if (block.kind !== 'tool-call' || running.has(block.id)) break;
        done.delete(block.id);
        open.set(`tool ${block.id}`, lane);
        break;
      }
      case 'block-delta':
        needs(`block ${message}#${event.index}`);
        break;
      case 'block-end':
        closes(`block ${message}#${event.index}`);
        break;
      case 'tool-start':
        needs('run');
        if (running.has(event.call)) complain(`tool ${event.call} runs already`);
        if (done.has(event.call)) complain(`tool ${event.call} has its result`);
        running.add(event.call);
        open.set(`tool ${event.call}`, lane);
        break;
      case 'tool-update':
        if (!running.has(event.call)) complain(`tool ${event.call} does not run`);
        break;
      case 'tool-end':
        running.delete(event.call);
        done.add(event.call);
        forbids(new RegExp(`^approval \\S+ for ${event.call}$`, 'u'));
        closes(`tool ${event.call}`);
        break;
      case 'approval-request':
        needs('run');
        for (const name of open.keys()) if (name.startsWith(`approval ${event.id} `)) complain(`${name} asked again`);
        opens(`approval ${event.id} for ${event.call}`, lane);
        break;
      case 'approval-end':
        closes([...open.keys()].find((name) => name.startsWith(`approval ${event.id} `)) ?? `approval ${event.id}`);
        break;
      case 'dialog-request':
        opens(`dialog ${event.id}`);
        break;
      case 'dialog-end':
        closes(`dialog ${event.id}`);
        break;
      case 'compaction-start':
        opens('compaction');
        break;
      case 'compaction-end':
        closes('compaction');
        break;
      case 'retry-start':
        needs('run');
        open.set('retry', '');
        break;
      case 'retry-end':
        closes('retry');
        break;
      case 'history-reset':
        if (open.has('run')) complain('history is reset inside a run');
        break;
      default:
    }
    at += 1;
  }
  return { complaints, open: [...open.keys()] };
}
