// The step whose tool call is an agent itself: subagent. The call names the agent's lane.

import { type Play, say, sayAndWait } from '../play.ts';
import type { PlayState } from '../play-state.ts';
import { endMessage, sayInLane, sayText } from '../speech.ts';
import { afterTools, announce, begin, newCall, newLookup } from '../tool-calls.ts';

/** Delegates a task. The sub-agent speaks, uses a tool and answers. */
export function* subagent(stage: PlayState): Play {
  const task = 'Find patch bays.';
  yield* sayText(stage, 'I give this to a sub-agent.');
  const call = newCall(stage, 'delegate', { task });
  yield* announce(stage, call);
  yield* endMessage(stage, 'tool-use');
  const running = begin(stage, call);
  yield say(running.start, { type: 'task-changed', id: call.id, call: call.id, status: 'running', text: task });
  yield* work(stage, task, call.id);
  yield sayAndWait(stage.pace.ms, running.update('replace', 'the sub-agent has answered'));
  yield say(
    { type: 'task-changed', id: call.id, call: call.id, status: 'completed' },
    ...running.end('The sub-agent found 3 entries.'),
  );
  yield* afterTools(stage);
  yield* sayText(stage, 'The sub-agent found 3 entries.');
}

function* work(stage: PlayState, task: string, parent: string): Play {
  const content = [{ type: 'text' as const, text: task }];
  yield say({ type: 'message-added', parent, role: 'user', origin: 'agent', content });
  yield* sayInLane(stage, 'I am the sub-agent, and I look it up.', parent);
  const call = newLookup(stage, 'patch bays', parent);
  yield* announce(stage, call);
  yield* endMessage(stage, 'tool-use', parent);
  const running = begin(stage, call);
  yield sayAndWait(stage.pace.ms, running.start);
  yield sayAndWait(stage.pace.ms, running.update('replace', 'searching'));
  yield say(...running.end('found 3 entries'));
  yield* sayInLane(stage, 'I found 3 entries.', parent);
  yield* endMessage(stage, 'end', parent);
}
