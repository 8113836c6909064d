// The plan of Claude Code, read from its own tools for to-do lists: `TodoWrite` writes the whole list, and the newer
// `TaskCreate`, `TaskUpdate` and `TaskList` change one list task by task (docs/protocols/claude.md 8.9). The calls are
// shown as calls all the same.
import { z } from 'zod';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Content, Dictionary } from '../../../core/model/content.ts';
import type { PlanEntry } from '../../../core/model/event.ts';
import { NewestMap } from '../../../core/model/newest.ts';

/** A call that has ended without an error. */
export interface EndedCall {
  readonly call: string;
  readonly name: string;
  readonly lane: string | undefined;
  readonly input: Dictionary;
  readonly content: readonly Content[];
  /** The structured result, if the frame assigns one. */
  readonly details: unknown;
}

/** Reads the plan of one agent. */
export interface Plans {
  /** Delivers the plan if the call has changed it. */
  ended(call: EndedCall): void;
}

/** Most tasks that are remembered; the oldest are forgotten first (docs/limits.md 5.10). */
export const mostTasks = 256;

const statuses = { pending: 'pending', in_progress: 'in-progress', completed: 'completed' } as const;
const Status = z.enum(['pending', 'in_progress', 'completed']).transform((status) => statuses[status]);

const TodoWrite = z.object({ todos: z.array(z.object({ content: z.string(), status: Status })) });
const Task = z.object({ id: z.string(), subject: z.string(), status: Status.optional() });
const Created = z.object({ task: Task });
const CreateInput = z.object({ subject: z.string() });
const UpdateInput = z.object({
  taskId: z.string(),
  subject: z.string().optional(),
  status: z.union([Status, z.literal('deleted')]).optional(),
});
const Updated = z.object({ success: z.boolean() });
const Listed = z.object({ tasks: z.array(Task) });

/** How the result of `TaskCreate` names the task, where the frame assigns no structured result. */
const createdWords = /^Task #(\S+) created/u;

export function createPlans(out: Outbox): Plans {
  const tasks = new NewestMap<string, PlanEntry>(mostTasks);
  /** The last plan as text. */
  let told = '[]';

  function tell(call: string, entries: PlanEntry[]): void {
    const words = JSON.stringify(entries);
    if (words === told) return;
    told = words;
    out.deliver({ type: 'plan-changed', entries, call });
  }

  function addTask(id: string, { subject, status = 'pending' }: Omit<z.output<typeof Task>, 'id'>): void {
    tasks.set(id, { text: subject, status });
  }

  function create({ input, content, details }: EndedCall): void {
    const created = Created.safeParse(details).data?.task;
    const { subject } = CreateInput.safeParse(input).data ?? {};
    const [first] = content;
    const id = created?.id ?? (first?.type === 'text' ? createdWords.exec(first.text)?.[1] : undefined);
    const text = created?.subject ?? subject;
    if (id !== undefined && text !== undefined) addTask(id, { subject: text });
  }

  function update({ input, details }: EndedCall): void {
    const change = UpdateInput.safeParse(input).data;
    const task = change === undefined ? undefined : tasks.get(change.taskId);
    if (change === undefined || task === undefined || Updated.safeParse(details).data?.success === false) return;
    const { taskId, subject = task.text, status = task.status } = change;
    if (status === 'deleted') tasks.delete(taskId);
    else tasks.set(taskId, { text: subject, status });
  }

  function list({ details }: EndedCall): void {
    const listed = Listed.safeParse(details).data;
    if (listed === undefined) return;
    tasks.clear();
    for (const { id, ...task } of listed.tasks) addTask(id, task);
  }

  const changes: ReadonlyMap<string, (call: EndedCall) => void> = new Map([
    ['TaskCreate', create],
    ['TaskUpdate', update],
    ['TaskList', list],
  ]);

  return {
    ended(ended) {
      const { call, name, lane, input } = ended;
      // A sub-agent has a to-do list of its own. All agents share one list of tasks.
      const todos = name === 'TodoWrite' && lane === undefined ? TodoWrite.safeParse(input).data?.todos : undefined;
      if (todos !== undefined) {
        return tell(
          call,
          todos.map(({ content: text, status }) => ({ text, status })),
        );
      }
      const change = changes.get(name);
      if (change === undefined) return;
      change(ended);
      tell(call, [...tasks.values()]);
    },
  };
}
