// Whether the process that an editor names in `initialize` is still there (docs/protocols/eca.md 8.1). Changes no frame.
import { z } from 'zod';
import type { Channel } from '../core/contract/channel.ts';

/** How often it is looked for, ms. */
const lookMs = 500;

const Initialize = z.looseObject({
  method: z.literal('initialize'),
  params: z.looseObject({ processId: z.int().positive() }),
});

/** A client of the eca protocol that is watched. */
export interface EditorWatch {
  /** The channel, as the gateway is to see it. */
  wrap(channel: Channel): Channel;
  /**
   * Aborted when the process is gone that was there when it was named. One that was never seen may be on another machine, or
   * outside the sandbox that we are in: servers that ended for it were of no use there (docs/protocols/eca.md 6.1).
   */
  readonly gone: AbortSignal;
}

/** Nothing has been named yet. */
export function watchEditor(): EditorWatch {
  const gone = new AbortController();
  let isNamed = false;

  function follow(pid: number): void {
    isNamed = true;
    if (!isAlive(pid)) return;
    const look = setInterval(() => {
      if (isAlive(pid)) return;
      clearInterval(look);
      gone.abort('the process of the editor is gone');
    }, lookMs);
    look.unref();
  }

  return {
    wrap: (channel) => ({
      label: channel.label,
      open(receiver) {
        channel.open({
          ...receiver,
          frame(frame) {
            const pid = isNamed ? undefined : namedIn(() => frame.json);
            if (pid !== undefined) follow(pid);
            receiver.frame(frame);
          },
        });
      },
      send: (out) => channel.send(out),
      get buffered() {
        return channel.buffered;
      },
      pause: () => channel.pause(),
      resume: () => channel.resume(),
      close: (code, reason) => channel.close(code, reason),
    }),
    gone: gone.signal,
  };
}

/** The process that those words name; what is no JSON is for the frontend to answer. */
function namedIn(read: () => unknown): number | undefined {
  try {
    return Initialize.safeParse(read()).data?.params.processId;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // It is there, and another user's.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
