// A gateway with the demo agent, reached through a proxy that can cut.
import { parseConfig } from '../../src/config/config.ts';
import type { GatewayApi } from '../../src/core/contract/gateway/gateway-api.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { SessionStore } from '../../src/core/contract/store/session-store.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';
import { type ByteProxy, createByteProxy } from './byte-proxy.ts';
import { clientRoles } from './client-roles.ts';
import { drain, framesOf } from './core/stream-rig.ts';
import { textOf } from './telling.ts';

export interface CutGateway {
  readonly board: GatewayApi;
  /** Passes everything at first. */
  readonly proxy: ByteProxy;
  /** Of the gateway itself. */
  readonly port: number;
  readonly token: string;
  dispose(): Promise<void>;
}

/** Without a store, what it has is forgotten with it. */
export async function startCutGateway(store?: SessionStore): Promise<CutGateway> {
  const agents = { demo: { protocol: 'demo', options: { paceMs: 0 } } };
  const config = parseConfig({ agents, defaultAgent: 'demo' });
  const { board, close } = createGateway(config, { log: () => {}, ...(store === undefined ? {} : { store }) });
  const proxy = await createByteProxy(() => server.port);
  const server = await listen({ board, allowedHosts: [`127.0.0.1:${proxy.port}`] });
  return {
    board,
    proxy,
    port: server.port,
    token: server.token ?? '',
    async dispose() {
      proxy.close();
      await server.close();
      await close('the test is over');
    },
  };
}

/**
 * A run that says a lot and then waits for an answer, prompted by a client of another dialect: answers are in no record. Nor are
 * losses of a dialect, which canonical clients hear; pi loses nothing of this run. Resolves once all of it is kept.
 */
export async function runUntilQuestion(board: GatewayApi, session: string, frontend: string): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    const reader = board.stream({ frontend: 'canonical', session, options: {}, principal: owner }, null);
    reader.onReadable = () => {
      if (!framesOf(drain(reader)).some((out) => textOf(out).includes('"approval-request"'))) return;
      reader.close();
      resolve();
    };
    reader.onReadable();
  });
  const other = frontend.startsWith('pi') ? 'claude' : 'pi';
  const bytes = Buffer.from(clientRoles.get(other)?.prompt('think tool unicode slow 1 long 20 ask') ?? '');
  await board.post({ frontend: other, session, options: {}, principal: owner }, [{ bytes }]);
  await asked;
  await board.whenKept?.(session, owner);
}
