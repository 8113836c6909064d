// Broken agents of pi-legacy that handle input wrongly.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import { changesInput, type Mutant } from '../../support/mutant.ts';
import { blocks, everywhere, less, of } from './frames.ts';

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Ignores this line, which is no JSON object. */
const deafTo = (line: string) => (): Interceptor => ({ raw: (text) => (text === line ? [] : [text]) });

/** Knows on which connections a run is open. */
function watchRuns() {
  const open = new Set<Link>();
  return {
    watch(frame: Dictionary, link: Link): readonly Dictionary[] {
      if (frame.type === 'agent_start') open.add(link);
      if (frame.type === 'agent_end') open.delete(link);
      return [frame];
    },
    isBusy: (link: Link) => open.has(link),
  };
}

export const inputMutants: readonly Mutant[] = [
  {
    fault: 'forgets prompts that come while it is busy',
    caughtBy: ['busy-prompts-run'],
    make: () => {
      const { watch, isBusy } = watchRuns();
      return { out: watch, in: (frame, link) => (frame.type === 'prompt' && isBusy(link) ? [] : [frame]) };
    },
  },
  {
    fault: 'tells of attachments that were not sent',
    caughtBy: ['attachments-kept'],
    make: everywhere('user', (message) => ({ ...message, attachments: [{ type: 'image', fileName: 'other.png' }] })),
  },
  {
    fault: 'shows other pictures',
    caughtBy: ['image-shown'],
    make: blocks('user', 'image', (block) => ({ ...block, data: 'AAAA' })),
  },
  {
    fault: 'does not show documents',
    caughtBy: ['document-shown'],
    make: everywhere('user', (message) => ({ ...message, content: list(message.content).slice(0, 1) })),
    alsoCaughtBy: ['image-shown'],
  },
  {
    fault: 'does not hear that it is to stop',
    caughtBy: ['abort-ends-run'],
    make: changesInput((frame) => (frame.type === 'abort' ? null : frame)),
  },
  {
    fault: 'does not say that it was stopped',
    caughtBy: ['abort-reason'],
    alsoCaughtBy: ['block-ends'],
    make: everywhere('assistant', (message) => ({
      ...message,
      stopReason: message.stopReason === 'aborted' ? 'stop' : message.stopReason,
    })),
  },
  {
    fault: 'answers what stops nothing',
    caughtBy: ['idle-abort-silent'],
    alsoCaughtBy: ['event-types'],
    make: () => {
      const { watch, isBusy } = watchRuns();
      return {
        out: watch,
        in(frame, link) {
          if (frame.type === 'abort' && !isBusy(link)) link.toClient({ type: 'aborted' });
          return [frame];
        },
      };
    },
  },
  {
    fault: 'does not compact',
    caughtBy: ['compact-answered'],
    make: changesInput((frame) => (frame.type === 'compact' ? null : frame)),
  },
  {
    fault: 'says that it compacts by itself',
    caughtBy: ['compaction-manual'],
    make: of('compaction', (frame) => ({ ...frame, auto: true })),
  },
  {
    fault: 'does not say that it compacts by itself',
    caughtBy: ['compaction-auto'],
    make: of('compaction', (frame) => less(frame, 'auto')),
  },
  { fault: 'does not see what is no JSON', caughtBy: ['bad-line-error'], make: deafTo('not json') },
  { fault: 'does not see half a line', caughtBy: ['bad-line-error'], make: deafTo('{"type":"prompt"') },
  { fault: 'does not see blank lines', caughtBy: ['blank-line-error'], make: deafTo('') },
  { fault: 'does not see null', caughtBy: ['null-line-error'], make: deafTo('null') },
];
