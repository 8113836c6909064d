// Sub-agents as newer clients show them. Each sub-agent has a chat of its own that names its parent, and the details of
// its call name that chat (newer than the document, docs/protocols/eca.md 1.4: parentChatId, details of type
// `subagent`). Other clients would show an unrelated chat, so they get the call alone.
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { subAgentChatId } from '../frontend/question-ids.ts';
import type { CallWriter } from './call-writer.ts';
import { type ChatWriter, progressTexts } from './chat-writer.ts';
import { contentFrame, textFrames } from './encode-frame.ts';
import type { ModelWriter } from './whole-content.ts';

/** The sub-agents of a run, by the canonical id of the call that each works for. */
export interface SubAgents {
  /** The writer for a sub-agent's contents. */
  writer(call: string): ModelWriter;
  /** Begins a message of the sub-agent. */
  step(call: string, model: string | undefined): void;
  /** Ends the sub-agent's chat together with its call. */
  end(call: string): void;
  /** The details of a call that describe its sub-agent; undefined for a call without one. */
  detailsOf(call: string): Dictionary | undefined;
  clear(): void;
}

interface SubAgent {
  readonly writer: ModelWriter;
  readonly name: string;
  model: string;
  steps: number;
  /** Ends the chat's progress, until the sub-agent writes more. */
  finish(): void;
}

/** Creates the sub-agents of a session, none at first. `calls` is called when the first sub-agent writes. */
export function createSubAgents(session: SessionView, chat: ChatWriter, calls: () => CallWriter): SubAgents {
  const all = new Map<string, SubAgent>();

  function create(call: string): SubAgent {
    const { id = call, name = 'sub-agent' } = calls().open(call) ?? {};
    const chatRef = { chatId: subAgentChatId(session.id, id), parentChatId: session.id };
    let isOpen = false;

    function progress(content: Dictionary): void {
      chat.sendInRun([contentFrame(chatRef, 'system', { type: 'progress', ...content })]);
    }

    function say(frames: readonly string[]): void {
      if (!isOpen) progress({ state: 'running', text: progressTexts.generating });
      isOpen = true;
      chat.sendInRun(frames);
    }

    return {
      writer: {
        chatRef,
        text: textFrames(chatRef, 'assistant', { type: 'text' }, 'text'),
        content: (role, content) => say([contentFrame(chatRef, role, content)]),
        model: say,
        generating: () => {},
        // A question to the user must be visible in the main chat too.
        progress: (text) => chat.temporaryProgress(text === progressTexts.asking ? text : null),
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
    writer: (call) => of(call).writer,
    step(call, model) {
      const agent = of(call);
      agent.steps += 1;
      agent.model = model ?? agent.model;
      calls().repeatRunning(call);
    },
    end(call) {
      const agent = all.get(call);
      // Open calls of the sub-agent end with the run at the latest.
      if (agent !== undefined && !calls().isBusy(agent.writer)) agent.finish();
    },
    detailsOf(call) {
      const agent = all.get(call);
      if (agent === undefined) return undefined;
      const { writer, name, model, steps } = agent;
      return { type: 'subagent', subagentChatId: writer.chatRef.chatId, model, agentName: name, step: steps };
    },
    clear() {
      for (const agent of all.values()) agent.finish();
      all.clear();
    },
  };
}
