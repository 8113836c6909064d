// The step that waits for an approval: ask.
import type { CommandOf } from '../../../core/model/command.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { changeOf } from '../file-changes.ts';
import { type Play, say, sayAndWait } from '../play.ts';
import type { PlayState } from '../play-state.ts';
import { endMessage, sayText } from '../speech.ts';
import { afterTools, announce, answer, begin, type Call, newCall } from '../tool-calls.ts';

type Answer = CommandOf<'answer-approval'>;

/** A call that needs an approval, unless the session's permission mode allows it in advance. */
export function* ask(stage: PlayState): Play {
  yield* sayText(stage, 'I would like to write a note.');
  const call = newCall(stage, 'write_note', { path: 'note.txt', text: 'Patchbay was here.' });
  yield* announce(stage, call);
  yield* endMessage(stage, 'tool-use');
  const decision = stage.settings.mode === 'bypassPermissions' ? null : yield* request(stage, call);
  if (decision?.decision === 'deny') yield* refuse(stage, call, decision);
  else yield* write(stage, call, decision?.input ?? call.input);
}

function* request(stage: PlayState, { id: call, name, input }: Call): Play<Answer> {
  const id = stage.env.id('approval');
  const question: EventOf<'approval-request'> = {
    type: 'approval-request',
    id,
    call,
    name,
    input,
    title: 'Write note',
    ...changeOf(name, input),
  };
  for (;;) {
    const signal = yield { events: [question], pause: { for: 'approval', id } };
    if (typeof signal === 'string' || signal.type !== 'answer-approval') continue;
    const outcome = signal.decision === 'allow' ? 'allowed' : 'denied';
    const reason = signal.reason === undefined ? {} : { reason: signal.reason };
    yield say({ type: 'approval-end', id, outcome, ...reason });
    return signal;
  }
}

function* write(stage: PlayState, call: Call, input: Call['input']): Play {
  const running = begin(stage, call, input);
  yield sayAndWait(stage.pace.ms, running.start);
  yield say(...running.end(`wrote ${JSON.stringify(input)}`));
  yield* afterTools(stage);
  yield* sayText(stage, 'I wrote the note.');
}

function* refuse(stage: PlayState, call: Call, { reason, interrupt }: Answer): Play {
  const because = reason === undefined ? 'no reason given' : reason;
  yield say(...answer(call, `denied: ${because}`, { isError: true, skipped: 'denied' }));
  if (interrupt === true) {
    const failure = { kind: 'aborted', message: `the user denied it and stopped the run: ${because}` } as const;
    yield { events: [], pause: { for: 'closing', cause: { outcome: 'aborted', failure } } };
  }
  yield* afterTools(stage);
  yield* sayText(stage, `You denied it (${because}), so I did not write the note.`);
}
