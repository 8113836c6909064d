// Serves a client that owns this process, on a channel of its own, until the client is gone.
import type { Channel } from '../../core/contract/channel.ts';
import type { ClientRequest } from '../../core/contract/gateway/gateway-api.ts';
import { owner, type Principal } from '../../core/contract/principal.ts';
import type { Command } from '../../core/model/command.ts';
import type { Outcome } from '../../core/model/errors.ts';
import type { Session } from '../../core/session/session.ts';
import type { Agents } from '../agents.ts';
import type { Frontends } from '../frontends.ts';
import type { AgentLost } from '../sessions/session-request.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Connections } from './connections.ts';

/** How the sessions of such a client begin and end. */
export interface StartOptions {
  /** Commands for each session, before the first command of the client. */
  readonly commands: readonly Command[];
  /** Called with the outcome of each of these commands. */
  settled(command: Command, outcome: Outcome): void;
  /** Called when an agent is gone that nobody sent away. Default: the log. */
  readonly lost?: AgentLost;
  /** The client cannot answer questions: the agent's questions are denied at once. */
  readonly isUnattended?: boolean;
  /** Runs are aborted when the client's input ends, as for an editor that has quit. */
  readonly stopsWithInput?: boolean;
}

/**
 * A client to serve. `id`: of its session; a connection that could carry many sessions then has only this one. `resume`: the
 * conversation of the agent that this session goes on with.
 */
export type ServeRequest = Pick<ClientRequest, 'frontend' | 'agent' | 'options'> & {
  readonly id?: string;
  readonly resume?: string | undefined;
};

type OwnRequest = ServeRequest & { readonly principal: Principal };

/** What serving a client needs from the gateway. */
export interface ServePorts {
  readonly agents: Pick<Agents, 'named'>;
  readonly connections: Connections;
  readonly frontends: Pick<Frontends, 'sideOf'>;
  readonly sessions: Pick<Sessions, 'open' | 'remove'>;
}

/** Reason for closing the channel of a client whose input has ended. */
const answered = 'everything has been answered';

/** Resolves when the client is gone and its sessions are closed. Throws `not-found` or `invalid`. */
export async function serveClient(
  channel: Channel,
  request: ServeRequest,
  options: StartOptions | undefined,
  ports: ServePorts,
): Promise<void> {
  // Check first: a refused client must not leave a session behind.
  const side = ports.frontends.sideOf(request.frontend, request.options);
  ports.agents.named(request.agent, owner);
  const own = { ...request, principal: owner };
  await (side.isMultiplexed === true && request.id === undefined
    ? serveMany(channel, own, options, ports)
    : serveOne(channel, own, options, ports));
}

/** The client opens its sessions itself. They end with the client. */
function serveMany(
  channel: Channel,
  request: OwnRequest,
  options: StartOptions | undefined,
  { connections }: ServePorts,
): Promise<void> {
  return new Promise((resolve) => {
    const served = {
      isOurs: true,
      lost: options?.lost,
      opened: (session: Session) => submitAll(session, options),
    };
    connections.attachMany(channel, request, served, (own) => {
      if (options?.isUnattended === true) own.setUnattended();
      return {
        end: resolve,
        half() {
          const stop = options?.stopsWithInput === true ? () => own.abort() : () => {};
          // Stop now, because waiting prompts are answered only after an abort, and the questions of a stopped run are
          // withdrawn and not denied; and again later, for newer runs.
          stop();
          own.setUnattended();
          return {
            reason: answered,
            whenIdle(callback) {
              stop();
              own.whenIdle(callback);
            },
          };
        },
      };
    });
  });
}

function serveOne(
  channel: Channel,
  request: OwnRequest,
  options: StartOptions | undefined,
  { connections, sessions }: ServePorts,
): Promise<void> {
  return new Promise((resolve) => {
    const { session } = sessions.open(request, { principal: owner, isOurs: true }, options?.lost);
    if (options?.isUnattended === true) session.setUnattended();
    submitAll(session, options);
    connections.attach(channel, { ...request, session: session.id }, true, {
      end: () => {
        sessions.remove(session.id, 'the client is gone');
        resolve();
      },
      // `echo '…' | patchbay stdio`: the input ends before the answer, and the answer is still wanted.
      half() {
        session.setUnattended();
        return { reason: answered, whenIdle: (callback) => session.whenIdle(callback) };
      },
    });
  });
}

function submitAll(session: Session, options: StartOptions | undefined): void {
  for (const command of options?.commands ?? []) {
    session.submit(command, (outcome) => options?.settled(command, outcome));
  }
}
