// Sub-agents as newer clients show them: each speaks in a chat of its own that names its parent, and the call that it
// works for says which chat that is (newer than the document, docs/protocols/eca.md 1.4: parentChatId, details of type `subagent`). Clients
// that are not known as new would take it for another chat: they hear of the call alone. Knows no message.
import type { SessionView } from '../../../core/contract/adapter.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { contentFrame, textFrames } from './encode-frame.ts';
import { subAgentChatId } from '../frontend/ids.ts';
import type { CallTeller } from './calls.ts';
import { type Chat, words } from './chat.ts';
import type { Speaker } from './whole.ts';

/** The sub-agents of a run, by the canonical id of the call that each works for. */
export interface SubAgents {
  /** Where it speaks. */
  speaker(call: string): Speaker;
  /** It begins a message. */
  step(call: string, model: string | undefined): void;
  /** Its call is over, and so is its chat. */
  end(call: string): void;
  /** What its call says of it; undefined for calls without one. */
  detailsOf(call: string): Dictionary | undefined;
  clear(): void;
}

interface SubAgent {
  readonly speaker: Speaker;
  readonly name: string;
  model: string;
  steps: number;
  /** Ends what it says, until it says more. */
  finish(): void;
}

/** `calls` is asked when the first one speaks. */
export function createSubAgents(session: SessionView, chat: Chat, calls: () => CallTeller): SubAgents {
  const all = new Map<string, SubAgent>();

  function create(call: string): SubAgent {
    const { id = call, name = 'sub-agent' } = calls().open(call) ?? {};
    const voice = { chatId: subAgentChatId(session.id, id), parentChatId: session.id };
    let isOpen = false;

    function progress(content: Dictionary): void {
      chat.sayInRun([contentFrame(voice, 'system', { type: 'progress', ...content })]);
    }

    function say(frames: readonly string[]): void {
      if (!isOpen) progress({ state: 'running', text: words.generating });
      isOpen = true;
      chat.sayInRun(frames);
    }

    return {
      speaker: {
        voice,
        text: textFrames(voice, 'assistant', { type: 'text' }, 'text'),
        content: (role, content) => say([contentFrame(voice, role, content)]),
        model: say,
        generating: () => {},
        // What the user is asked must be seen in the chat as well.
        progress: (text) => chat.aside(text === words.asking ? text : null),
      },
      name,
      model: session.transcript.info.model?.id ?? 'unknown',
      steps: 0,
      finish() {
        if (isOpen) progress({ state: 'finished', text: '' });
        isOpen = false;
      },
    };
  }

  function of(call: string): SubAgent {
    const known = all.get(call);
    if (known !== undefined) return known;
    const created = create(call);
    all.set(call, created);
    return created;
  }

  return {
    speaker: (call) => of(call).speaker,
    step(call, model) {
      const agent = of(call);
      agent.steps += 1;
      agent.model = model ?? agent.model;
      calls().again(call);
    },
    end(call) {
      const agent = all.get(call);
      // What is open in it ends with the run at the latest.
      if (agent !== undefined && !calls().isBusy(agent.speaker)) agent.finish();
    },
    detailsOf(call) {
      const agent = all.get(call);
      if (agent === undefined) return undefined;
      const { speaker, name, model, steps } = agent;
      return { type: 'subagent', subagentChatId: speaker.voice.chatId, model, agentName: name, step: steps };
    },
    clear() {
      for (const agent of all.values()) agent.finish();
      all.clear();
    },
  };
}
