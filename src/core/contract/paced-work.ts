// Work in small portions, so that no session keeps the event loop from the others (docs/limits.md 6).
import { guarded } from './guarded.ts';

/** Work that is done portion by portion. */
export interface PacedTask {
  /**
   * Does one portion, about a millisecond at most. Returns its bytes, with {@link writeCost} for a write that follows,
   * or null when nothing is left for now. A task that throws is done, unless it was asked for another step meanwhile.
   */
  step(): number | null;
}

/** The work for one session or one connection. Queues are served in turn, whatever their number of tasks. */
export interface WorkQueue {
  /**
   * Does the task now, as far as the budget allows, and the rest later. Tasks of a queue take turns. A task that waits
   * already is not added again; a task that adds itself during its own step is asked once more.
   */
  run(task: PacedTask): void;
}

/** All paced work of a gateway. */
export interface PacedWork {
  queue(): WorkQueue;
  /** Does everything that waits at once, without regard for the budget: nothing runs after the end of the gateway. */
  finish(): void;
}

/** The outside world of paced work. */
export interface PacedWorkPorts {
  /** Monotonic ms. */
  now(): number;
  /** Calls back once, after due timers and sockets have been served. */
  afterOthers(callback: () => void): void;
  /** Takes what a task throws; the other tasks go on. Absent: the caller of the work gets what is thrown. */
  readonly failed?: ((thrown: unknown) => void) | undefined;
}

/** The most work between two calls of {@link PacedWorkPorts.afterOthers}, whichever is reached first. */
export interface WorkBudget {
  readonly ms: number;
  readonly bytes: number;
}

/** docs/limits.md 6.1. */
export const defaultBudget: WorkBudget = { ms: 3, bytes: 256 * 1024 };

/**
 * The price of a write to a socket besides the written bytes, in bytes of the budget. The system writes behind the step,
 * so no step includes the time of the write; a small frame for a thousand readers is a thousand writes.
 */
export const writeCost = 4 * 1024;

/** The share of the budget for tasks that have waited. The rest is for work that arrives meanwhile, such as one line. */
const waitingShare = 0.6;

/** A class: each session and each connection has one, and nearly all of them are idle. */
class TaskQueue implements WorkQueue {
  readonly #work: TurnTaker;
  /** Created with the first task that waits. */
  #waiting: Set<PacedTask> | null = null;

  constructor(work: TurnTaker) {
    this.#work = work;
  }

  get isEmpty(): boolean {
    return this.#waiting === null || this.#waiting.size === 0;
  }

  run(task: PacedTask): void {
    if (this.#waiting?.has(task) === true) return;
    if (this.#work.postponesItself(task) || (this.isEmpty && this.#work.doNow(task))) return;
    this.add(task);
    this.#work.enlist(this);
  }

  add(task: PacedTask): void {
    this.#waiting ??= new Set();
    this.#waiting.add(task);
  }

  take(): PacedTask | undefined {
    return this.#waiting === null ? undefined : takeFirst(this.#waiting);
  }
}

/** A step that has begun and not ended. */
interface Step {
  readonly task: PacedTask;
  /** The task was asked for another step meanwhile. */
  isAskedAgain: boolean;
}

/** A class, like the queues that it serves. */
class TurnTaker implements PacedWork {
  readonly #ports: PacedWorkPorts;
  readonly #budget: WorkBudget;
  /** Queues with waiting tasks, the next one first. */
  readonly #ready = new Set<TaskQueue>();
  /** Tasks in the middle of a step, the innermost last. An array: it has one or two items, and most steps are short. */
  readonly #stepping: Step[] = [];
  /** Used up since others were served. */
  #spentMs = 0;
  #spentBytes = 0;
  /** Start of the outermost step; null outside of steps. */
  #since: number | null = null;
  #isPassDue = false;

  constructor(ports: PacedWorkPorts, budget: WorkBudget) {
    this.#ports = ports;
    this.#budget = budget;
  }

  queue(): WorkQueue {
    return new TaskQueue(this);
  }

  finish(): void {
    while (this.#ready.size > 0) this.#serveNext();
  }

  enlist(queue: TaskQueue): void {
    this.#ready.add(queue);
    this.#schedule();
  }

  /** True if the task is in the middle of a step: it is asked for another one. */
  postponesItself(task: PacedTask): boolean {
    for (const step of this.#stepping) {
      if (step.task !== task) continue;
      step.isAskedAgain = true;
      return true;
    }
    return false;
  }

  /** Returns whether the task is done. */
  doNow(task: PacedTask): boolean {
    this.#schedule();
    let hasMore = true;
    while (hasMore && this.#hasBudget(1)) hasMore = this.#step(task);
    return !hasMore;
  }

  #hasBudget(share: number): boolean {
    const { ms, bytes } = this.#budget;
    if (this.#spentBytes >= bytes * share) return false;
    const running = this.#since === null ? 0 : this.#ports.now() - this.#since;
    return this.#spentMs + running < ms * share;
  }

  /** Returns whether the task has more to do. */
  #step(task: PacedTask): boolean {
    const isOutermost = this.#since === null;
    this.#since ??= this.#ports.now();
    const step: Step = { task, isAskedAgain: false };
    this.#stepping.push(step);
    try {
      const bytes = task.step();
      this.#spentBytes += bytes ?? 0;
      return bytes !== null || step.isAskedAgain;
    } catch (thrown) {
      const { failed } = this.#ports;
      if (failed === undefined) throw thrown;
      guarded(
        () => failed(thrown),
        () => {},
      );
      return step.isAskedAgain;
    } finally {
      this.#stepping.pop();
      if (isOutermost) {
        this.#spentMs += this.#ports.now() - (this.#since ?? 0);
        this.#since = null;
      }
    }
  }

  #schedule(): void {
    if (this.#isPassDue) return;
    this.#isPassDue = true;
    this.#ports.afterOthers(() => this.#pass());
  }

  #pass(): void {
    this.#isPassDue = false;
    this.#spentMs = 0;
    this.#spentBytes = 0;
    try {
      // At least one step: a budget that is too small must not stop everything.
      for (let isFirst = true; this.#ready.size > 0 && (isFirst || this.#hasBudget(waitingShare)); isFirst = false) {
        this.#serveNext();
      }
    } finally {
      // Also with nothing left to do: the next pass is a new budget.
      if (this.#ready.size > 0 || this.#spentMs > 0 || this.#spentBytes > 0) this.#schedule();
    }
  }

  #serveNext(): void {
    const queue = takeFirst(this.#ready);
    const task = queue?.take();
    if (queue === undefined || task === undefined) return;
    try {
      if (this.#step(task)) queue.add(task);
    } finally {
      if (!queue.isEmpty) this.#ready.add(queue);
    }
  }
}

function takeFirst<Item>(items: Set<Item>): Item | undefined {
  for (const item of items) {
    items.delete(item);
    return item;
  }
  return undefined;
}

/** Paced work of which nothing waits yet. */
export function createPacedWork(ports: PacedWorkPorts, budget: WorkBudget = defaultBudget): PacedWork {
  return new TurnTaker(ports, budget);
}

/** Does all work at once: for clients and agents without neighbours. */
export const unpaced: WorkQueue = createPacedWork(
  { now: () => 0, afterOthers: () => {} },
  { ms: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY },
).queue();
